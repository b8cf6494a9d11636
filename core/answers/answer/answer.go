package answer

import "time"

// Answer says what is so, why, and what would help.
type Answer struct {
	// Pod, Workload, PodGroup, CompositePodGroup, OnNode and OfClaim are what it is about; none of them for pods that wait.
	Pod               *Ref   `json:"pod,omitempty"`
	Workload          *Ref   `json:"workload,omitempty"`
	PodGroup          *Ref   `json:"podGroup,omitempty"`
	CompositePodGroup *Ref   `json:"compositePodGroup,omitempty"`
	OnNode            string `json:"node,omitempty"`
	OfClaim           *Ref   `json:"claim,omitempty"`

	Status *Status `json:"status,omitempty"`
	// Evaluated is the moment that the answer is of.
	Evaluated *Evaluated `json:"evaluated,omitempty"`
	// Verdict is "placed" of a pod with a node, whatever would be decided today.
	Verdict string `json:"verdict,omitempty"`
	// Today is what would be decided if a pod with a node had none; nil unless that was asked for.
	Today *Place `json:"today,omitempty"`
	// NotEvaluated are the kinds that the pod refers to and that may not be read.
	NotEvaluated []string `json:"notEvaluated,omitempty"`
	// Waiting says what the pod waits for besides its turn: its gates, its gang, or the victims on its nominated node.
	Waiting string `json:"waiting,omitempty"`
	// Summary is the one sentence that says most, Message what the pod's condition has.
	Summary string `json:"summary,omitempty"`
	Message string `json:"message,omitempty"`
	// UnknownExtenders would be asked and were not: what they say of the pod is unknown.
	UnknownExtenders []string `json:"unknownExtenders,omitempty"`

	Counts *NodeCounts `json:"nodes,omitempty"`
	// KeptVerdicts need not be computed for the pod; nil if there are none.
	KeptVerdicts *KeptVerdicts `json:"kept,omitempty"`
	// Reasons are the rejections of a pod without a feasible node, by the number of nodes.
	Reasons       []Reason       `json:"reasons,omitzero"`
	Remedies      []Remedy       `json:"remedies,omitzero"`
	PluginResults []PluginResult `json:"pluginResults,omitzero"`
	// Storage is the chain from the pod over its claims to its volumes' nodes, Devices that over its claims for devices.
	Storage Chain `json:"storage,omitempty"`
	Devices Chain `json:"devices,omitempty"`
	// Preemption is the one that would be made, PreemptionFacts what was found on the nodes, with PreemptionEvidence.
	Preemption         *Preemption         `json:"preemption,omitempty"`
	PreemptionFacts    []string            `json:"preemptionFacts,omitempty"`
	PreemptionEvidence *PreemptionEvidence `json:"preemptionEvidence,omitempty"`
	Winner             *ScoredNode         `json:"winner,omitempty"`
	RunnerUp           *ScoredNode         `json:"runnerUp,omitempty"`
	// Scores compare winner and runner-up, by the winner's lead.
	Scores []ScorePair `json:"scores,omitempty"`
	// NodeVerdict is the verdict on the one node that was asked about.
	NodeVerdict *NodeVerdict `json:"nodeVerdict,omitempty"`
	// Kueue is where the workload of a pod stands that Kueue holds back; nil of other pods, and where that is not known.
	Kueue *Kueue `json:"kueue,omitempty"`
	// Gang is the pod's, Gangs are the workload's.
	Gang  Chain   `json:"gang,omitempty"`
	Gangs []Chain `json:"gangs,omitzero"`
	// PodGroups are the groups of 1.37 that it is about, each CompositePodGroup before what is in it.
	PodGroups []Chain `json:"podGroups,omitzero"`

	// Pods counts those that wait, Groups are they by owner and cause. Capacity is the fewest nodes that place all pods which more nodes
	// can place.
	Pods     *int      `json:"pods,omitempty"`
	Groups   []Group   `json:"groups,omitzero"`
	Capacity *Capacity `json:"capacity,omitempty"`

	Words
}

// Words are the answer for people.
type Words struct {
	// Title names what it is about.
	Title string `json:"-"`
	// Headline is the answer in one sentence, after the name of what it is about. Then are the next sentences: what would be decided, or
	// since when it waits and what would help first.
	Headline string   `json:"-"`
	Then     []string `json:"-"`
	// Facts are what is known of the subject besides, Sections the evidence.
	Facts    []Fact    `json:"-"`
	Sections []Section `json:"-"`
	// Charts draw some of the evidence of the Reasons.
	Charts []Chart `json:"-"`
	// Parts are answers of their own, about what belongs to the subject: its gangs, the groups of pods that wait.
	Parts []Words `json:"-"`
	// Yes says that nothing is wrong, Settled that nothing waits: the pod has its node, or has ended.
	Yes     bool `json:"-"`
	Settled bool `json:"-"`
}

// Fact is a line with a name. An internal one is about the scheduler more than about the subject: it is for who asks for all.
type Fact struct {
	Name, Value string
	Internal    bool
}

// Section is lines below a title.
type Section struct {
	Title    string
	Lines    []Link
	Internal bool
}

// Link is a line; of a chain, one link of it. Depth is how far it is indented. Bad marks what keeps a pod from its node.
type Link struct {
	Depth int
	Says  string
	Bad   bool
}

// Chain leads from a pod to nodes: over its claims, or over its gang. It has fields for programs, and links for people.
type Chain interface {
	// Links are the links in words, but for those that were said already.
	Links(said string) []Link
}

// Ref names an object.
type Ref struct {
	// Namespace, Name and UID are those of its metadata.
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	UID       string `json:"uid,omitempty"`
}

// Evaluated is when an answer is so. AsDecided means that it is of the decision that placed the pod, and not of the present.
type Evaluated struct {
	At        time.Time `json:"at"`
	AsDecided bool      `json:"asDecided"`
}

// Place is a decision that is not made.
type Place struct {
	Verdict string `json:"verdict"`
	Node    string `json:"node,omitempty"`
}

// NodeCounts is how many nodes there are, the search filtered, and pass all filters.
type NodeCounts struct {
	Total    int `json:"total"`
	Examined int `json:"examined"`
	Feasible int `json:"feasible"`
}

// KeptVerdicts were computed for earlier pods like this one, on nodes that have not changed since.
type KeptVerdicts struct {
	Nodes            int   `json:"nodes"`
	OldestGeneration int64 `json:"oldestGeneration"`
	NewestGeneration int64 `json:"newestGeneration"`
	// Afresh are the Filter plugins that are called for every such pod all the same.
	Afresh []string `json:"afresh,omitempty"`
}

// Reason is one message of one plugin with the nodes it rejects.
type Reason struct {
	Plugin  string `json:"plugin,omitempty"`
	Message string `json:"reason"`
	// Nodes counts nodes as the pod's condition does: each node under the first plugin that rejects it.
	Nodes int `json:"nodes,omitempty"`
	// OnlyOn are the nodes that only this reason rejects; Hint says what those need.
	OnlyOn        []string `json:"-"`
	OnlyBlockerOn int      `json:"onlyBlockerOn,omitempty"`
	Hint          string   `json:"hint,omitempty"`
	// Facts are the evidence in sentences, Evidence has its structure; nil for plugins that do not explain themselves.
	Facts    []string `json:"facts,omitempty"`
	Evidence Evidence `json:"evidence,omitempty"`
	// Beside are the facts but for those that are said at the top.
	Beside []string `json:"-"`
}

// Evidence has the facts behind a reason: the field of the pod, and what on the nodes contradicts it.
type Evidence interface {
	// Facts are plain sentences, the most telling first.
	Facts() []string
	// Hint says what would make one of the nodes feasible that only this reason blocks.
	Hint() string
}

// Remedy is changes that place a pod, or let its gang go, tried on a copy.
type Remedy struct {
	// Change is the argument of what-if.
	Change string `json:"change" printable:"-"`
	// Node is where the pod went; empty if it lets the pod's gang go.
	Node string `json:"node"`
	Text string `json:"text"`
	// Places says that the pod has a node in the end, too, when all other pending pods take their turns; Effect is the verdict on that,
	// and Command evaluates it.
	Places bool `json:"places"`
	// Needless says that the pod has a node in the end without the change, too.
	Needless bool `json:"needless,omitempty"`
	// ByTies says that the pod has a node only if ties between equally good nodes fall as they do with the command.
	ByTies  bool   `json:"byTies,omitempty"`
	Effect  string `json:"effect"`
	Command string `json:"command"`
}

// PluginResult is what a plugin returned for the pod as a whole, or for one node.
type PluginResult struct {
	Point   string   `json:"extensionPoint"`
	Plugin  string   `json:"plugin"`
	Code    string   `json:"code"`
	Reasons []string `json:"reasons,omitempty"`
}

// Passes reports whether the plugin rejects nothing.
func (r *PluginResult) Passes() bool { return r.Code == "Success" || r.Code == "Skip" }

// ScoredNode is a node with its score.
type ScoredNode struct {
	Node  string `json:"node"`
	Score int64  `json:"score"`
}

// ScorePair has one plugin's weighted scores of the winner and the runner-up.
type ScorePair struct {
	Plugin   string `json:"plugin"`
	Winner   int64  `json:"winner"`
	RunnerUp int64  `json:"runnerUp"`
}

// NodeVerdict is what every plugin said of one node.
type NodeVerdict struct {
	Node     string         `json:"node"`
	Examined bool           `json:"examined"`
	Feasible bool           `json:"feasible"`
	Filters  []PluginResult `json:"filters"`
	Scores   []Scored       `json:"scores"`
	Total    int64          `json:"total"`
	// KeptSince is the generation of the node for which its verdict is kept; 0 if it is not.
	KeptSince int64 `json:"keptSince,omitempty"`
	// Devices are those that the node reaches, with the reason against each of the pod's claims.
	Devices any `json:"devices,omitempty"`
}

// Scored is a plugin's score of a node.
type Scored struct {
	Plugin     string `json:"plugin"`
	Raw        int64  `json:"raw"`
	Normalized int64  `json:"normalized"`
	Weight     int64  `json:"weight"`
	Weighted   int64  `json:"weighted"`
}
