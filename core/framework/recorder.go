package framework

import (
	"time"

	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
)

// Recorder is told what every plugin says in one scheduling cycle. It is attached to that cycle's state, see
// [CycleState.SetRecorder]; clones of the state, which plugins make to try things out, do not carry it.
//
// With a Recorder, Filter plugins are still asked after the first one that rejects a node, so that all reasons can be
// shown. What comes of the cycle is the same with and without: the later verdicts are recorded and nothing else, and
// they count in no metric. Without one, recording costs a nil check per run.
type Recorder interface {
	// Said is called for every plugin call, in the order of the calls.
	Said(Verdict)
	// Scored is called once per node and Score plugin, node by node, after a run of all Score plugins that succeeded.
	Scored(NodeScored)
}

// Verdict is what one plugin said, once.
type Verdict struct {
	Point  Point
	Plugin string
	// Node is empty where a plugin speaks of no single node: PreFilter, PostFilter, PreScore, normalisation.
	Node string
	// Status is the plugin's own, before it was judged; nil is success. It must not be changed.
	Status *fwk.Status
	// Nodes are, for PreFilter, the only nodes worth looking at; nil stands for all.
	Nodes sets.Set[string]
	// WithNominated says that a Filter verdict counted in the pods nominated to the node.
	WithNominated bool
	// Nominating is what a PostFilter plugin wants to become of status.nominatedNodeName.
	Nominating *fwk.NominatingInfo
	// Timeout is how long a Permit plugin is ready to wait.
	Timeout time.Duration
}

// NodeScored is one plugin's score for one node, in its three forms.
type NodeScored struct {
	Plugin, Node    string
	Raw, Normalized int64
	Weight          int64
}

// Weighted is what the node's total was increased by.
func (s NodeScored) Weighted() int64 { return s.Normalized * s.Weight }

// Observer is told how long things took, one call per observation, ready for a histogram. It needs a stopwatch, see
// [Options].
type Observer interface {
	// PointTook: all plugins of one extension point, once per run. Filter is not among them: a search runs it once
	// per node, and whoever searches knows how long the search took.
	PointTook(profile string, point Point, code fwk.Code, took time.Duration)
	// PluginTook: one call of one plugin, in those cycles whose state says that plugins are to be measured; signing a
	// pod is always measured.
	PluginTook(profile string, point Point, plugin string, code fwk.Code, took time.Duration)
}

// Evaluations counts the calls of one plugin at one point since the profile was made. PreFilter and PreScore calls
// that ended in Skip are left out.
type Evaluations struct {
	Point  Point
	Plugin string
	Calls  uint64
}
