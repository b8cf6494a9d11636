package pressure

import (
	"cmp"
	"maps"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/evict"
	"orrery/core/objects/saturating"
	"orrery/core/world"
)

// The periods of syncs and status updates, and the wait for an evicted pod: polled every second, at most half a minute.
const (
	syncPeriod     = 10 * time.Second
	statusPeriod   = 10 * time.Second
	cleanupPoll    = time.Second
	cleanupTimeout = 30 * time.Second
	minKillTime    = 10 * time.Second
)

// hardGraceSeconds is the grace period of a hard eviction, and of one for the pod's own limits.
const hardGraceSeconds = 1

// Options configure a Kubelet.
type Options struct {
	Node          string
	Configuration Configuration
	Layout        Layout
	// Start is the time of the first sync.
	Start time.Time
	// Predict is true if a real kubelet acts, and this one only predicts it.
	Predict bool
}

// phase is the current activity of a kubelet.
type phase uint8

const (
	idle            phase = iota // until the next sync
	awaitingReclaim              // waits for the measurements after reclaiming
	killingPods                  // waits for a pod to stop
	awaitingCleanup              // waits for the evicted pods to be gone
)

// Kubelet evicts the pods of one node. Its inputs are pods and measurements, its output actions.
type Kubelet struct {
	options    Options
	thresholds []Threshold // memory first, then the hard ones
	record     *evict.Record

	pods    map[types.UID]*v1.Pod
	stopped map[types.UID]bool
	summary *Summary

	phase phase
	// wake is the next sync or the end of a wait; zero if that does not depend on time.
	wake, lastSync time.Time

	syncState
	evictionRound
	memoryNotifier

	// reportAt is when the node's status is written next, zero if it is up to date.
	reportAt time.Time
	reported []v1.NodeConditionType
	// nextVictim is the pod that the record has as the next victim.
	nextVictim types.UID
	actions    []TimedAction
}

// New returns a kubelet before its first sync. It fails for invalid thresholds.
func New(o Options, record *evict.Record) (*Kubelet, error) {
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
		options: o, thresholds: all, record: record,
		pods: map[types.UID]*v1.Pod{}, stopped: map[types.UID]bool{},
		wake: o.Start, lastSync: o.Start.Add(-syncPeriod), reportAt: o.Start,
		syncState: syncState{firstMet: make([]time.Time, len(all)), unresolved: make([]bool, len(all))},
	}, nil
}

// Apply takes in pods and ticks.
func (k *Kubelet) Apply(in world.Input) {
	switch event := in.Event.(type) {
	case world.Changed:
		if pod, ok := event.Object.(*v1.Pod); ok {
			k.advance(in.At)
			k.podChanged(in.At, pod, event.Op == world.Deleted)
		}
	case world.Listed:
		if event.Kind == world.Pod {
			k.advance(in.At)
			k.podsListed(in.At, event.Objects)
		}
	case world.Tick:
		k.advance(in.At.Add(1))
	}
}

func (k *Kubelet) podsListed(at time.Time, objects []world.Object) {
	there := map[types.UID]bool{}
	for _, o := range objects {
		if pod, ok := o.(*v1.Pod); ok {
			there[pod.UID] = true
			k.podChanged(at, pod, false)
		}
	}
	for _, pod := range k.sorted() {
		if !there[pod.UID] {
			k.podChanged(at, pod, true)
		}
	}
}

// podChanged takes in a pod. A pod deleted from the API is gone.
func (k *Kubelet) podChanged(at time.Time, pod *v1.Pod, deleted bool) {
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
	k.resume(at)
}

// Observe sets the current measurements.
func (k *Kubelet) Observe(at time.Time, s *Summary) {
	k.advance(at)
	was := k.summary
	k.summary = s
	k.resume(at)
	if k.phase == idle && k.notified(was, s) {
		wake, looked := k.wake, k.lastSync
		k.sync(at)
		if k.phase == idle && wake.After(at) {
			k.wake, k.lastSync = wake, looked
		}
	}
}

// Reclaimed answers [ReclaimResources] with the measurements afterwards, nil if they are not known.
func (k *Kubelet) Reclaimed(at time.Time, s *Summary) {
	k.advance(at)
	if s != nil {
		k.summary = s
	}
	if k.phase == awaitingReclaim {
		k.afterReclaim(at, s)
	}
}

// Stopped records that an evicted pod's containers have stopped.
func (k *Kubelet) Stopped(at time.Time, pod types.UID) {
	k.advance(at)
	if _, known := k.pods[pod]; known {
		k.stopped[pod] = true
	}
	if k.phase == killingPods && k.victim == pod {
		k.killNext(at)
	}
}

// Gone records that an evicted pod has stopped and that its resources on the node are free.
func (k *Kubelet) Gone(at time.Time, pod types.UID) {
	k.Stopped(at, pod)
	if k.terminating[pod] {
		k.terminating[pod] = false
		k.recordPhase(at, pod, evict.Evicted)
	}
}

// NextWake returns the time of the next sync, end of a wait, or status update.
func (k *Kubelet) NextWake() (time.Time, bool) {
	at := k.wake
	if at.IsZero() || !k.reportAt.IsZero() && k.reportAt.Before(at) {
		at = k.reportAt
	}
	return at, !at.IsZero()
}

// Effects is empty: a kubelet's actions are not effects of a scheduler. See [Kubelet.Actions].
func (k *Kubelet) Effects() []world.Effect { return nil }

// Actions returns the actions since the last call.
func (k *Kubelet) Actions() []TimedAction {
	actions := k.actions
	k.actions = nil
	return actions
}

// Conditions returns the conditions that hold, by name.
func (k *Kubelet) Conditions() []v1.NodeConditionType { return slices.Clone(k.conditions) }

func (k *Kubelet) emit(at time.Time, act Action) { k.actions = append(k.actions, TimedAction{at, act}) }

// advance runs the timers that were due before a time, the sync before the status update.
func (k *Kubelet) advance(at time.Time) {
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
	case killingPods:
		k.killNext(now)
	case awaitingCleanup:
		k.pollGone(now)
	default:
		k.sync(now)
	}
}

// resume schedules the next sync of an idle kubelet without a timer, since something has changed.
func (k *Kubelet) resume(at time.Time) {
	if k.phase == idle && k.wake.IsZero() {
		k.wake = nextOnGrid(k.lastSync, syncPeriod, at)
	}
}

// nextOnGrid returns the first of the times after start, a period apart, that is not before at.
func nextOnGrid(start time.Time, period time.Duration, at time.Time) time.Time {
	if !at.After(start) {
		return start.Add(period)
	}
	return saturating.NextTick(start, period, at)
}

// active returns the running pods, by namespace and name.
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

// report writes the node's status, if it has changed.
func (k *Kubelet) report(now time.Time) {
	k.reportAt = time.Time{}
	k.reported = slices.Clone(k.conditions)
	k.emit(now, StatusWritten{k.Conditions()})
}

// Fork returns an independent copy that writes on the given record.
func (k *Kubelet) Fork(record *evict.Record) *Kubelet {
	f := *k
	f.record = record
	f.pods, f.stopped, f.terminating = maps.Clone(k.pods), maps.Clone(k.stopped), maps.Clone(k.terminating)
	f.firstMet, f.unresolved = slices.Clone(k.firstMet), slices.Clone(k.unresolved)
	f.lastMet, f.observations = maps.Clone(k.lastMet), maps.Clone(k.observations)
	f.queue, f.marks, f.actions = slices.Clone(k.queue), slices.Clone(k.marks), slices.Clone(k.actions)
	return &f
}
