package engine

import (
	"cmp"
	"iter"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/devices"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/gangs"
	"orrery/core/scheduler/queue"
	"orrery/core/scheduler/reuse"
	"orrery/core/scheduler/store"
	"orrery/core/scheduler/volumes"
	"orrery/core/world"
)

// Features are the feature gates of the configuration.
func (e *Engine) Features() config.Features { return e.config.Features }

// Queue returns a read-only view of the scheduling queue.
func (e *Engine) Queue() queue.View { return e.queue }

// RequeueRule is the rule by which failed pods are requeued.
func (e *Engine) RequeueRule() queue.RequeueRule { return e.options.RequeueRule }

// ExtendersUnasked reports whether the configuration's extenders are not called.
func (e *Engine) ExtendersUnasked() bool { return e.options.ExtendersUnasked }

// Unread reports whether there is no right to read a kind.
func (e *Engine) Unread(kind world.Kind) bool { return slices.Contains(e.options.Unread, kind) }

// Shadows reports whether another scheduler binds the pods.
func (e *Engine) Shadows() bool { return e.options.Shadow }

// Store returns a read-only view of all objects.
func (e *Engine) Store() store.View { return e.store }

// Cache returns a read-only view of the node cache.
func (e *Engine) Cache() cache.View { return e.cache }

// Devices returns the state of devices, to be read only.
func (e *Engine) Devices() *devices.State { return e.devices }

// Gangs returns the state of pod groups, to be read only.
func (e *Engine) Gangs() *gangs.State { return e.gangs }

// Volumes returns the state of volumes and claims, to be read only.
func (e *Engine) Volumes() *volumes.State { return e.volumes }

// Snapshot returns the snapshot of the last decision.
func (e *Engine) Snapshot() cache.SnapshotView { return e.snapshot }

// StartIndex is the index in the node order at which the next search begins.
func (e *Engine) StartIndex() int { return e.startIndex }

// Profiles lists the profiles' scheduler names in the order of the configuration.
func (e *Engine) Profiles() []string { return e.profileNames }

// Decisions iterates over the log, the newest decision first.
func (e *Engine) Decisions() iter.Seq[*Decision] { return e.decisions.newestFirst() }

// DecisionCount is the number of decisions in the log.
func (e *Engine) DecisionCount() int { return len(e.decisions.ring) }

// LastDecision is the Seq of the latest decision; zero before the first.
func (e *Engine) LastDecision() uint64 { return e.lastSeq }

// PodTransitions lists a pod's queue transitions, in order, as far back as the journal goes.
func (e *Engine) PodTransitions(uid types.UID) []queue.Transition { return e.journal.Of(uid) }

// ChangedFeatureGates lists the feature gates that are not at their defaults, as in "A=true".
func (e *Engine) ChangedFeatureGates() []string { return e.config.Features.Changed() }

// RecentTransitions iterates over the latest queue transitions, the newest first. They are the engine's own.
func (e *Engine) RecentTransitions() iter.Seq[*queue.Transition] { return e.journal.Newest() }

// LastPodTransitions returns at most the last n transitions of a pod, the oldest first. They are the engine's own.
func (e *Engine) LastPodTransitions(uid types.UID, n int) []queue.Transition {
	return e.journal.Last(uid, n)
}

// QueueDepths appends the number of queued pods at the end of each of the last queue.DepthSeconds seconds, the oldest
// first.
func (e *Engine) QueueDepths(into []float64) []float64 {
	return e.queueDepths.Until(e.now.Unix(), into)
}

// ReuseStats counts what all profiles reused of earlier cycles.
func (e *Engine) ReuseStats() reuse.Stats {
	var sum reuse.Stats
	for _, name := range e.profileNames {
		sum = sum.Plus(e.profiles[name].ReuseStats())
	}
	return sum
}

// Profile returns the profile of a scheduler name, to be read only, or nil.
func (e *Engine) Profile(name string) *framework.Profile { return e.profiles[name] }

func (e *Engine) Counters() Counters { return e.counters }

// Counters counts what the engine has done since it was made.
type Counters struct {
	// Decisions by verdict.
	Decisions [Skipped + 1]uint64
	// Bound and BindingsFailed count how bindings ended.
	Bound, BindingsFailed uint64
	// Inputs counts all inputs, Refused those that were malformed or contradictory.
	Inputs, Refused uint64
	// Problems counts the errors that no input caused.
	Problems uint64
}

// BindingInFlight is a binding that has not ended.
type BindingInFlight struct {
	Pod   world.PodRef
	Node  string
	Stage string
	// Attempt counts the pod's attempts, including the one that placed it.
	Attempt int
	// Since is when the pod was placed; Waiting are the Permit plugins that have not allowed it yet.
	Since   time.Time
	Waiting []string
	// Objects are those that a PreBind plugin waits for, such as claims to be bound, until Deadline; the binding then fails.
	Objects  []framework.ObjectKey
	Deadline time.Time
}

// Bindings lists the bindings in flight, the oldest first.
func (e *Engine) Bindings() []BindingInFlight { return e.BindingsFrom(0, len(e.bindings)) }

// BindingCount is the number of bindings in flight.
func (e *Engine) BindingCount() int { return len(e.bindings) }

// WaitingCount is how many of them wait on Permit.
func (e *Engine) WaitingCount() int { return e.waiting.Len() }

// BindingsFrom returns at most n of Bindings, from index first on.
func (e *Engine) BindingsFrom(first, n int) []BindingInFlight {
	if first >= len(e.bindings) || n <= 0 {
		return nil
	}
	all := make([]*binding, 0, len(e.bindings))
	for _, b := range e.bindings {
		all = append(all, b)
	}
	queue.SortWindow(all, first, n, func(a, b *binding) int {
		return cmp.Or(a.since.Compare(b.since), cmp.Compare(a.assumed.Namespace, b.assumed.Namespace),
			cmp.Compare(a.assumed.Name, b.assumed.Name), cmp.Compare(a.assumed.UID, b.assumed.UID))
	})
	list := make([]BindingInFlight, 0, min(n, len(all)-first))
	for _, b := range all[first:min(first+n, len(all))] {
		u := BindingInFlight{Pod: world.PodRefOf(b.assumed), Node: b.node, Stage: b.stage.String(), Attempt: b.popped.GetAttempts(), Since: b.since}
		if waiting := e.waiting.Get(b.assumed.UID); waiting != nil {
			u.Waiting = waiting.GetPendingPlugins()
		}
		if wait, waits := e.objectWaits.waits[b.assumed.UID]; waits {
			u.Objects, u.Deadline = wait.Objects, wait.Until
		}
		list = append(list, u)
	}
	return list
}

// PodState is the state of a pod over its whole life.
type PodState string

// The states of a pod of one of the profiles. A pod is in exactly one of them at any time.
const (
	StateActive        PodState = "active"
	StateScheduling    PodState = "scheduling" // in an attempt that waits for extenders
	StateBackoff       PodState = "backoff"
	StateUnschedulable PodState = "unschedulable"
	StateGated         PodState = "gated"
	StateWaiting       PodState = "waiting"
	StateBinding       PodState = "binding"
	StateBound         PodState = "bound"
	StateGone          PodState = "gone"
)

// queued reports whether a pod in this state is in the queue.
func (p PodState) queued() bool {
	return p == StateActive || p == StateBackoff || p == StateUnschedulable || p == StateGated
}

// PodState returns a pod's state. An attempt that asks no extender begins and ends within one Step.
func (e *Engine) PodState(namespace, name string) PodState {
	pod := e.store.Pod(namespace, name)
	if pod == nil {
		return StateGone
	}
	if assigned(pod) {
		return StateBound
	}
	if b := e.bindings[pod.UID]; b != nil {
		if b.stage == waitingForPermit {
			return StateWaiting
		}
		return StateBinding
	}
	if e.unconfirmed(pod) {
		return StateBound
	}
	if a := e.suspended; a != nil && a.pod.UID == pod.UID {
		return StateScheduling
	}
	switch e.queue.StateOf(namespace, name) {
	case queue.Active:
		return StateActive
	case queue.Backoff, queue.ErrorBackoff:
		return StateBackoff
	case queue.Unschedulable:
		return StateUnschedulable
	case queue.Gated:
		return StateGated
	}
	return StateGone
}

// unconfirmed reports whether a pod's binding has succeeded before the pod's update with its node has arrived.
func (e *Engine) unconfirmed(pod *v1.Pod) bool {
	assumed, err := e.cache.IsAssumedPod(pod)
	return err == nil && assumed && e.bindings[pod.UID] == nil
}

// Nodes iterates over the nodes in the order of the last decision's snapshot.
func (e *Engine) Nodes() iter.Seq[fwk.NodeInfo] {
	list, _ := e.snapshot.NodeInfos().List()
	return slices.Values(list)
}
