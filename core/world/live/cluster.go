package live

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"
	configv1 "k8s.io/kube-scheduler/config/v1"

	"orrery/core/safe/panics"
	"orrery/core/world"
)

// MaxRetryTime bounds the retries of a call that certainly was not carried out.
//
//orrery:limit API server; how long a call is made again that certainly was not carried out; its effect fails, and its pod is requeued
const MaxRetryTime = time.Minute

const (
	//orrery:limit API server; changes that wait for the engine; the watches wait, and then the API server
	inboxSize = 4096
	//orrery:limit API server; calls for effects at once; the others wait for their turn
	callsDefault = 256
	//orrery:limit API server; a call for an effect; it counts as unknown, and is made again
	timeoutDefault = 30 * time.Second
)

// Options configure a cluster.
type Options struct {
	// Client reads and writes; EventClient writes events and is Client if nil.
	Client, EventClient kubernetes.Interface
	// Kinds are the kinds to watch. Namespaces has the namespace of each kind that is watched in one namespace only.
	Kinds      []world.Kind
	Namespaces map[world.Kind]string
	// Extenders are those of the scheduler's configuration. With any, pods and nodes stay whole, for the extenders.
	Extenders []configv1.Extender
	// Held is the engine's store, read by the goroutine that calls Poll, Stamp and Do. Without it a status patch reads
	// the pod first, and drift is not counted.
	Held Held
	// OnDrift receives the drift of every relist that differs from the watch before it.
	OnDrift func(Drift)
	// Gate is asked right before every write. A write that it does not let pass is not sent and fails. Nil lets all pass.
	Gate *WriteGate
	// OnCall receives every call to the API server: its action, result and duration. It is called from many goroutines. It
	// may be nil.
	OnCall func(act world.Action, err error, took time.Duration)
	// Calls bounds the concurrent calls to the API server; zero is 256.
	Calls int
	// Timeout bounds one call; zero is 30 s.
	Timeout time.Duration
	// Logger logs problems of the connection; the zero value is klog's.
	Logger klog.Logger
}

// Cluster is a cluster behind an API server. It implements [world.World]: one goroutine calls Next and Do.
type Cluster struct {
	options      Options
	clock        clock
	inbox        chan world.Event
	initialLists *initialLists
	progress     *progress
	workers      *workers
	extenders    *extenders
	events       func() *eventEmitter // created on first use, since that makes a request
	group        sync.WaitGroup
	cancel       context.CancelFunc
	ctx          context.Context
	failed       chan error // holds the first panic

	lastInputAt   time.Time // of the last input
	unhandedLists int       // how many first lists have not been handed out
	synced        chan struct{}
	count         atomicCounters

	skew          time.Duration // of the wall clock, when it was last checked
	skewCheckedAt time.Time
}

var _ world.World = (*Cluster)(nil)

// New returns a cluster that has sent no request; Start begins.
func New(o Options) (*Cluster, error) {
	if o.Client == nil {
		return nil, errors.New("connecting to a cluster: there is no client")
	}
	o.Client = readingMembers(o.Client, o.Kinds)
	if o.EventClient == nil {
		o.EventClient = o.Client
	}
	if o.Calls == 0 {
		o.Calls = callsDefault
	}
	if o.Timeout == 0 {
		o.Timeout = timeoutDefault
	}
	if o.Gate == nil {
		o.Gate = NewWriteGate(func() bool { return true })
	}
	if o.OnCall == nil {
		o.OnCall = func(world.Action, error, time.Duration) {}
	}
	if o.Logger.GetSink() == nil {
		o.Logger = klog.Background()
	}
	for _, kind := range o.Kinds {
		if _, err := listWatchOf(o.Client, kind, o.Namespaces[kind]); err != nil {
			return nil, err
		}
	}
	c := &Cluster{
		options: o, clock: newClock(), inbox: make(chan world.Event, inboxSize),
		initialLists: newInitialLists(o.Kinds), progress: newProgress(), unhandedLists: len(o.Kinds), synced: make(chan struct{}), failed: make(chan error, 1),
	}
	c.ctx, c.cancel = context.WithCancel(klog.NewContext(context.Background(), o.Logger))
	c.workers = newWorkers(c)
	var err error
	if c.extenders, err = newExtenders(c); err != nil {
		return nil, err
	}
	c.events = sync.OnceValue(func() *eventEmitter { return newEventEmitter(c.ctx, o.EventClient) })
	return c, nil
}

// Start starts to list and watch. It returns immediately.
func (c *Cluster) Start() {
	c.events()
	for _, kind := range c.options.Kinds {
		if lw, err := listWatchOf(c.options.Client, kind, c.options.Namespaces[kind]); err == nil { // New has checked it
			c.startReflector(c.ctx, kind, lw)
		}
	}
}

// Stop stops everything, cancels running calls, and returns when no goroutine is left except those of plugins that
// ignore their context. Outcomes that were not read are lost.
func (c *Cluster) Stop() {
	c.cancel()
	c.workers.stop()
	c.extenders.group.Wait()
	c.group.Wait()
	c.events().stop()
}

// Now is the time of the inputs' clock.
func (c *Cluster) Now() time.Time { return c.clock.now() }

// Next waits for the next input until that time, or until the cluster is stopped.
func (c *Cluster) Next(until time.Time) (world.Input, bool) {
	left := until.Sub(c.clock.now())
	if left <= 0 {
		return world.Input{}, false
	}
	if in, ok := c.Poll(); ok {
		return in, true
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case event := <-c.inbox:
		return c.Stamp(event), true
	case <-timer.C:
	case <-c.ctx.Done():
	}
	return world.Input{}, false
}

// Poll returns the next input if one is available.
func (c *Cluster) Poll() (world.Input, bool) {
	c.markSynced()
	c.checkClock()
	select {
	case event := <-c.inbox:
		return c.Stamp(event), true
	default:
		return world.Input{}, false
	}
}

// Events is the channel of events to wait on; Stamp makes an event an input.
func (c *Cluster) Events() <-chan world.Event { return c.inbox }

// Stamp gives an event the present time. It first compares a list with Held.
func (c *Cluster) Stamp(event world.Event) world.Input {
	c.progress.take()
	if list, ok := event.(world.Listed); ok {
		c.checkDrift(list)
		if c.unhandedLists > 0 {
			c.unhandedLists--
		}
	}
	if now := c.clock.now(); now.After(c.lastInputAt) {
		c.lastInputAt = now
	}
	return world.Input{At: c.lastInputAt, Event: event}
}

// Idle reports whether no input waits and no effect is being carried out.
func (c *Cluster) Idle() bool { return c.workers.idle() && c.extenders.idle() && len(c.inbox) == 0 }

// Failed delivers the first panic of a goroutine of the cluster. What was lost with it only a restart brings back.
func (c *Cluster) Failed() <-chan error { return c.failed }

// spawn runs a function on a goroutine of a group.
func (c *Cluster) spawn(group *sync.WaitGroup, in string, f func()) {
	group.Go(func() { c.guard(in, f) })
}

// guard runs a function, whose panic becomes the cluster's failure.
func (c *Cluster) guard(in string, f func()) {
	if err := panics.Call(in, f); err != nil {
		select {
		case c.failed <- err:
		default:
		}
	}
}

// Kinds lists the kinds that are watched.
func (c *Cluster) Kinds() []world.Kind { return c.options.Kinds }

// markSynced closes synced once the first lists were returned and, as the next input is requested, applied.
func (c *Cluster) markSynced() {
	if c.unhandedLists > 0 {
		return
	}
	select {
	case <-c.synced:
	default:
		close(c.synced)
	}
}

// Synced is closed when the caller of Next has applied the initial list of every kind.
func (c *Cluster) Synced() <-chan struct{} { return c.synced }

// Unsynced returns the kinds whose initial list has not arrived.
func (c *Cluster) Unsynced() []world.Kind { return c.initialLists.unsynced(c.options.Kinds) }

// Do accepts an effect.
func (c *Cluster) Do(e world.Effect) {
	switch act := e.Action.(type) {
	case world.EmitEvent:
		c.emitEvent(act)
		return
	case world.CallExtender:
		c.extenders.do(e.ID, act)
		return
	case world.CancelExtenderCalls:
		c.extenders.cancel(act.Pod)
		return
	}
	c.count.effects.Add(1)
	c.workers.add(e)
}

// knownPod returns the known state of a pod if it has the same UID.
func (c *Cluster) knownPod(ref world.PodRef) *v1.Pod {
	if c.options.Held == nil {
		return nil
	}
	pod := c.options.Held.Pod(ref.Namespace, ref.Name)
	if pod == nil || (ref.UID != "" && pod.UID != ref.UID) {
		return nil
	}
	return pod
}

// Activate requests that the engine move these pods to activeQ.
func (c *Cluster) Activate(ctx context.Context, activate ...types.NamespacedName) error {
	return c.enqueue(ctx, world.ActivateRequest{Activate: activate})
}

// enqueue waits for room in the inbox.
func (c *Cluster) enqueue(ctx context.Context, event world.Event) error {
	select {
	case c.inbox <- event:
		c.progress.put(time.Now())
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-c.ctx.Done():
		return c.ctx.Err()
	}
}

// atomicCounters are written by many goroutines.
type atomicCounters struct {
	watches, relists, drifted, clockJumps                  atomic.Uint64
	effects, attempts, retries, superseded, gaveUp, fenced atomic.Uint64
}

// Counters count events of the connection.
type Counters struct {
	// Watches counts the watches that were started, Relists the kinds that were listed again because one could not resume.
	Watches, Relists uint64
	// Drifted counts the objects that a relist showed otherwise than the watch. ClockJumps counts changes of the wall clock
	// by more than a second.
	Drifted, ClockJumps uint64
	// Effects counts effects with an outcome, Attempts the calls for them, Retries those that repeat a failed one.
	// Superseded effects were made needless by newer ones, GaveUp effects failed for MaxRetryTime, and Fenced ones were not
	// allowed any more.
	Effects, Attempts, Retries, Superseded, GaveUp, Fenced uint64
	// Waiting effects wait for their turn or a retry now, Running ones are being carried out.
	Waiting, Running int
	// Plugins counts the plugin calls that have not returned.
	Plugins int
}

// Counters may be called from any goroutine.
func (c *Cluster) Counters() Counters {
	n := &c.count
	t := Counters{
		Watches: n.watches.Load(), Relists: n.relists.Load(), Drifted: n.drifted.Load(), ClockJumps: n.clockJumps.Load(),
		Effects: n.effects.Load(), Attempts: n.attempts.Load(), Retries: n.retries.Load(), Superseded: n.superseded.Load(),
		GaveUp: n.gaveUp.Load(), Fenced: n.fenced.Load(),
	}
	t.Waiting, t.Running, t.Plugins = c.workers.counts()
	return t
}

// Pending counts the effects without an outcome by name; unnamed ones are left out. It may be called from any goroutine.
func (c *Cluster) Pending(name func(world.Action) string) map[string]int {
	return c.workers.pending(name)
}
