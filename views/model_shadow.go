package views

import "time"

// Agreement compares the decisions of a cluster's scheduler with those of Orrery.
type Agreement struct {
	// Agreed decisions are as good as Orrery's, Explained ones differ only by an event that one of the two saw later,
	// and the others differ. Unschedulable counts the decisions among them that declared a pod unschedulable.
	Agreed, Explained, Differs, Unschedulable int64
	// Missed decisions were not observed, and Others are about other schedulers' pods. Neither are compared.
	Missed, Others int64
	// Predicted is how many pods Orrery has placed and the cluster's scheduler has not decided yet.
	Predicted int
	// Recorded means that only the unexplained differences are known, those that were marked while they were recorded.
	Recorded bool
	// List are the latest decisions that are not Agreed, the newest first.
	List List[Difference]
}

// Compared returns how many decisions were compared.
func (a *Agreement) Compared() int64 { return a.Agreed + a.Explained + a.Differs }

// Rate returns the share of decisions that agree or are explained, from 0 to 1.
func (a *Agreement) Rate() float64 {
	if a.Compared() == 0 {
		return 1
	}
	return float64(a.Agreed+a.Explained) / float64(a.Compared())
}

// Difference is one decision of the cluster's scheduler that Orrery would have made differently.
type Difference struct {
	Seq       uint64
	At        time.Time
	Pod       string
	Explained bool
	// Actual is the pod's node, empty if it was declared unschedulable; Best are Orrery's best nodes, empty if none is
	// feasible.
	Actual, Best string
	// ScoreGap is the best node's score minus the actual node's; Scored means that both have one.
	ScoreGap int64
	Scored   bool
	// Reason is the main cause in one sentence, Details are further sentences. Told means that the reason tells all that is known.
	Reason  string
	Details []string
	Told    bool
	// Parts are the score differences by plugin, the largest first.
	Parts []DifferencePart
}

// DifferencePart is the best node's lead by one plugin's score; negative where it was behind.
type DifferencePart struct {
	Plugin string
	Ahead  int64
}
