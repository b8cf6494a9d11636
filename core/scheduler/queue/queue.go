package queue

import (
	"fmt"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/safe/printable"
	"orrery/core/scheduler/cache"
)

// The defaults for zero durations in [Options].
const (
	DefaultInitialBackoff     = time.Second
	DefaultMaxBackoff         = 10 * time.Second
	DefaultMaxInUnschedulable = 5 * time.Minute
)

// NoBackoff as MaxBackoff disables back-off.
const NoBackoff time.Duration = -1

// RequeueRule is the rule for requeuing failed pods.
type RequeueRule uint8

// QueueingHints is kube-scheduler's present rule. MoveRequestCycle is its rule before queueing hints, under which every
// event moves every pod; see the package comment.
const (
	QueueingHints RequeueRule = iota
	MoveRequestCycle
)

var requeueRuleNames = [...]string{"queueingHints", "moveRequestCycle"}

func (r RequeueRule) String() string { return requeueRuleNames[r] }

// MarshalText returns the rule's name, as on the command line.
func (r RequeueRule) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads a rule's name.
func (r *RequeueRule) UnmarshalText(text []byte) error {
	i := slices.Index(requeueRuleNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("there is no requeue rule %q: write %s", printable.Line(string(text), 40), strings.Join(requeueRuleNames[:], " or "))
	}
	*r = RequeueRule(i)
	return nil
}

// Options configure a queue. The zero value of each field has a meaning.
type Options struct {
	// Less orders activeQ; nil is kube-scheduler's order: higher priority first, then the earlier timestamp. Leave it
	// nil for that order even if a plugin provides it, as the built-in one is faster. Pods that Less does not order
	// keep the order of their timestamps.
	Less fwk.LessFunc
	// InitialBackoff and MaxBackoff bound the back-off; zero is 1 s and 10 s.
	InitialBackoff, MaxBackoff time.Duration
	// MaxInUnschedulable limits how long a pod stays in unschedulablePods; zero is 5 minutes. MoveRequestCycle always
	// uses 30 s.
	MaxInUnschedulable time.Duration
	// PopFromBackoff lets Pop take pods that still back off when activeQ is empty. It is the feature gate
	// SchedulerPopFromBackoffQ, on by default in Kubernetes 1.35.
	PopFromBackoff bool
	// NominateOnAdd records the nomination of a pod when it is added, gated or not. Otherwise it is recorded when a new or updated pod enters
	// activeQ, so that a gated pod holds no place on its node. Kubernetes 1.37 is the first that records it.
	NominateOnAdd bool
	// FlushGated says that the leftover flush asks the gates of gated pods again, and that a pod which stays waits for MaxInUnschedulable anew.
	// Otherwise gated pods stay, and once one is overdue every tick of that timer is an event for the pods in flight. Kubernetes 1.37 is the
	// first with it.
	FlushGated bool
	// ReplaceByUID says that a pod which has become another one of its name begins anew. Otherwise it keeps the place and the attempts of the
	// first. Kubernetes 1.37 is the first with it.
	ReplaceByUID bool
	// NoteFlushed notes of a pod that the leftover flush moved it, until its next attempt has failed. Kubernetes 1.36 is the first that counts
	// those which are bound in that attempt.
	NoteFlushed bool
	// FeatureGates are the other relevant feature gates, and Accounting those that decide what pods request.
	FeatureGates FeatureGates
	Accounting   cache.Accounting
	// Profiles holds the queue's part of each profile, by scheduler name.
	Profiles map[string]Profile
	// LookupPod returns a pod of the cluster, or nil; it prevents nominations of deleted pods. Without it all
	// nominations are accepted.
	LookupPod func(namespace, name string) *v1.Pod
	// Observe receives every Transition, in order. It must not call the queue.
	Observe func(Transition)
	// RequeueRule is the rule for requeuing failed pods.
	RequeueRule RequeueRule
	// Start is when the timers start; zero is the time of the first call that has a time.
	Start time.Time
	// Logger is passed to hints. The zero value is silent.
	Logger klog.Logger
}

// Profile is the queue's part of a profile.
type Profile struct {
	// PreEnqueue are the plugins that may gate pods, in the order in which they run.
	PreEnqueue []fwk.PreEnqueuePlugin
	// Hints are the registered events; nil is an empty table.
	Hints *Hints
	// Sign signs a pod when it is added or updated; nil if pods are signed when they are tried. Kubernetes 1.36 is the first that signs them here,
	// so that a pod which is updated while it is tried keeps the signature of what it was.
	Sign func(*v1.Pod) fwk.PodSignature
}

// DefaultOptions are the defaults of Kubernetes 1.35, without profiles.
func DefaultOptions() Options {
	return Options{
		InitialBackoff: DefaultInitialBackoff, MaxBackoff: DefaultMaxBackoff, MaxInUnschedulable: DefaultMaxInUnschedulable,
		PopFromBackoff: true, FeatureGates: DefaultFeatureGates(),
	}
}

// Queue holds the pending pods. It is not safe for concurrent use.
type Queue struct {
	opts         Options
	profiles     map[string]*profile
	gatingEvents map[string][]fwk.ClusterEvent // the events of each PreEnqueue plugin, over all profiles
	eventMatches map[fwk.ClusterEvent]*eventMatch

	pods              map[types.NamespacedName]*Pod // all queued pods
	active            podHeap
	backoff           podHeap
	errored           podHeap
	unschedulablePods unschedulablePods
	inFlightEvents    inFlightEvents
	nominator

	schedulingCycle  int64 // counts pops
	moveRequestCycle int64 // the cycle in which an event last moved pods, -1 before the first

	now          time.Time // the latest time given
	start        time.Time
	stamps       uint64
	seq          uint64
	scan         uint64
	labels       podLabels
	newRejectors []string         // of the current pod, since its last record
	lastSigned   fwk.PodSignature // pods of one template share it
	scratch      []*Pod
}

// New returns an empty queue.
func New(opts Options) *Queue {
	q := &Queue{pods: map[types.NamespacedName]*Pod{}, moveRequestCycle: -1}
	q.setup(opts)
	q.inFlightEvents.init()
	q.nominator.init()
	return q
}

// setup applies options to a queue whose heaps and unschedulablePods are empty.
func (q *Queue) setup(opts Options) {
	q.opts = opts
	setDefault(&q.opts.InitialBackoff, DefaultInitialBackoff)
	setDefault(&q.opts.MaxBackoff, DefaultMaxBackoff)
	setDefault(&q.opts.MaxInUnschedulable, DefaultMaxInUnschedulable)
	if opts.RequeueRule == MoveRequestCycle {
		q.opts.MaxInUnschedulable = leftoverPeriod
	}
	q.labels = podLabelsOf(opts.FeatureGates)
	q.startTimers(opts.Start)
	q.setupProfiles()

	less := q.less()
	q.active = queueHeap(less)
	q.backoff = queueHeap(byBackoffExpiration(less))
	q.errored = queueHeap(byBackoffExpiration(less))
	q.unschedulablePods.init(q)
}

func setDefault(d *time.Duration, value time.Duration) {
	if *d == 0 {
		*d = value
	}
}

// less returns the order of activeQ as a total order.
func (q *Queue) less() func(a, b *Pod) bool {
	custom := q.opts.Less
	if custom == nil {
		return func(a, b *Pod) bool {
			if a.priority != b.priority {
				return a.priority > b.priority
			}
			if !a.timestamp.Equal(b.timestamp) {
				return a.timestamp.Before(b.timestamp)
			}
			return a.stamp < b.stamp
		}
	}
	return func(a, b *Pod) bool {
		return custom(a, b) || (a.stamp < b.stamp && !custom(b, a))
	}
}

// byBackoffExpiration orders by the end of the back-off, then by less.
func byBackoffExpiration(less func(a, b *Pod) bool) func(a, b *Pod) bool {
	return func(a, b *Pod) bool {
		if !a.backoffExpiration.Equal(b.backoffExpiration) {
			return a.backoffExpiration.Before(b.backoffExpiration)
		}
		return less(a, b)
	}
}

// SchedulingCycle is the number of pods popped.
func (q *Queue) SchedulingCycle() int64 { return q.schedulingCycle }

// Seq is the number of records: as long as it is unchanged, no pod has moved.
func (q *Queue) Seq() uint64 { return q.seq }

// insert adds p, which is in no structure, to the structure of a state.
func (q *Queue) insert(p *Pod, place State) {
	p.queuedIn = place
	q.pods[p.key] = p
	switch place {
	case Active:
		q.active.Push(p)
	case Backoff:
		q.backoff.Push(p)
	case ErrorBackoff:
		q.errored.Push(p)
	case Unschedulable, Gated:
		q.unschedulablePods.add(p)
	}
}

// detach removes p from its structure. Its name stays taken until insert or remove.
func (q *Queue) detach(p *Pod) {
	switch p.queuedIn {
	case Active:
		q.active.remove(p)
	case Backoff:
		q.backoff.remove(p)
	case ErrorBackoff:
		q.errored.remove(p)
	case Unschedulable, Gated:
		q.unschedulablePods.remove(p)
	}
	p.queuedIn = Gone
}

// remove removes p and its name from the queue.
func (q *Queue) remove(p *Pod) {
	q.detach(p)
	delete(q.pods, p.key)
}
