package queue

import (
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/cache"
)

// Pod is a pod and its life in the queue. It implements fwk.QueuedPodInfo. The queue owns it while the pod waits; from
// Pop to AddUnschedulableIfNotPresent it is its scheduler's.
type Pod struct {
	key      types.NamespacedName
	pod      *v1.Pod
	info     *cache.PodInfo // made when first asked for
	priority int32

	accounting cache.Accounting

	timestamp         time.Time
	backoffExpiration time.Time
	initialAttempt    *time.Time

	attempts           int
	unschedulableCount int
	consecutiveErrors  int

	unschedulable, pending sets.Set[string]
	rejectors              []string // both sets, sorted; never changed in place
	gate                   string
	gateEvents             []fwk.ClusterEvent

	state State // as last recorded
	place State // what the queue's structures hold it in
	since time.Time
	event string

	stamp    uint64 // order of the timestamps, finer than any clock
	parkedAs uint64 // order of parking
	picked   uint64 // the last move that looked at it
	turn     int    // place in the line of parked pods
	at       [slots]int
	seats    []seat
	age      *podHeap // the heap of parked pods that it is in
	profile  *profile
	flight   types.UID // identity that it was popped under, while in flight
}

var _ fwk.QueuedPodInfo = (*Pod)(nil)

func (q *Queue) newPod(pod *v1.Pod) *Pod {
	p := &Pod{timestamp: q.now, stamp: q.nextStamp(), accounting: q.opts.Accounting}
	p.set(pod)
	p.profile = q.profiles[pod.Spec.SchedulerName]
	return p
}

func (q *Queue) nextStamp() uint64 {
	q.stamps++
	return q.stamps
}

func (p *Pod) set(pod *v1.Pod) {
	p.key = types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}
	p.pod, p.info = pod, nil
	p.priority = corev1helpers.PodPriority(pod)
}

// Pod is the object as the queue last saw it.
func (p *Pod) Pod() *v1.Pod { return p.pod }

// Update takes a newer copy of the object. It is for pods in flight: others are updated through the queue.
func (p *Pod) Update(pod *v1.Pod) { p.set(pod) }

// Reject says which plugins turned the pod down in this attempt, and which of them wait for something that they know
// will come. It replaces what was said before, and is for pods in flight. With no plugin at all, the attempt counts as
// an error. The sets are not changed.
func (p *Pod) Reject(unschedulable, pending sets.Set[string]) {
	p.unschedulable, p.pending = unschedulable, pending
	p.rejectors = sorted(unschedulable, pending)
}

// blame adds a gating plugin to those that turned the pod down; it tells whether that is news.
func (p *Pod) blame(plugin string) bool {
	if !p.unschedulable.Has(plugin) {
		p.unschedulable = p.unschedulable.Clone() // it may be the diagnosis of the last attempt
		if p.unschedulable == nil {
			p.unschedulable = sets.New[string]()
		}
		p.unschedulable.Insert(plugin)
	}
	if slices.Contains(p.rejectors, plugin) {
		return false
	}
	p.rejectors = sorted(p.unschedulable, p.pending)
	return true
}

func sorted(a, b sets.Set[string]) []string {
	if len(a)+len(b) == 0 {
		return nil
	}
	names := make([]string, 0, len(a)+len(b))
	for name := range a {
		names = append(names, name)
	}
	for name := range b {
		names = append(names, name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// identity is the UID or, for a pod that has none, a name that no UID can be.
func identity(pod *v1.Pod) types.UID {
	if pod.UID != "" {
		return pod.UID
	}
	return types.UID("\x00" + pod.Namespace + "/" + pod.Name)
}

// Clone is a copy that shares only what never changes: for a fork's pods that have left the queue.
func (p *Pod) Clone() *Pod {
	c := *p
	c.seats, c.age, c.profile = nil, nil, nil
	return &c
}

// State is where the pod is.
func (p *Pod) State() State { return p.state }

// Since is when the pod came to where it is, and Event the label of what brought it there.
func (p *Pod) Since() time.Time { return p.since }

// Event is the label of what brought the pod to where it is.
func (p *Pod) Event() string { return p.event }

// Priority is the pod's priority.
func (p *Pod) Priority() int32 { return p.priority }

// Rejectors are the plugins that turned the pod down or gate it, sorted; not to be changed.
func (p *Pod) Rejectors() []string { return p.rejectors }

// GetPodInfo is the pod with what scheduling needs precomputed.
func (p *Pod) GetPodInfo() fwk.PodInfo {
	if p.info == nil {
		// An unparsable affinity term is the API server's to refuse; what could be parsed is scheduled by.
		p.info, _ = p.accounting.NewPodInfo(p.pod)
	}
	return p.info
}

// GetTimestamp is when the pod was created here, or last failed.
func (p *Pod) GetTimestamp() time.Time { return p.timestamp }

// GetAttempts counts the attempts, the present one included.
func (p *Pod) GetAttempts() int { return p.attempts }

// GetBackoffExpiration is when the back-off of the last failure runs out.
func (p *Pod) GetBackoffExpiration() time.Time { return p.backoffExpiration }

// GetUnschedulableCount counts the attempts that plugins turned down.
func (p *Pod) GetUnschedulableCount() int { return p.unschedulableCount }

// GetConsecutiveErrorsCount counts the attempts since the last that did not end in an error.
func (p *Pod) GetConsecutiveErrorsCount() int { return p.consecutiveErrors }

// GetInitialAttemptTimestamp is when the pod first came into activeQ, so that time spent gated does not count; nil before.
func (p *Pod) GetInitialAttemptTimestamp() *time.Time { return p.initialAttempt }

// GetUnschedulablePlugins are the plugins that turned the pod down; not to be changed.
func (p *Pod) GetUnschedulablePlugins() sets.Set[string] { return p.unschedulable }

// GetPendingPlugins are the plugins that wait for something they know will come; not to be changed.
func (p *Pod) GetPendingPlugins() sets.Set[string] { return p.pending }

// GetGatingPlugin is the PreEnqueue plugin that holds the pod back, if one does.
func (p *Pod) GetGatingPlugin() string { return p.gate }

// GetGatingPluginEvents are the events that the gating plugin registered; not to be changed.
func (p *Pod) GetGatingPluginEvents() []fwk.ClusterEvent { return p.gateEvents }
