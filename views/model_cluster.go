package views

import "time"

// Reuse is what the search knew from earlier pods of the same kinds.
type Reuse struct {
	Share   float64 // of the verdicts and scores that it needed
	Kinds   int     // of pods that are kept, in a number of bytes
	Bytes   string
	Evicted int // kinds that made room for others
}

// Snapshot is the scheduler's snapshot of the nodes.
type Snapshot struct {
	Generation int64
	Nodes      int
	Changed    int // by the last refresh
	Taken      time.Time
	Behind     int // nodes that changed, came or left since the last refresh
	// Drift describes where the snapshot differs from the cluster, if Compared; empty if nowhere.
	Drift    string
	Compared bool
	// Heat has a cell for every node, by zone.
	Heat []HeatZone
	// Troubled are nodes that are not ready, under pressure or cordoned, the gravest first, and Recent those that changed last,
	// the latest first: both as they are now, not as in the snapshot.
	Troubled, Recent []NodeRow
	// List are the snapshot's nodes.
	List List[NodeRow]
	// Capacity is what the nodes have free now; nil if none takes pods.
	Capacity *Capacity
	// Reuse is nil while nothing is kept.
	Reuse *Reuse
}

// Capacity is what the ready nodes that take pods have free: Used of each amount is free, of Most. The largest pod that fits, by cpu,
// requests PodCPU and PodMemory, and goes to PodNode.
type Capacity struct {
	CPU, Memory                Amount
	PodCPU, PodMemory, PodNode string
}

// HeatZone holds the nodes of a zone in snapshot order.
type HeatZone struct {
	Name  string
	Cells []HeatCell
}

// HeatCell is one node: how much of it is allocated, from 0 to 255, and its flags.
type HeatCell struct {
	Level uint8
	Flags NodeFlags
}

// NodeFlags are notable states of a node.
type NodeFlags uint8

// The flags.
const (
	Changed NodeFlags = 1 << iota // by the last refresh
	Fading                        // changed not long ago
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
	// Affine counts pods with affinity or anti-affinity to other pods, Repelling those with required anti-affinity;
	// Claims the volume claims in use, Ports the host ports, Images the images on the node.
	Affine, Repelling, Claims, Ports, Images int
	PodCount                                 int
	Labels                                   map[string]string
}

// Amount is how much of something is used, as a fraction and as text such as "3.2" of "8".
type Amount struct {
	Fraction   float64
	Used, Most string
}

// NodeDetail is one node and what is on it.
type NodeDetail struct {
	Row       NodeRow
	Resources []Resource
	Facts     []Fact
	// Images are the images on the node, the largest first.
	Images []NodeImage
	// Owners are those of the pods on the node, the ones that request most of it first.
	Owners []NodeOwner
	Pods   List[NodePod]
}

// NodeOwner is the controller of pods on a node. Share is how much of the node they request, of cpu or memory, whichever is more.
type NodeOwner struct {
	Name        string
	Pods        int
	CPU, Memory string
	Share       float64
}

// NodeImage is an image on a node; Nodes is how many nodes have it.
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
	// Affine means that the pod has affinity or anti-affinity to other pods, Claims is how many volume claims it uses.
	Affine                bool
	Claims                int
	MilliCPU, MemoryBytes int64
	Labels                map[string]string
}

// Zones is the order in which searches visit the nodes, and how far the last search got.
type Zones struct {
	Nodes int
	Start int // the next start index
	// Taken is when the order was read last, and Behind how many nodes have changed since.
	Taken  time.Time
	Behind int
	// Examined, Feasible and Rejected are the counts of the last search; Pod is the pod it was for.
	Pod                          string
	Examined, Feasible, Rejected int
	Chosen, ChosenKey            string
	// Lanes are the zones, Passes is the length of the longest one.
	Lanes  []Lane
	Passes int
	// StartLane and StartPass are where Start is.
	StartLane, StartPass int
	// WindowPass is the pass in which the last search began, WindowPasses in how many passes it examined nodes; after the
	// last pass comes the first.
	WindowPass, WindowPasses int
	// Searches are the latest searches, the newest first.
	Searches []Search
}

// Lane is one zone.
type Lane struct {
	Zone  string
	Nodes int
	Cells []LaneCell
	// Feasible and Rejected are the last search's results on the zone's nodes, as far as they are known; Allocated is
	// the zone's mean allocation.
	Feasible, Rejected int
	Allocated          float64
}

// Search is one search: from index Start it Examined that many nodes, until enough were Feasible.
type Search struct {
	At                               time.Time
	Pod                              string
	Start, Examined, Feasible, Nodes int
	// Chosen is the node that the pod went to, empty for none, and Place its index in the order.
	Chosen string
	Place  int
}

// LaneCell is the last search's result on a node.
type LaneCell uint8

// The cells. Visited is a node whose own result was not kept.
const (
	NoNode LaneCell = iota
	NotVisited
	Visited
	Feasible
	Rejected
	Chosen
)

// Leader is who leads and how safely.
type Leader struct {
	Holder string
	IsSelf bool // this process is the holder
	// Acquired and Renewed are of the present holder. It loses the lease at Renewed+Lease if it does not renew; it
	// stops leading after Deadline (renewDeadline), and retries every Retry (retryPeriod).
	Acquired, Renewed      time.Time
	Lease, Deadline, Retry time.Duration
	// RenewIntervals are the intervals between the last renewals, oldest first.
	RenewIntervals []time.Duration
	Transitions    int
	History        []LeaderTransition
	Candidates     []Candidate
	// MaxClockSkew is the ratio of clock speeds that is still safe, such as 1.5; ObservedClockSkew is the least ratio
	// seen.
	MaxClockSkew, ObservedClockSkew float64
	// Strategy is how the control plane chooses the leader, empty without coordinated election. Preferred is the candidate
	// it has chosen to lead next.
	Strategy, Preferred string
	// Others are the cluster's other leases that have candidates.
	Others []OtherLease
	// State is "held", "free", "expired" or "absent". FailoverAt is the earliest time of a takeover without a renewal;
	// Overlap means that two may believe they lead.
	State      string
	FailoverAt time.Time
	Overlap    string
	// Pending is how many pods have no node, and LastBound when a pod last got one; zero if that is too long ago to be known.
	Pending   int
	LastBound time.Time
}

// OtherLease is a lease that is not a scheduler's, such as a controller's.
type OtherLease struct {
	Name, Holder string
	// Expires is when the holder loses the lease if it does not renew it.
	Expires     time.Time
	Transitions int
}

// LeaderTransition is a change of a lease's holder. Lease names it if it is one of the others.
type LeaderTransition struct {
	Lease    string
	At       time.Time
	From, To string
	Why      string
}

// Candidate is a candidate for the lease. Announced ones have a LeaseCandidate, the present leader included.
type Candidate struct {
	Name, Note string
	Announced  bool
}
