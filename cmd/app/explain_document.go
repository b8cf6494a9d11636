package app

import (
	"cmp"
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/answers/change"
	"orrery/core/answers/diagnose"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// explanationDocument is the result of explain: a pod's status and its diagnosis.
type explanationDocument struct {
	envelope
	Trace string `json:"trace"`
	// At is the requested time.
	At     moment    `json:"at"`
	Pod    podRef    `json:"pod"`
	Status podStatus `json:"status"`
	// Evaluated is the time of the diagnosis: for a placed pod that of its decision.
	Evaluated evaluatedAt `json:"evaluated"`
	diagnosisDocument
	// NodeVerdict is the verdict on the node of --node.
	NodeVerdict *nodeVerdict `json:"nodeVerdict,omitempty"`
	// Source is the cluster that was read; nil for a trace.
	Source *sourceDocument `json:"source,omitempty"`
	// Gang is the pod's, of which enough pods are bound together.
	Gang *gangDocument `json:"gang,omitempty"`
	// Leader is whether a scheduler leads; nil if that is not known.
	Leader *leaderDocument `json:"leader,omitempty"`
	Damage *damageDocument `json:"damage,omitempty"`

	lifecycle    diagnose.Lifecycle // as it is now
	today        string             // what would be decided about a pod that has its node
	finding      string             // the evaluation's result, below the headline
	notEvaluated string             // says of a pod that refers to what may not be read that it is not evaluated
	unled        string             // says of a pod that waits for a scheduler that none leads

	start, at time.Time
	created   time.Time
	fallback  string // says so if neither a trace nor a cluster was named
	verbose   bool   // the text has the scheduler's messages in full

	resourceVersion string // of the pod
}

type evaluatedAt struct {
	At moment `json:"at"`
	// AsDecided says that the diagnosis is of the decision that placed the pod, and not of the present.
	AsDecided bool `json:"asDecided"`

	at       time.Time
	position string
}

// diagnosisDocument is a diagnose.Diagnosis.
type diagnosisDocument struct {
	// Verdict is "placed" of a pod with a node, whatever would be decided today.
	Verdict string `json:"verdict"`
	// Today is what would be decided if a pod with a node had none; nil where the answer is as it was decided.
	Today *todayDocument `json:"today,omitempty"`
	// NotEvaluated are the kinds that the pod refers to and that may not be read.
	NotEvaluated []string `json:"notEvaluated,omitempty"`
	// Waiting says what the pod waits for besides its turn: its gates, or the victims on its nominated node.
	Waiting string `json:"waiting,omitempty"`
	Summary string `json:"summary"`
	Message string `json:"message,omitempty"`
	// UnknownExtenders would be asked and were not: what they say of the pod is unknown.
	UnknownExtenders []string `json:"unknownExtenders,omitempty"`

	Nodes nodeCounts `json:"nodes"`
	// Kept are the verdicts that need not be computed for the pod; nil if there are none.
	Kept          *keptVerdicts  `json:"kept,omitempty"`
	Reasons       []reason       `json:"reasons"`
	Remedies      []remedy       `json:"remedies"`
	PluginResults []pluginResult `json:"pluginResults"`
	// Storage is the chain from the pod over its claims to its volumes' nodes.
	Storage *diagnose.Storage `json:"storage,omitempty"`
	// Devices is the chain from the pod over its claims for devices to the nodes that have some.
	Devices *diagnose.Devices `json:"devices,omitempty"`
	// Preemption is the one that would be made, PreemptionFacts what was found on the nodes, with PreemptionEvidence.
	Preemption         *preemption          `json:"preemption,omitempty"`
	PreemptionFacts    []string             `json:"preemptionFacts,omitempty"`
	PreemptionEvidence *diagnose.Preemption `json:"preemptionEvidence,omitempty"`
	Winner             *scoredNode          `json:"winner,omitempty"`
	RunnerUp           *scoredNode          `json:"runnerUp,omitempty"`
	Scores             []scorePair          `json:"scores,omitempty"`
}

type nodeCounts struct {
	Total    int `json:"total"`
	Examined int `json:"examined"`
	Feasible int `json:"feasible"`
}

// keptVerdicts are those that were computed for earlier pods like this one, on nodes that have not changed since.
type keptVerdicts struct {
	Nodes            int   `json:"nodes"`
	OldestGeneration int64 `json:"oldestGeneration"`
	NewestGeneration int64 `json:"newestGeneration"`
	// Afresh are the Filter plugins that are called for every such pod all the same.
	Afresh []string `json:"afresh,omitempty"`
}

func newKeptVerdicts(k engine.Kept) *keptVerdicts {
	if k.Nodes == 0 {
		return nil
	}
	return &keptVerdicts{Nodes: k.Nodes, OldestGeneration: k.Oldest, NewestGeneration: k.Newest, Afresh: k.Afresh}
}

type reason struct {
	Plugin string `json:"plugin,omitempty"`
	Reason string `json:"reason"`
	Nodes  int    `json:"nodes,omitempty"`
	// OnlyBlockerOn is the number of nodes that only this reason rejects, Hint the change that those need.
	OnlyBlockerOn int    `json:"onlyBlockerOn,omitempty"`
	Hint          string `json:"hint,omitempty"`
	// Facts are the evidence in sentences, Evidence its structure, by plugin.
	Facts    []string          `json:"facts,omitempty"`
	Evidence diagnose.Evidence `json:"evidence,omitempty"`
}

// remedy is a change, or one or two moves of other pods, that places the pod, tried on a fork.
type remedy struct {
	Change string `json:"change"`
	Node   string `json:"node"`
	Text   string `json:"text"`
	// Places says that the pod has a node in the end, too, when all other pending pods take their turns; Effect is the
	// verdict on that, and Command evaluates it.
	Places bool `json:"places"`
	// Needless says that the pod has a node in the end without the change, too.
	Needless bool `json:"needless,omitempty"`
	// ByTies says that the pod has a node only if ties between equally good nodes fall as they do with the command.
	ByTies  bool   `json:"byTies,omitempty"`
	Effect  string `json:"effect"`
	Command string `json:"command"`
}

func newRemedy(again, node, text string, changes ...change.Change) remedy {
	return remedy{Change: change.Words(changes), Node: node, Text: text, Command: whatIfCommandFor(again, changes...)}
}

type pluginResult struct {
	Point   string   `json:"extensionPoint"`
	Plugin  string   `json:"plugin"`
	Code    string   `json:"code"`
	Reasons []string `json:"reasons,omitempty"`
}

type preemption struct {
	Node       string   `json:"node"`
	Victims    []podRef `json:"victims"`
	Violations int      `json:"pdbViolations"`
	Criterion  string   `json:"criterion,omitempty"`
}

type scoredNode struct {
	Node  string `json:"node"`
	Score int64  `json:"score"`
}

type scorePair struct {
	Plugin   string `json:"plugin"`
	Winner   int64  `json:"winner"`
	RunnerUp int64  `json:"runnerUp"`
}

type nodeVerdict struct {
	Node     string         `json:"node"`
	Examined bool           `json:"examined"`
	Feasible bool           `json:"feasible"`
	Filters  []pluginResult `json:"filters"`
	Scores   []scored       `json:"scores"`
	Total    int64          `json:"total"`
	// KeptSince is the generation of the node for which its verdict is kept; 0 if it is not.
	KeptSince int64 `json:"keptSince,omitempty"`
	// Devices are those that the node reaches, with the reason against each of the pod's claims.
	Devices []diagnose.DeviceOn `json:"devices,omitempty"`
}

type scored struct {
	Plugin     string `json:"plugin"`
	Raw        int64  `json:"raw"`
	Normalized int64  `json:"normalized"`
	Weight     int64  `json:"weight"`
	Weighted   int64  `json:"weighted"`
}

// explainAt explains a pod at the trace's position. For a placed pod it may go back to the decision.
func explainAt(s *openedAt, podName, node string) (*explanationDocument, error) {
	pod, err := findPod(s, podName)
	if err != nil {
		return nil, err
	}
	ref := world.PodRefOf(pod)
	if node != "" && s.Engine().Store().Node(node) == nil {
		var known []string
		for o := range s.Engine().Store().Objects(world.Node) {
			known = append(known, o.GetName())
		}
		return nil, fmt.Errorf("at %s of %s there is no node %q%s", timeText(s.at), s.trace, node, suggestion(node, known))
	}
	doc := newExplanation(s, pod)
	if err := doc.addGang(s, pod); err != nil {
		return nil, err
	}
	if record, recorded := s.lastPlacement(pod); recorded && doc.lifecycle.Node != "" && !bindingWaits(s.Engine(), ref) {
		at := s.Records()[record].At
		if err := s.SeekRecord(record); err != nil {
			return nil, err
		}
		doc.Evaluated = evaluatedAt{momentOf(at), true, at, offsetText(at.Sub(doc.start))}
	}
	d, err := diagnose.Pod(s.Engine(), ref)
	if err != nil {
		return nil, err
	}
	doc.diagnosisDocument = newDiagnosis(d, s.Engine().Store().Len(world.Node), s.again)
	doc.setOutcome(d)
	if doc.Evaluated.AsDecided {
		doc.Remedies = []remedy{}
	} else if err := doc.addRemedies(s, d); err != nil {
		return nil, err
	}
	if node != "" {
		doc.NodeVerdict = newNodeVerdict(d.Node(node))
		doc.NodeVerdict.Devices = d.Devices.On(node)
	}
	return doc, nil
}

// newExplanation returns what is so of a pod, before anything is evaluated.
func newExplanation(s *openedAt, pod *v1.Pod) *explanationDocument {
	lifecycle := diagnose.LifecycleOf(s.Engine(), pod)
	doc := &explanationDocument{
		envelope: document("Explanation"), Trace: s.trace, At: momentOf(s.at), Pod: refOf(world.PodRefOf(pod)), Leader: s.leader, Damage: s.damage, lifecycle: lifecycle,
		Status: podStatusOf(s.Engine(), pod, &lifecycle), Source: s.source, start: s.Start().Time, at: s.at, created: pod.CreationTimestamp.Time, resourceVersion: pod.ResourceVersion,
		Evaluated: evaluatedAt{momentOf(s.at), false, s.at, s.position},
	}
	if lifecycle.Phase == diagnose.PhasePending && !lifecycle.Leaves() && s.needsLeader(pod) {
		doc.unled = s.leader.none()
	}
	switch {
	case s.rate != nil:
		doc.Status.Queue = s.rate.positionOf(s.Engine(), pod)
	case s.source != nil:
		doc.Status.readConditions(pod)
	}
	if s.fallback {
		doc.fallback = s.fallbackText()
	}
	return doc
}

// addGang adds the diagnosis of the pod's gang as it is now, if it is of one.
func (d *explanationDocument) addGang(s *openedAt, pod *v1.Pod) error {
	g, err := diagnose.GangOfPod(s.Engine(), pod)
	if g == nil || err != nil {
		return err
	}
	d.Gang, err = newGang(s, g)
	return err
}

// newDiagnosis converts a diagnosis. Commands get the flags that ask the same source again.
func newDiagnosis(d *diagnose.Diagnosis, nodes int, again string) diagnosisDocument {
	doc := diagnosisDocument{
		Verdict: d.Decision.Verdict.String(), Waiting: d.Waiting, Summary: d.Summary, Message: d.Decision.Message,
		Nodes: nodeCounts{nodes, d.Examined, d.Feasible}, Kept: newKeptVerdicts(d.Kept),
		Reasons: []reason{}, Remedies: []remedy{}, PluginResults: newPluginResults(d.Statuses, ""),
		Storage: d.Storage, Devices: d.Devices, UnknownExtenders: d.Decision.Unknown,
	}
	for _, kind := range d.Unread {
		doc.NotEvaluated = append(doc.NotEvaluated, string(kind))
	}
	for i := range d.Reasons {
		doc.Reasons = append(doc.Reasons, newReason(&d.Reasons[i]))
	}
	if d.Eviction != nil {
		doc.PreemptionFacts, doc.PreemptionEvidence = d.Eviction.Facts(), d.Eviction
	}
	if p := d.Decision.Preemption; p != nil {
		doc.Preemption = &preemption{Node: p.Node, Violations: p.Violations, Criterion: string(p.By)}
		for _, victim := range p.Victims {
			doc.Preemption.Victims = append(doc.Preemption.Victims, refOf(world.PodRefOf(victim)))
		}
	}
	if d.Decision.Node != "" {
		doc.Winner = &scoredNode{d.Decision.Node, d.Decision.Score}
	}
	if d.Decision.RunnerUp != "" {
		doc.RunnerUp = &scoredNode{d.Decision.RunnerUp, d.Decision.RunnerUpScore}
	}
	for _, s := range d.Scores {
		doc.Scores = append(doc.Scores, scorePair(s))
	}
	return doc
}

func newReason(r *diagnose.Reason) reason {
	doc := reason{Plugin: r.Plugin, Reason: r.Message, Nodes: r.Nodes, OnlyBlockerOn: len(r.OnlyOn), Hint: r.Hint(), Evidence: r.Evidence}
	if r.Evidence != nil {
		doc.Facts = r.Evidence.Facts()
	}
	return doc
}

// newPluginResults converts plugin statuses; those without an extension point get the given one.
func newPluginResults(all []engine.PluginStatus, point string) []pluginResult {
	list := make([]pluginResult, len(all))
	for i, s := range all {
		list[i] = pluginResult{cmp.Or(s.Point, point), s.Plugin, s.Code.String(), s.Reasons}
	}
	return list
}

func newNodeVerdict(n *engine.NodeVerdict) *nodeVerdict {
	v := &nodeVerdict{
		Node: n.Node, Examined: n.Searched, Feasible: n.Feasible, Filters: newPluginResults(n.Statuses, "Filter"), Scores: []scored{}, Total: n.Total,
		KeptSince: n.Kept,
	}
	for _, s := range n.Scores {
		v.Scores = append(v.Scores, scored{s.Plugin, s.Raw, s.Normalized, s.Weight, s.Weighted()})
	}
	return v
}
