package table

import (
	"strconv"
	"time"
)

// Micros is a time in microseconds since 1970, which is what Parquet holds; zero is no time.
type Micros int64

func microsOf(t time.Time) Micros {
	if t.IsZero() {
		return 0
	}
	return Micros(t.UnixMicro())
}

// String is the time as in RFC 3339, always with six digits of a second, so that texts sort as times.
func (m Micros) String() string {
	return time.UnixMicro(int64(m)).UTC().Format("2006-01-02T15:04:05.000000Z")
}

// The columns of the tables. A column that is optional is empty, or null, where its value is zero. Those that are not made printable are JSON, whose
// strings are.
type (
	// Decision is a row of the table decisions: one for every scheduling attempt.
	Decision struct {
		Seq           int64  `parquet:"seq"`
		At            Micros `parquet:"time,timestamp(microsecond)"`
		Namespace     string `parquet:"namespace,dict"`
		Pod           string `parquet:"pod,dict"`
		UID           string `parquet:"uid,dict"`
		Owner         string `parquet:"owner,dict"`
		Profile       string `parquet:"profile,dict"`
		Priority      int32  `parquet:"priority"`
		Attempt       int32  `parquet:"attempt"`
		Verdict       string `parquet:"verdict,dict"`
		Node          string `parquet:"node,optional,dict"`
		Nominated     string `parquet:"nominated_node,optional,dict"`
		Victims       int32  `parquet:"victims"`
		Message       string `parquet:"message,optional,dict"`
		Plugin        string `parquet:"plugin,optional,dict"`
		Reason        string `parquet:"reason,optional,dict"`
		RejectedNodes int32  `parquet:"rejected_nodes"`
		Nodes         int32  `parquet:"nodes"`
		Examined      int32  `parquet:"examined"`
		Feasible      int32  `parquet:"feasible"`
		Score         int64  `parquet:"score"`
		RunnerUp      string `parquet:"runner_up,optional,dict"`
		RunnerUpScore int64  `parquet:"runner_up_score"`
		Rejections    string `parquet:"rejections,optional,dict" printable:"-"`
	}
	// Transition is a row of the table transitions: one for every time that a pod spent in one state.
	Transition struct {
		Namespace string  `parquet:"namespace,dict"`
		Pod       string  `parquet:"pod,dict"`
		UID       string  `parquet:"uid,dict"`
		Owner     string  `parquet:"owner,dict"`
		Number    int32   `parquet:"number"`
		State     string  `parquet:"state,dict"`
		Begin     Micros  `parquet:"began,timestamp(microsecond)"`
		End       Micros  `parquet:"ended,optional,timestamp(microsecond)"`
		Seconds   float64 `parquet:"seconds"`
		Event     string  `parquet:"event,optional,dict"`
		Plugins   string  `parquet:"plugins,optional,dict"`
		Attempt   int32   `parquet:"attempt"`
		Verdict   string  `parquet:"verdict,optional,dict"`
		Node      string  `parquet:"node,optional,dict"`
		Steps     string  `parquet:"steps,optional,dict" printable:"-"`
	}
	// Pod is a row of the table pods: one for every pod.
	Pod struct {
		Namespace     string  `parquet:"namespace,dict"`
		Pod           string  `parquet:"pod"`
		UID           string  `parquet:"uid"`
		Owner         string  `parquet:"owner,dict"`
		Scheduler     string  `parquet:"scheduler,dict"`
		Priority      int32   `parquet:"priority"`
		CPU           int64   `parquet:"cpu_millis"`
		Memory        int64   `parquet:"memory_bytes"`
		Others        string  `parquet:"other_requests,optional,dict" printable:"-"`
		Created       Micros  `parquet:"created,timestamp(microsecond)"`
		Bound         Micros  `parquet:"bound,optional,timestamp(microsecond)"`
		Started       Micros  `parquet:"started,optional,timestamp(microsecond)"`
		Ended         Micros  `parquet:"ended,optional,timestamp(microsecond)"`
		Ending        string  `parquet:"ending,optional,dict"`
		State         string  `parquet:"state,dict"`
		Node          string  `parquet:"node,optional,dict"`
		OnNode        bool    `parquet:"placed_before"`
		Attempts      int32   `parquet:"attempts"`
		Preempting    int32   `parquet:"preemptions"`
		Failed        int32   `parquet:"failed_bindings"`
		Unrecorded    float64 `parquet:"unrecorded_s"`
		Gated         float64 `parquet:"gated_s"`
		Queued        float64 `parquet:"queued_s"`
		Backoff       float64 `parquet:"backoff_s"`
		Unschedulable float64 `parquet:"unschedulable_s"`
		Attempting    float64 `parquet:"attempt_s"`
		Permit        float64 `parquet:"permit_s"`
		Binding       float64 `parquet:"binding_s"`
		Elsewhere     float64 `parquet:"elsewhere_s"`
		Starting      float64 `parquet:"starting_s"`
		Running       float64 `parquet:"running_s"`
		HeldBy        string  `parquet:"held_by,optional,dict"`
		HeldFor       float64 `parquet:"held_s"`
	}
	// Node is a row of the table nodes: one for every node.
	Node struct {
		Node          string `parquet:"node"`
		UID           string `parquet:"uid"`
		Zone          string `parquet:"zone,optional,dict"`
		Region        string `parquet:"region,optional,dict"`
		InstanceType  string `parquet:"instance_type,optional,dict"`
		Came          Micros `parquet:"came,timestamp(microsecond)"`
		Left          Micros `parquet:"left,optional,timestamp(microsecond)"`
		CPU           int64  `parquet:"cpu_millis"`
		Memory        int64  `parquet:"memory_bytes"`
		MaxPods       int64  `parquet:"max_pods"`
		Others        string `parquet:"other_allocatable,optional,dict" printable:"-"`
		Unschedulable bool   `parquet:"unschedulable"`
		Taints        string `parquet:"taints,optional,dict"`
		Bound         int32  `parquet:"pods_bound"`
		Pods          int32  `parquet:"pods_at_end"`
		Most          int32  `parquet:"pods_most"`
	}
)

// Names are the tables, in the order in which they are written.
var Names = []string{"decisions", "pods", "nodes", "transitions"}

// float writes a number of seconds with as few digits as say it.
func float(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
