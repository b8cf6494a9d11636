package framework

import (
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/devices"
	"orrery/core/scheduler/gangs"
	"orrery/core/scheduler/reuse"
	"orrery/core/scheduler/volumes"
	"orrery/core/world"
)

// Emitter lets a plugin change the cluster. A plugin of kube-scheduler starts a goroutine that calls the API; here the end
// of such a call could not be replayed, so the plugin emits an effect, goes on, and receives the outcome as an
// [EffectHandler].
//
// The handle given to a plugin implements it (h.(framework.Emitter)). kube-scheduler's does not; hosted there, a plugin
// calls the API itself.
type Emitter interface {
	// Emit requests an act on behalf of a plugin and returns the effect's number; 0 if the profile belongs to no engine,
	// so that nothing will be done.
	Emit(act world.Action, plugin string) world.EffectID
}

// Rand gives a plugin random numbers that a replay repeats. The handle given to a plugin implements it
// (h.(framework.Rand)); the numbers come from the engine's seed.
type Rand interface {
	// IntN is a number in [0, n). It is 0 when the profile belongs to no engine.
	IntN(n int) int
}

// Clock tells a plugin the time of the engine's last input, which a replay repeats. The handle given to a plugin implements it
// (h.(framework.Clock)).
type Clock interface {
	Now() time.Time
}

// ObjectChanges tells a plugin that keeps what it computed from objects which of them changed since. The handle given to a
// plugin implements it (h.(framework.ObjectChanges)). kube-scheduler's does not, and its listers change at any time; hosted
// there, a plugin computes everything anew.
type ObjectChanges interface {
	// ObjectChanges returns the names of the objects of a kind that were added, changed or deleted since an earlier call
	// returned since; and what to pass to the next call. If known is false, as at the first call, with 0, any object may have
	// changed. Objects change between scheduling cycles only.
	ObjectChanges(kind world.Kind, since uint64) (names []types.NamespacedName, now uint64, known bool)
}

// MemoryPreemption lets a plugin preempt a pod that has its node in this scheduler's memory only, without deleting it. The handle given to
// a plugin implements it (h.(framework.MemoryPreemption)).
type MemoryPreemption interface {
	// PreemptInMemory ends the binding of a pod that waits for a permit, or whose PreBind plugins run: the pod is queued again. It returns
	// false for any other pod, such as one whose Bind plugins run, and if the profile belongs to no engine.
	PreemptInMemory(uid types.UID, plugin string) bool
	// ActivateAfterCycle activates a pod when the present scheduling cycle, which may be its own, has ended.
	ActivateAfterCycle(pod *v1.Pod)
}

// EffectHandler is implemented by plugins that use [Emitter]. Their state about pending effects must be plain data, no
// closure and no channel, so that the engine can be copied meanwhile.
type EffectHandler interface {
	fwk.Plugin
	// EffectDone receives the outcome of an effect that this plugin emitted. It is called between scheduling cycles.
	EffectDone(id world.EffectID, act world.Action, outcome world.Outcome)
}

// Binder is a Bind plugin that can return the binding it would make. The engine emits that binding as an effect and goes on
// with the next pod; it calls other Bind plugins, which may block.
type Binder interface {
	fwk.BindPlugin
	Binding(pod *v1.Pod, node string) world.Bind
}

// StepwisePreBind is a PreBind plugin that does not block: it says what is to be written, or which objects have to change,
// and goes on when that has happened. No goroutine waits in between, and the engine can be forked at any time. What the
// plugin has done so far is in the cycle's state.
type StepwisePreBind interface {
	fwk.PreBindPlugin
	// PreBindStep goes on with a PreBind. outcome is that of the action it asked for last; it is nil at the first step, and
	// when an object has changed or the wait is over.
	PreBindStep(state fwk.CycleState, pod *v1.Pod, node string, now time.Time, outcome *world.Outcome) PreBindStep
}

// PreBindStep is what a PreBind needs to go on. Without an action and without a wait it has ended, with the status.
type PreBindStep struct {
	Status *fwk.Status
	Action world.Action
	Wait   *ObjectWait
}

// ObjectWait waits for a change of any of the objects, or for a time.
type ObjectWait struct {
	Objects []ObjectKey
	Until   time.Time
}

// ObjectKey names an object of a kind.
type ObjectKey struct {
	Kind            world.Kind
	Namespace, Name string
}

// VolumeState is implemented by the handle given to a plugin: it has the engine's state of volumes and claims. It is nil
// if the profile belongs to no engine.
type VolumeState interface {
	Volumes() *volumes.State
}

// DeviceState is implemented by the handle given to a plugin: it has the engine's state of devices. It is nil if the profile
// belongs to no engine.
type DeviceState interface {
	Devices() *devices.State
}

// GangState is implemented by the handle given to a plugin: it has the engine's state of pod groups. It is nil if the profile
// belongs to no engine.
type GangState interface {
	Gangs() *gangs.State
}

// GroupGate is a PreEnqueue plugin that decides about groups of pods; see queue.GroupGate.
type GroupGate interface {
	fwk.PreEnqueuePlugin
	GateGroup(pod *v1.Pod) any
}

// Forker is implemented by plugins that keep state between scheduling cycles. A forked engine has new plugins, and each
// Forker copies the state of its original. The two must share nothing that either may change.
type Forker interface {
	fwk.Plugin
	// ForkFrom copies the state of old, the plugin of the same name and type in the original engine.
	ForkFrom(old fwk.Plugin)
}

// NodeLocal is implemented by plugins whose verdict on a node can be reused until that node changes. Such a plugin promises, for
// Filter and Score with the state that its own PreFilter and PreScore wrote for the pod:
//
//   - the verdict follows from what the plugin appends to the pod's signature and from the given NodeInfo alone: not from other
//     nodes, the lists of nodes given to PreFilter and PreScore, other API objects, or the time; but see [NodeCountScore];
//   - so for two pods with equal signatures, and one node in one generation, the code and the reasons of Filter are equal,
//     and so is the raw score of Score, before normalisation;
//   - whether PreFilter and PreScore say Skip follows from the signature alone.
//
// Other plugins run every time. PodTopologySpread (counts other nodes' pods) cannot promise it; NodeAffinity and
// TaintToleration can.
type NodeLocal interface {
	fwk.Plugin
	// AppendSignature appends what the plugin's verdicts and scores depend on of a pod, after PreFilter. It returns false if
	// the promise does not hold for this pod.
	AppendSignature(to reuse.Signature, state fwk.CycleState, pod *v1.Pod) (reuse.Signature, bool)
}

// NodeCountScore is implemented by [NodeLocal] Score plugins whose score of some nodes also follows from how many nodes there are.
type NodeCountScore interface {
	NodeLocal
	// ScoreCountsNodes reports whether the score of a node does. That follows from what the score follows from otherwise.
	ScoreCountsNodes(pod *v1.Pod, node fwk.NodeInfo) bool
}

// Forgetful is implemented by plugins that keep what they computed for the next cycle. If nothing is to be reused, they are told to
// forget it before each. What such a plugin copies as a [Forker] it can compute again, so that it is not written with an engine's state.
type Forgetful interface {
	fwk.Plugin
	Forget()
}

// ScaledScore is implemented by [NodeLocal] Score plugins whose NormalizeScore is [ScaleScores], or 100 minus that. The framework
// then scales their scores without lists.
type ScaledScore interface {
	NodeLocal
	// Reversed reports whether the highest raw score becomes 0.
	Reversed() bool
}
