package queue

import (
	"bytes"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/cache"
)

// Pod is a pod with its state in the queue. It implements fwk.QueuedEntityInfo. The queue owns it while it is queued; from
// Pop to AddUnschedulableIfNotPresent the scheduler does.
type Pod struct {
	key      types.NamespacedName
	pod      *v1.Pod
	info     *cache.PodInfo // built on first use
	priority int32

	accounting cache.Accounting

	timestamp         time.Time
	flushed           time.Time // by the leftover flush, if it restarts its clock
	backoffExpiration time.Time
	initialAttempt    time.Time
	wasActive         bool // initialAttempt is set
	wasFlushed        bool // the leftover flush moved it, for its present or next attempt

	attempts           int
	unschedulableCount int
	consecutiveErrors  int

	unschedulable, pending sets.Set[string]
	rejectors              []string // both sets, sorted; never changed in place
	gate, gateNote         string   // the gating plugin and its message
	gateEvents             []fwk.ClusterEvent

	state    State // as last recorded
	queuedIn State // in the queue's structures
	since    time.Time
	event    string

	stamp            uint64 // order of timestamps, finer than the clock
	unschedulableSeq uint64 // order of arrival in unschedulablePods
	lastScan         uint64 // the last scan that included it
	position         int    // index in unschedulableOrder
	at               [slots]int
	groupEntries     []groupEntry
	leftoverHeap     *podHeap // its leftover heap in unschedulablePods
	profile          *profile
	signature        fwk.PodSignature // as of its addition or last update in the queue, if the queue signs
	inFlightUID      types.UID        // identity under which it was popped, while in flight
}

var _ fwk.QueuedEntityInfo = (*Pod)(nil)

func (q *Queue) newPod(pod *v1.Pod) *Pod {
	p := &Pod{timestamp: q.now, stamp: q.nextStamp(), accounting: q.opts.Accounting}
	p.set(pod)
	p.profile = q.profiles[pod.Spec.SchedulerName]
	q.sign(p)
	return p
}

// sign signs a queued pod, if its profile has pods signed here.
func (q *Queue) sign(p *Pod) {
	p.signature = nil
	if p.profile == nil || p.profile.Sign == nil {
		return
	}
	if p.signature = p.profile.Sign(p.pod); bytes.Equal(p.signature, q.lastSigned) {
		p.signature = q.lastSigned
	}
	q.lastSigned = p.signature
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

// Pod returns the latest object known to the queue.
func (p *Pod) Pod() *v1.Pod { return p.pod }

// Update sets a newer object. It is for pods in flight; Queue.Update is for queued pods.
func (p *Pod) Update(pod *v1.Pod) { p.set(pod) }

// Reject sets the plugins that rejected the pod in this attempt, and the pending ones, which wait for an event of their
// own. It replaces earlier results and is for pods in flight. Without plugins the attempt counts as an error. The sets
// are not changed.
func (p *Pod) Reject(unschedulable, pending sets.Set[string]) {
	p.unschedulable, p.pending = unschedulable, pending
	p.rejectors = sorted(unschedulable, pending)
}

// addRejector adds a gating plugin to the rejecting plugins, and reports whether it is new.
func (p *Pod) addRejector(plugin string) bool {
	if !p.unschedulable.Has(plugin) {
		p.unschedulable = p.unschedulable.Clone() // it may be shared with the last attempt's diagnosis
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

// identity returns the UID or, for a pod without one, its name in a form that no UID has.
func identity(pod *v1.Pod) types.UID {
	if pod.UID != "" {
		return pod.UID
	}
	return types.UID("\x00" + pod.Namespace + "/" + pod.Name)
}

// Clone returns a copy outside the queue's structures, for a fork's pods that have left the queue.
func (p *Pod) Clone() *Pod {
	c := *p
	c.groupEntries, c.leftoverHeap, c.profile = nil, nil, nil
	return &c
}

// State is the pod's state as last recorded.
func (p *Pod) State() State { return p.state }

// Since is when the pod entered its state.
func (p *Pod) Since() time.Time { return p.since }

// Event is the label of the last transition.
func (p *Pod) Event() string { return p.event }

func (p *Pod) Priority() int32 { return p.priority }

// Rejectors are the plugins that rejected or gate the pod, sorted; read-only.
func (p *Pod) Rejectors() []string { return p.rejectors }

// Type tells that it is a pod, and no group of pods.
func (p *Pod) Type() fwk.EntityKeyType { return fwk.PodKeyType }

// GetPriority is the pod's priority.
func (p *Pod) GetPriority() int32 { return p.priority }

// GetPodInfo returns the pod with precomputed scheduling data.
func (p *Pod) GetPodInfo() fwk.PodInfo {
	if p.info == nil {
		// The API server rejects unparsable affinity terms; here the parsable ones are used.
		p.info, _ = p.accounting.NewPodInfo(p.pod)
	}
	return p.info
}

// Signature is the pod's signature as it was added or last updated in the queue; nil if it has none, or the queue does not sign.
func (p *Pod) Signature() fwk.PodSignature { return p.signature }

// WasFlushed reports whether the leftover flush moved the pod for its present or next attempt, if the queue notes that.
func (p *Pod) WasFlushed() bool { return p.wasFlushed }

// waitsSince is when the leftover flush began to count for the pod.
func (p *Pod) waitsSince() time.Time {
	if p.flushed.After(p.timestamp) {
		return p.flushed
	}
	return p.timestamp
}

// GetTimestamp is when the pod was added or last failed.
func (p *Pod) GetTimestamp() time.Time { return p.timestamp }

// GetAttempts counts the attempts, including the present one.
func (p *Pod) GetAttempts() int { return p.attempts }

// GetBackoffExpiration is when the back-off of the last failure ends.
func (p *Pod) GetBackoffExpiration() time.Time { return p.backoffExpiration }

// GetUnschedulableCount counts the attempts that plugins rejected.
func (p *Pod) GetUnschedulableCount() int { return p.unschedulableCount }

// GetConsecutiveErrorsCount counts the errors since the last attempt that did not end in one.
func (p *Pod) GetConsecutiveErrorsCount() int { return p.consecutiveErrors }

// GetInitialAttemptTimestamp is when the pod first entered activeQ, so that gated time does not count; nil before.
func (p *Pod) GetInitialAttemptTimestamp() *time.Time {
	if !p.wasActive {
		return nil
	}
	return &p.initialAttempt
}

// GetUnschedulablePlugins are the plugins that rejected the pod; read-only.
func (p *Pod) GetUnschedulablePlugins() sets.Set[string] { return p.unschedulable }

// GetPendingPlugins are the rejecting plugins that wait for an event of their own; read-only.
func (p *Pod) GetPendingPlugins() sets.Set[string] { return p.pending }

// GetGatingPlugin is the PreEnqueue plugin that gates the pod, or "".
func (p *Pod) GetGatingPlugin() string { return p.gate }

// GetGatingPluginEvents are the events that the gating plugin registered; read-only.
func (p *Pod) GetGatingPluginEvents() []fwk.ClusterEvent { return p.gateEvents }
