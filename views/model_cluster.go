package views

import "time"

// Snapshot is what the scheduler believes of the nodes.
type Snapshot struct {
	Generation int64
	Nodes      int
	Changed    int // by the last refresh
	Taken      time.Time
	// Drift says in words where the belief differs from the cluster, if they were Compared; empty if nowhere.
	Drift    string
	Compared bool
	// Heat has a cell for every node, by zone.
	Heat []HeatZone
	// Recent are the nodes that changed last, the latest first; List all of them.
	Recent []NodeRow
	List   List[NodeRow]
}

// HeatZone is the nodes of a zone in their order.
type HeatZone struct {
	Name  string
	Cells []HeatCell
}

// HeatCell is one node: how much of it is allocated, from 0 to 255, and what is particular about it.
type HeatCell struct {
	Level uint8
	Flags NodeFlags
}

// NodeFlags is what is particular about a node.
type NodeFlags uint8

// The flags.
const (
	Changed NodeFlags = 1 << iota // by the last refresh
	Fading                        // not long ago
	Cordoned
	NotReady
	Pressed // short of memory, disk or process IDs
)

// NodeRow is one node.
type NodeRow struct {
	Name, Zone  string
	Key         string
	Generation  int64
	Flags       NodeFlags
	CPU, Memory Amount
	Pods        Amount
	Taints      string
	// Affine pods here have affinity or anti-affinity to others, Repelling ones must not be beside others; Claims are
	// the volume claims in use, Ports the host ports, Images those that were pulled.
	Affine, Repelling, Claims, Ports, Images int
}

// Amount is how much of something is used, as a fraction and in words such as "3.2" of "8".
type Amount struct {
	Fraction   float64
	Used, Most string
}

// NodeDetail is one node and what is on it.
type NodeDetail struct {
	Row       NodeRow
	Resources []Resource
	Facts     []Fact
	// Images are those that were pulled, the largest first.
	Images []NodeImage
	Pods   List[NodePod]
}

// NodeImage is an image on a node, and on how many nodes it is.
type NodeImage struct {
	Name, Size string
	Nodes      int
}

// Resource is one of a node's resources.
type Resource struct {
	Name string
	Amount
}

// NodePod is a pod on a node.
type NodePod struct {
	Name, Key   string
	State       PodState
	Priority    int32
	CPU, Memory string
	// Affine says that it has affinity or anti-affinity to other pods, Claims how many volume claims it uses.
	Affine bool
	Claims int
}

// Zones is the order in which nodes are looked at, and how far the last search got.
type Zones struct {
	Nodes int
	Start int // where the next search begins
	// Examined, Feasible and Rejected are what the last search found; Pod is whom it was for.
	Pod                          string
	Examined, Feasible, Rejected int
	Chosen, ChosenKey            string
	// Lanes are the zones. The cell in column c of a lane is the zone's node of round FirstRound+c.
	FirstRound, Rounds int
	HandLane, HandCol  int // where Start is
	Lanes              []Lane
	// Searches are the latest searches, the newest first.
	Searches []Search
}

// Lane is one zone.
type Lane struct {
	Zone  string
	Nodes int
	Cells []LaneCell
	// Feasible and Rejected are what the last search made of the zone's nodes, as far as it is known of each; Allocated is
	// how much of them is allocated in the mean.
	Feasible, Rejected int
	Allocated          float64
}

// Search is one way round the nodes: from Start on so many were Examined, until enough were Feasible.
type Search struct {
	At                               time.Time
	Pod                              string
	Start, Examined, Feasible, Nodes int
	// Chosen is the node that the pod went to, empty for none, and Place where it stands in the order.
	Chosen string
	Place  int
}

// LaneCell is what the last search made of a node.
type LaneCell uint8

// The cells. LookedAt is a node whose own verdict was not kept.
const (
	NoNode LaneCell = iota
	NotLookedAt
	LookedAt
	Feasible
	Rejected
	ChosenOne
)

// Leader is who leads and how safely.
type Leader struct {
	Holder string
	Leads  bool // the holder is this one
	// Acquired and Renewed are of the present holder. It loses the lease Lease after Renewed if it does not renew again;
	// it gives up by itself after Deadline, and tries every Retry.
	Acquired, Renewed      time.Time
	Lease, Deadline, Retry time.Duration
	// Beats are the times between the last renewals, oldest first.
	Beats       []time.Duration
	Transitions int
	Changes     []LeaderChange
	Candidates  []Candidate
	// Skew is how far clocks may run apart in speed, as a ratio such as 1.5, and Seen how far they are at least.
	Skew, Seen float64
	// Strategy is how the control plane chooses who leads, empty where the candidates compete. Preferred is who it wants to
	// lead next.
	Strategy, Preferred string
	// Others are the cluster's other leases that somebody stands for.
	Others []OtherLease
	// State is "held", "free", "expired" or "absent". Takeover is when another may take over at the earliest if there is
	// no renewal; Overlap says that two may believe that they lead.
	State    string
	Takeover time.Time
	Overlap  string
}

// OtherLease is one that schedulers do not stand for: a controller's, as a rule.
type OtherLease struct {
	Name, Holder string
	// Expires is when the holder loses the lease if it does not renew it.
	Expires     time.Time
	Transitions int
}

// LeaderChange is the lease's passing from one to another. Lease is which, if it is one of the others.
type LeaderChange struct {
	Lease    string
	At       time.Time
	From, To string
	Why      string
}

// Candidate is one who would lead. Announced are those that have told the control plane, the present leader included.
type Candidate struct {
	Name, Note string
	Announced  bool
}
