package queue

import (
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/cache"
)

// What the durations of [Options] are when they are zero.
const (
	DefaultInitialBackoff     = time.Second
	DefaultMaxBackoff         = 10 * time.Second
	DefaultMaxInUnschedulable = 5 * time.Minute
)

// NoBackoff as MaxBackoff turns back-off off.
const NoBackoff time.Duration = -1

// Rule is how a pod that failed finds its way back.
type Rule uint8

// The rules. HintRule is kube-scheduler's of today. MoveRequestCycle is the one it had before plugins gave hints: every
// event moves everything; see the package comment.
const (
	HintRule Rule = iota
	MoveRequestCycle
)

// Options are what a queue is made with. The zero value of each field has a meaning.
type Options struct {
	// Less orders activeQ; nil is kube-scheduler's order: higher priority first, then the earlier timestamp. Leave it nil
	// for that order even where a plugin provides it, since the built-in one is faster. Pods that are equal by Less come
	// in the order in which they got their timestamps.
	Less fwk.LessFunc
	// InitialBackoff and MaxBackoff bound the back-off; zero is 1 s and 10 s.
	InitialBackoff, MaxBackoff time.Duration
	// MaxInUnschedulable is how long a pod stays parked without an event that helps it; zero is 5 minutes. The rule
	// MoveRequestCycle has 30 s, whatever is said here.
	MaxInUnschedulable time.Duration
	// PopFromBackoff lets Pop take pods that still back off when activeQ is empty. It is the gate
	// SchedulerPopFromBackoffQ, which is on in Kubernetes 1.35.
	PopFromBackoff bool
	// Gates are the other feature gates that matter here, and Accounting those that decide what pods request.
	Gates      Gates
	Accounting cache.Accounting
	// Profiles has what each profile knows of queueing, by scheduler name.
	Profiles map[string]Profile
	// Pods looks up a pod as the cluster has it, nil if it has not; it keeps nominations from outliving their pods. Nil
	// looks nothing up.
	Pods func(namespace, name string) *v1.Pod
	// Observe is told of every Transition, in order. It must not call the queue.
	Observe func(Transition)
	// Rule is how failed pods come back.
	Rule Rule
	// Start is when the timers start; zero is the time of the first call that has a time.
	Start time.Time
	// Logger is handed to hints, which want one. The zero value is silent.
	Logger klog.Logger
}

// Profile is what one profile knows of queueing.
type Profile struct {
	// PreEnqueue are the plugins that may hold pods back, in the order in which they are asked.
	PreEnqueue []fwk.PreEnqueuePlugin
	// Hints say which events help which pods; nil is an empty table.
	Hints *Hints
}

// DefaultOptions are those of Kubernetes 1.35, without profiles.
func DefaultOptions() Options {
	return Options{
		InitialBackoff: DefaultInitialBackoff, MaxBackoff: DefaultMaxBackoff, MaxInUnschedulable: DefaultMaxInUnschedulable,
		PopFromBackoff: true, Gates: DefaultGates(),
	}
}

// Queue holds the pods that wait to be scheduled. It is not safe for concurrent use.
type Queue struct {
	opts     Options
	profiles map[string]*profile
	gating   map[string][]fwk.ClusterEvent // what each PreEnqueue plugin registered, in all profiles
	interest map[fwk.ClusterEvent]*interest

	pods    map[types.NamespacedName]*Pod // everything in active, backoff, errored and parked
	active  podHeap
	backoff podHeap
	errored podHeap
	parked  pool
	flights flights
	nominator

	cycle       int64 // counts pops
	moveRequest int64 // the cycle in which an event last moved pods, -1 before the first

	now     time.Time // the latest time the queue has heard of
	start   time.Time
	stamps  uint64
	seq     uint64
	picks   uint64
	blamed  []string // by the pod at hand, since its last record
	scratch []*Pod
}

// New makes an empty queue.
func New(opts Options) *Queue {
	q := &Queue{pods: map[types.NamespacedName]*Pod{}, moveRequest: -1}
	q.setup(opts)
	q.flights.init()
	q.nominator.init()
	return q
}

// setup puts options to work, in a queue whose heaps and pool are empty.
func (q *Queue) setup(opts Options) {
	q.opts = opts
	setDefault(&q.opts.InitialBackoff, DefaultInitialBackoff)
	setDefault(&q.opts.MaxBackoff, DefaultMaxBackoff)
	setDefault(&q.opts.MaxInUnschedulable, DefaultMaxInUnschedulable)
	if opts.Rule == MoveRequestCycle {
		q.opts.MaxInUnschedulable = leftoverPeriod
	}
	q.begin(opts.Start)
	q.setupProfiles()

	less := q.less()
	q.active = podHeap{slot: slotQueue, less: less}
	q.backoff = podHeap{slot: slotQueue, less: soonest(less)}
	q.errored = podHeap{slot: slotQueue, less: soonest(less)}
	q.parked.init(q)
}

func setDefault(d *time.Duration, value time.Duration) {
	if *d == 0 {
		*d = value
	}
}

// less is the order of activeQ made total.
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

// soonest orders by the end of the back-off, and within one second by less.
func soonest(less func(a, b *Pod) bool) func(a, b *Pod) bool {
	return func(a, b *Pod) bool {
		if !a.backoffExpiration.Equal(b.backoffExpiration) {
			return a.backoffExpiration.Before(b.backoffExpiration)
		}
		return less(a, b)
	}
}

// SchedulingCycle counts the pods popped so far.
func (q *Queue) SchedulingCycle() int64 { return q.cycle }

// Stamp counts the records: as long as it is the same, nothing has moved.
func (q *Queue) Stamp() uint64 { return q.seq }

// insert puts p, which is in no structure, where its place says.
func (q *Queue) insert(p *Pod, place State) {
	p.place = place
	q.pods[p.key] = p
	switch place {
	case Active:
		q.active.push(p)
	case Backoff:
		q.backoff.push(p)
	case ErrorBackoff:
		q.errored.push(p)
	case Unschedulable, Gated:
		q.parked.add(p)
	}
}

// detach takes p out of the structure it is in. Its name stays taken until it is inserted again or forgotten.
func (q *Queue) detach(p *Pod) {
	switch p.place {
	case Active:
		q.active.remove(p)
	case Backoff:
		q.backoff.remove(p)
	case ErrorBackoff:
		q.errored.remove(p)
	case Unschedulable, Gated:
		q.parked.remove(p)
	}
	p.place = Gone
}

// forget takes p out of the queue, name and all.
func (q *Queue) forget(p *Pod) {
	q.detach(p)
	delete(q.pods, p.key)
}
