package framework

import (
	"time"

	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
)

// Recorder receives what every plugin returns in one scheduling cycle. It is attached to that cycle's state, see
// [CycleState.SetRecorder]; clones of the state, which plugins make for dry runs, do not have it.
//
// With a Recorder, Filter plugins still run after the first one that rejects a node, so that all reasons can be shown. The
// outcome of the cycle is the same: the later results are recorded only, and count in no metric. Without a Recorder, it
// costs a nil check per run.
type Recorder interface {
	// RecordResult is called for every plugin call, in the order of the calls.
	RecordResult(PluginResult)
	// RecordScore is called once per node and Score plugin, node by node, after a run of all Score plugins that succeeded.
	RecordScore(ScoreResult)
}

// PluginResult is what one plugin returned from one call.
type PluginResult struct {
	Point  Point
	Plugin string
	// Node is empty for PreFilter, PostFilter, PreScore and NormalizeScore.
	Node string
	// Status is the plugin's own; nil is success. It must not be changed.
	Status *fwk.Status
	// Nodes are, for PreFilter, the only nodes to search; nil means all.
	Nodes sets.Set[string]
	// WithNominated says that Filter ran with the pods nominated to the node.
	WithNominated bool
	// Nominating is the change of status.nominatedNodeName that a PostFilter plugin returned.
	Nominating *fwk.NominatingInfo
	// Timeout is how long a Permit plugin lets the pod wait.
	Timeout time.Duration
}

// ScoreResult is one plugin's score for one node, in its three forms.
type ScoreResult struct {
	Plugin, Node    string
	Raw, Normalized int64
	Weight          int64
}

// Weighted is the part of the node's total.
func (s ScoreResult) Weighted() int64 { return s.Normalized * s.Weight }

// Timing is how long one plugin call took or, with an empty Plugin, the run of all plugins of an extension point. Filter
// has no run here: a search runs it once per node, and the engine times the search. Single calls are timed in the cycles
// whose state is set to record them; signing a pod is always timed.
type Timing struct {
	Profile  string
	Point    Point
	Plugin   string
	Code     fwk.Code
	Duration time.Duration
}
