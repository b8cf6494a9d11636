package period

import (
	"time"
)

// Report is what a stretch of a recording came to. Times are in UTC.
type Report struct {
	// From and To are the stretch.
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
	// Pods are those that came or waited in it.
	Pods Pods `json:"pods"`
	// Decisions are the attempts, by verdict.
	Decisions map[string]int `json:"decisions"`
	Objective Objective      `json:"objective"`
	// Owners are those whose pods waited longest, all their pods together.
	Owners     []Owner    `json:"owners"`
	MoreOwners int        `json:"moreOwners"`
	Preempted  []Pair     `json:"preemptions"`
	Evicted    []Eviction `json:"evictions"`
	Changes    []Change   `json:"changes"`
	// MoreChanges counts those that are left out.
	MoreChanges int      `json:"moreChanges"`
	Samples     []Sample `json:"samples"`
}

// Pods counts pods.
type Pods struct {
	// Came were created in the stretch, Bound were bound, and Waiting have no node at its end.
	Came    int `json:"came"`
	Bound   int `json:"bound"`
	Waiting int `json:"waiting"`
	// Preempted and Evicted had to go, Gone went otherwise.
	Preempted int `json:"preempted"`
	Evicted   int `json:"evicted"`
	Gone      int `json:"gone"`
}

// Owner is a workload whose pods waited.
type Owner struct {
	Namespace string `json:"namespace"`
	Owner     string `json:"owner"`
	// Pods are those that came or waited, Waiting those of them without a node at the end.
	Pods    int `json:"pods"`
	Waiting int `json:"waiting"`
	// Waited is the time from creation to binding of all of them, Longest that of one pod.
	Waited  float64 `json:"waitedSeconds"`
	Longest float64 `json:"longestSeconds"`
	// Attempts are all of theirs.
	Attempts int `json:"attempts"`
	// Excluded is why most of its waiting does not count for the objective.
	Excluded Exclusion `json:"excluded,omitempty"`
	// Causes are what held them, longest first.
	Causes []Cause `json:"causes"`
	// Pod is the one that waited longest, to be explained; At is when it waited last.
	Pod string    `json:"pod"`
	At  time.Time `json:"at"`
}

// Cause is what held pods of one owner.
type Cause struct {
	Plugin string `json:"plugin"`
	// Reason is that of the most nodes in the last decision in which the plugin rejected most.
	Reason  string  `json:"reason,omitempty"`
	Seconds float64 `json:"seconds"`
}

// Pair is a workload that preempted another.
type Pair struct {
	Preemptor string    `json:"preemptor"`
	Priority  int32     `json:"priority"`
	Victim    string    `json:"victim"`
	Victims   int       `json:"victims"`
	First     time.Time `json:"first"`
	Last      time.Time `json:"last"`
}

// Eviction is pods of one workload that were evicted for one reason.
type Eviction struct {
	Owner  string    `json:"owner"`
	Reason string    `json:"reason"`
	Pods   int       `json:"pods"`
	First  time.Time `json:"first"`
	Last   time.Time `json:"last"`
}

// Change is something that was changed in the cluster or in the scheduler.
type Change struct {
	At   time.Time `json:"at"`
	What string    `json:"what"`
	Of   string    `json:"of,omitempty"`
	// Times counts the same change of more things, at the same time.
	Times int `json:"times,omitempty"`
}

// Sample is the cluster at one time.
type Sample struct {
	At time.Time `json:"at"`
	// The pods without a node.
	Active        int `json:"active"`
	Backoff       int `json:"backoff"`
	Unschedulable int `json:"unschedulable"`
	Gated         int `json:"gated"`
	// Bound, Failed and Displaced are since the sample before: pods that were bound, attempts without a node, and pods that were preempted or evicted.
	Bound     int `json:"bound"`
	Failed    int `json:"failed"`
	Displaced int `json:"displaced"`
	Nodes     int `json:"nodes"`
	// CPU and Memory are the requested shares of all nodes.
	CPU    float64 `json:"cpu"`
	Memory float64 `json:"memory"`
	// Fragmented is the share of the room for the most frequent shape of pods that is in pieces too small for it.
	Fragmented float64 `json:"fragmented"`
}

// Pending is all pods without a node.
func (s *Sample) Pending() int { return s.Active + s.Backoff + s.Unschedulable + s.Gated }

// The bounds of a report.
const (
	//orrery:limit answers; owners in a report of a time range, those that waited longest; the others are counted
	maxOwners = 25
	//orrery:limit answers; causes of an owner in a report of a time range; the others are left out
	maxCauses = 3
	//orrery:limit answers; changes in a report of a time range; the later ones are counted
	maxChanges = 100
	//orrery:limit answers; pairs of preemptions, and kinds of evictions, in a report of a time range; the others are left out
	maxPairs = 50
	// Samples is how many times the cluster is looked at in a report.
	//
	//orrery:limit answers; moments in a report of a time range at which the cluster is looked at; there are no more
	Samples = 60
)
