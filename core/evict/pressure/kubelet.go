package pressure

import (
	"cmp"
	"maps"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/evict"
	"orrery/core/world"
)

// How often a kubelet looks at its node and writes its node's status, and how long it waits for a pod that it evicted:
// it is asked every second whether it is gone, and taken for gone after half a minute.
const (
	syncPeriod     = 10 * time.Second
	statusPeriod   = 10 * time.Second
	cleanupPoll    = time.Second
	cleanupTimeout = 30 * time.Second
	leastKillTime  = 10 * time.Second
)

// hardGraceSeconds is how long a pod may take to stop for a hard threshold, or for its own limits.
const hardGraceSeconds = 1

// Options say which kubelet it is.
type Options struct {
	Node          string
	Configuration Configuration
	Layout        Layout
	// Start is when it looks for the first time.
	Start time.Time
	// Predict says that the real kubelet is at work, and this one only foretells it.
	Predict bool
}

// phase is what a kubelet is busy with.
type phase uint8

const (
	resting    phase = iota // until the next look
	reclaiming              // waits to be told what is left after throwing things away
	killing                 // waits for a pod to stop
	cleaning                // waits for what it evicted to be gone
)

// Kubelet decides about the pods of one node. It is told what happens and what is measured, and says what it does.
type Kubelet struct {
	options    Options
	thresholds []Threshold // memory first, then the hard ones
	board      *evict.Board

	pods    map[types.UID]*v1.Pod
	stopped map[types.UID]bool
	summary *Summary

	phase phase
	// wake is when it looks again or stops waiting; zero if that does not depend on time. looked is its last look.
	wake, looked time.Time

	judgement
	round
	notices

	// reportAt is when the node's status is written next, zero if it says what holds.
	reportAt time.Time
	reported []v1.NodeConditionType
	// next is the pod that the board says is next to go.
	next types.UID
	said []Said
}

var _ evict.Controller = (*Kubelet)(nil)

// New is a kubelet that has not looked yet. It fails for thresholds that make no sense.
func New(o Options, board *evict.Board) (*Kubelet, error) {
	configured, err := o.Configuration.Thresholds()
	if err != nil {
		return nil, err
	}
	all, _ := OnLayout(configured, o.Layout)
	slices.SortStableFunc(all, func(a, b Threshold) int {
		return cmp.Or(
			firstIf(a.Signal.Resource() == v1.ResourceMemory, b.Signal.Resource() == v1.ResourceMemory),
			firstIf(a.Hard(), b.Hard()), cmp.Compare(a.Signal.rank(), b.Signal.rank()))
	})
	return &Kubelet{
		options: o, thresholds: all, board: board,
		pods: map[types.UID]*v1.Pod{}, stopped: map[types.UID]bool{},
		wake: o.Start, looked: o.Start.Add(-syncPeriod), reportAt: o.Start,
		judgement: judgement{first: make([]time.Time, len(all)), unresolved: make([]bool, len(all))},
	}, nil
}

// Apply tells of a pod, or only that time has passed.
func (k *Kubelet) Apply(in world.Input) {
	switch event := in.Event.(type) {
	case world.Changed:
		if pod, ok := event.Object.(*v1.Pod); ok {
			k.before(in.At)
			k.hear(in.At, pod, event.Op == world.Deleted)
		}
	case world.Listed:
		if event.Kind == world.Pod {
			k.before(in.At)
			k.hearAll(in.At, event.Objects)
		}
	case world.Passed:
		k.before(in.At.Add(1))
	}
}

func (k *Kubelet) hearAll(at time.Time, objects []world.Object) {
	there := map[types.UID]bool{}
	for _, o := range objects {
		if pod, ok := o.(*v1.Pod); ok {
			there[pod.UID] = true
			k.hear(at, pod, false)
		}
	}
	for _, pod := range k.sorted() {
		if !there[pod.UID] {
			k.hear(at, pod, true)
		}
	}
}

// hear takes note of a pod. One that is not in the API any more has gone.
func (k *Kubelet) hear(at time.Time, pod *v1.Pod, deleted bool) {
	if pod.Spec.NodeName != k.options.Node {
		return
	}
	if deleted {
		k.Gone(at, pod.UID)
		delete(k.pods, pod.UID)
		delete(k.stopped, pod.UID)
		return
	}
	k.pods[pod.UID] = pod
	k.stir(at)
}

// Observe tells what is measured from now on.
func (k *Kubelet) Observe(at time.Time, s *Summary) {
	k.before(at)
	was := k.summary
	k.summary = s
	k.stir(at)
	if k.phase == resting && k.notified(was, s) {
		wake, looked := k.wake, k.looked
		k.sync(at)
		if k.phase == resting && wake.After(at) {
			k.wake, k.looked = wake, looked
		}
	}
}

// Reclaimed answers [Reclaiming]: what is measured afterwards, nil if that is not known.
func (k *Kubelet) Reclaimed(at time.Time, s *Summary) {
	k.before(at)
	if s != nil {
		k.summary = s
	}
	if k.phase == reclaiming {
		k.afterReclaim(at, s)
	}
}

// Stopped tells that an evicted pod's containers have stopped.
func (k *Kubelet) Stopped(at time.Time, pod types.UID) {
	k.before(at)
	if _, known := k.pods[pod]; known {
		k.stopped[pod] = true
	}
	if k.phase == killing && k.victim == pod {
		k.killNext(at)
	}
}

// Gone tells that an evicted pod has stopped and that what it held on the node is free again.
func (k *Kubelet) Gone(at time.Time, pod types.UID) {
	k.Stopped(at, pod)
	if k.leaving[pod] {
		k.leaving[pod] = false
		k.write(at, pod, evict.Left)
	}
}

// NextWake is when it looks again, stops waiting, or writes the node's status.
func (k *Kubelet) NextWake() (time.Time, bool) {
	at := k.wake
	if at.IsZero() || !k.reportAt.IsZero() && k.reportAt.Before(at) {
		at = k.reportAt
	}
	return at, !at.IsZero()
}

// Effects is empty: no effect of a scheduler says what a kubelet does. See [Kubelet.Says].
func (k *Kubelet) Effects() []world.Effect { return nil }

// Says hands over what the kubelet has done since the last call.
func (k *Kubelet) Says() []Said {
	said := k.said
	k.said = nil
	return said
}

// Conditions are those that hold, by name.
func (k *Kubelet) Conditions() []v1.NodeConditionType { return slices.Clone(k.conditions) }

func (k *Kubelet) say(at time.Time, act Act) { k.said = append(k.said, Said{at, act}) }

// before lets the timers go off that were due before a time, the look before the report.
func (k *Kubelet) before(at time.Time) {
	for {
		due, ok := k.NextWake()
		switch {
		case !ok || !due.Before(at):
			return
		case k.wake.Equal(due):
			k.tick(due)
		default:
			k.report(due)
		}
	}
}

func (k *Kubelet) tick(now time.Time) {
	switch k.phase {
	case killing:
		k.killNext(now)
	case cleaning:
		k.pollGone(now)
	default:
		k.sync(now)
	}
}

// stir ends a rest without a timer: something is new, and the next look will see it.
func (k *Kubelet) stir(at time.Time) {
	if k.phase == resting && k.wake.IsZero() {
		k.wake = onGrid(k.looked, syncPeriod, at)
	}
}

// onGrid is the first of the times from start on, a period apart, that is not before at; start itself does not count.
func onGrid(start time.Time, period time.Duration, at time.Time) time.Time {
	if !at.After(start) {
		return start.Add(period)
	}
	n := (at.Sub(start) + period - 1) / period
	return start.Add(n * period)
}

// active are the pods that run, by namespace and name.
func (k *Kubelet) active() []*v1.Pod {
	return slices.DeleteFunc(k.sorted(), func(pod *v1.Pod) bool {
		return k.stopped[pod.UID] || pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed
	})
}

func (k *Kubelet) sorted() []*v1.Pod {
	return slices.SortedFunc(maps.Values(k.pods), func(a, b *v1.Pod) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name), cmp.Compare(a.UID, b.UID))
	})
}

// report writes the node's status, if it says anything new.
func (k *Kubelet) report(now time.Time) {
	k.reportAt = time.Time{}
	k.reported = slices.Clone(k.conditions)
	k.say(now, Reported{k.Conditions()})
}

// Fork is a copy that goes its own way, and writes on the board given.
func (k *Kubelet) Fork(board *evict.Board) *Kubelet {
	f := *k
	f.board = board
	f.pods, f.stopped, f.leaving = maps.Clone(k.pods), maps.Clone(k.stopped), maps.Clone(k.leaving)
	f.first, f.unresolved = slices.Clone(k.first), slices.Clone(k.unresolved)
	f.lastMet, f.seen = maps.Clone(k.lastMet), maps.Clone(k.seen)
	f.queue, f.marks, f.said = slices.Clone(k.queue), slices.Clone(k.marks), slices.Clone(k.said)
	return &f
}
