package views

import "time"

// Agreement is how the decisions of a cluster's scheduler compare with those that Orrery would have taken.
type Agreement struct {
	// Agreed decisions are as good as Orrery's, Explained ones would be but for an event that one of the two saw later, and
	// the others differ. Unschedulable is how many of all of them declared a pod unschedulable.
	Agreed, Explained, Differs, Unschedulable int64
	// Missed decisions nobody saw being made, and those about Others were other schedulers'. Neither is judged.
	Missed, Others int64
	// Predicted is how many pods Orrery has placed that the cluster's scheduler has not said anything about yet.
	Predicted int
	// List has the latest that are not plainly agreed with, the newest first.
	List List[Difference]
}

// Judged is how many decisions were compared.
func (a *Agreement) Judged() int64 { return a.Agreed + a.Explained + a.Differs }

// Rate is the share of them, from 0 to 1, that nothing speaks against.
func (a *Agreement) Rate() float64 {
	if a.Judged() == 0 {
		return 1
	}
	return float64(a.Agreed+a.Explained) / float64(a.Judged())
}

// Difference is one decision of the cluster's scheduler that Orrery would not have taken.
type Difference struct {
	Seq       uint64
	At        time.Time
	Pod       string
	Explained bool
	// Real is the node the pod got, empty if it was declared unschedulable; Ours are the best nodes, empty if none would do.
	Real, Ours string
	// Behind is by how much the real node's score is less than the best one's; Scored says that both have one.
	Behind int64
	Scored bool
	// Why is the one sentence that says most, Details what else there is to say.
	Why     string
	Details []string
	// Parts are what made the difference, plugin by plugin, the largest first.
	Parts []DifferencePart
}

// DifferencePart is by how much the best node was ahead by one plugin's score; negative where it was behind.
type DifferencePart struct {
	Plugin string
	Ahead  int64
}
