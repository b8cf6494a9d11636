package engine

import (
	"cmp"
	"iter"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/cache"
	"orrery/core/framework"
	"orrery/core/queue"
	"orrery/core/store"
	"orrery/core/world"
)

// Queue is the scheduling queue, to be read and not to be called otherwise.
func (e *Engine) Queue() *queue.Queue { return e.queue }

// Store holds every object the engine was told of, to be read.
func (e *Engine) Store() *store.Store { return e.store }

// Cache is what the engine believes of the nodes now, to be read.
func (e *Engine) Cache() *cache.Cache { return e.cache }

// Snapshot is what the last decision saw of the nodes.
func (e *Engine) Snapshot() *cache.Snapshot { return e.snapshot }

// StartIndex is where in the node order the next search begins.
func (e *Engine) StartIndex() int { return e.startIndex }

// Profiles lists the scheduler names the engine answers to, in the order of the configuration.
func (e *Engine) Profiles() []string { return e.order }

// Decisions goes through the log, the newest decision first.
func (e *Engine) Decisions() iter.Seq[*Decision] { return e.decisions.newestFirst() }

// DecisionCount is how many decisions the log holds, and LastDecision the number of the latest of all.
func (e *Engine) DecisionCount() int { return len(e.decisions.ring) }

// LastDecision is the number of the latest decision; zero before the first.
func (e *Engine) LastDecision() uint64 { return e.lastSeq }

// Journey is everything the queue did with a pod, in order, as far back as the journal reaches.
func (e *Engine) Journey(uid types.UID) []queue.Transition { return e.journal.Of(uid) }

// Moves goes through the latest moves of the pods in the queue, the newest first. They are the engine's own.
func (e *Engine) Moves() iter.Seq[*queue.Transition] { return e.journal.Newest() }

// Trail is the last moves of a pod, n at most, the oldest first. They are the engine's own.
func (e *Engine) Trail(uid types.UID, n int) []queue.Transition { return e.journal.Last(uid, n) }

// Depths appends how many pods waited at the end of each of the last queue.TideSeconds seconds, the oldest first.
func (e *Engine) Depths(into []float64) []float64 { return e.tide.Until(e.now.Unix(), into) }

// Profile is one of the profiles by its scheduler name, to be read; nil if there is none of that name.
func (e *Engine) Profile(name string) *framework.Profile { return e.profiles[name] }

// Tally is the count of everything since the engine was made.
func (e *Engine) Tally() Tally { return e.tally }

// Tally counts what the engine has done.
type Tally struct {
	// Decisions by verdict.
	Decisions [Skipped + 1]uint64
	// Bound and BindingsFailed count how bindings ended.
	Bound, BindingsFailed uint64
	// Inputs counts what the engine was told, Refused how much of it was malformed or contradictory.
	Inputs, Refused uint64
	// Problems counts errors met on the way that no input was to blame for.
	Problems uint64
}

// Underway is a binding that has not ended.
type Underway struct {
	Pod   world.Ref
	Node  string
	Stage string
	// Since is when the pod was placed; Waiting are the Permit plugins that have not agreed yet.
	Since   time.Time
	Waiting []string
}

// Bindings lists the bindings under way, the oldest first.
func (e *Engine) Bindings() []Underway { return e.BindingsFrom(0, len(e.bindings)) }

// BindingCount is how many bindings are under way.
func (e *Engine) BindingCount() int { return len(e.bindings) }

// BindingsFrom is that part of Bindings which begins at first, n of them at most.
func (e *Engine) BindingsFrom(first, n int) []Underway {
	if first >= len(e.bindings) || n <= 0 {
		return nil
	}
	all := make([]*binding, 0, len(e.bindings))
	for _, b := range e.bindings {
		all = append(all, b)
	}
	queue.Select(all, first, n, func(a, b *binding) int {
		return cmp.Or(a.since.Compare(b.since), cmp.Compare(a.assumed.Namespace, b.assumed.Namespace),
			cmp.Compare(a.assumed.Name, b.assumed.Name), cmp.Compare(a.assumed.UID, b.assumed.UID))
	})
	list := make([]Underway, 0, min(n, len(all)-first))
	for _, b := range all[first:min(first+n, len(all))] {
		u := Underway{Pod: world.RefOf(b.assumed), Node: b.node, Stage: b.stage.String(), Since: b.since}
		if waiting := e.waiting.Get(b.assumed.UID); waiting != nil {
			u.Waiting = waiting.GetPendingPlugins()
		}
		list = append(list, u)
	}
	return list
}

// Place is where a pod is, over its whole life.
type Place string

// The places of a pod that one of the profiles is asked to place. It is in exactly one of them at any time.
const (
	PlaceActive        Place = "active"
	PlaceBackoff       Place = "backoff"
	PlaceUnschedulable Place = "unschedulable"
	PlaceGated         Place = "gated"
	PlaceWaiting       Place = "waiting"
	PlaceBinding       Place = "binding"
	PlaceBound         Place = "bound"
	PlaceGone          Place = "gone"
)

// queued tells whether a pod there waits for an attempt.
func (p Place) queued() bool {
	return p == PlaceActive || p == PlaceBackoff || p == PlaceUnschedulable || p == PlaceGated
}

// Where tells where a pod is. A pod that is in the middle of its attempt is never seen: attempts begin and end within
// one Step.
func (e *Engine) Where(namespace, name string) Place {
	pod := e.store.Pod(namespace, name)
	if pod == nil {
		return PlaceGone
	}
	if assigned(pod) {
		return PlaceBound
	}
	if b := e.bindings[pod.UID]; b != nil {
		if b.stage == waitingForPermit {
			return PlaceWaiting
		}
		return PlaceBinding
	}
	if e.unconfirmed(pod) {
		return PlaceBound
	}
	switch e.queue.StateOf(namespace, name) {
	case queue.Active:
		return PlaceActive
	case queue.Backoff, queue.ErrorBackoff:
		return PlaceBackoff
	case queue.Unschedulable:
		return PlaceUnschedulable
	case queue.Gated:
		return PlaceGated
	}
	return PlaceGone
}

// unconfirmed tells whether a pod's binding has succeeded without the pod having been seen on its node yet.
func (e *Engine) unconfirmed(pod *v1.Pod) bool {
	assumed, err := e.cache.IsAssumedPod(pod)
	return err == nil && assumed && e.bindings[pod.UID] == nil
}

// Nodes goes through the nodes in the order in which the last decision saw them.
func (e *Engine) Nodes() iter.Seq[fwk.NodeInfo] {
	list, _ := e.snapshot.NodeInfos().List()
	return slices.Values(list)
}
