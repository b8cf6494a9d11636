package framework

import (
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/world"
)

// Actor lets a plugin have something done in the world. A plugin of kube-scheduler starts a goroutine that calls the
// API; here the call would have to end at a moment nobody can repeat, so the plugin asks and goes on, and hears of the
// end as [Outcomes].
//
// The handle given to a plugin implements it (h.(framework.Actor)). A plugin hosted by kube-scheduler does not find it
// there, and calls the API itself.
type Actor interface {
	// Act asks for an act on behalf of a plugin and returns its number. The number is 0 when nothing will be done,
	// because the profile belongs to no engine.
	Act(act world.Act, plugin string) world.EffectID
}

// Dice lets a plugin leave a choice to chance without making decisions unrepeatable. The handle given to a plugin
// implements it (h.(framework.Dice)); what it draws comes from the engine's seed.
type Dice interface {
	// Draw is a number from 0 up to, but not including, n. It is 0 when the profile belongs to no engine.
	Draw(n int) int
}

// Outcomes is implemented by plugins that use [Actor]. What they remember of an act that is under way must be plain
// data, no closure and no channel, so that an engine can be copied while it lasts.
type Outcomes interface {
	fwk.Plugin
	// Ended tells how an act that this plugin asked for has ended. It is called between scheduling cycles.
	Ended(id world.EffectID, act world.Act, outcome world.Outcome)
}

// Binder is a Bind plugin that can say which binding it would make instead of making it. The engine then asks the
// world for that binding and goes on with the next pod; a Bind plugin without it is called and may block.
type Binder interface {
	fwk.BindPlugin
	Binding(pod *v1.Pod, node string) world.Bind
}

// Forker is implemented by plugins that remember something from one scheduling cycle to the next. When an engine is
// copied its plugins are made afresh, and each Forker takes over what its original remembers. The two must share
// nothing that either may change.
type Forker interface {
	fwk.Plugin
	// ForkFrom copies what old remembers; old is the plugin of the same name and type in the original engine.
	ForkFrom(old fwk.Plugin)
}

// NodeLocal marks a plugin whose verdict on a node can be kept until that node changes. It promises, of Filter and
// Score alike and with the state that the plugin's own PreFilter and PreScore have left for the pod:
//
//   - the answer follows from the pod's signature fragments (see [fwk.SignPlugin]) and from the given NodeInfo alone: not
//     from other nodes, the lists of nodes given to PreFilter and PreScore, other API objects, or the time;
//   - so for two pods with equal fragments, and one node in one generation, the code and the reasons of Filter are equal,
//     and so is the raw score of Score, before normalisation;
//   - whether PreFilter and PreScore say Skip follows from the fragments alone.
//
// A plugin without it is asked every time. VolumeBinding (reads volumes), ImageLocality (counts nodes) and
// PodTopologySpread (counts other nodes' pods) cannot promise it; NodeAffinity and TaintToleration can.
type NodeLocal interface {
	fwk.SignPlugin
	NodeLocal()
}
