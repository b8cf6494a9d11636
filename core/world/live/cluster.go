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

	"orrery/core/world"
)

// Patience is for how long a call is tried again that fails without having been carried out.
const Patience = time.Minute

const (
	inboxSize      = 4096
	callsDefault   = 256
	timeoutDefault = 30 * time.Second
)

// Options are what a cluster is made with.
type Options struct {
	// Client reads and writes; EventClient writes announcements and is Client if nil.
	Client, EventClient kubernetes.Interface
	// Kinds are those to tell of, see [Watched]. Within are the namespaces of those that are to be told of in one only.
	Kinds  []world.Kind
	Within map[world.Kind]string
	// Pod is what is known of a pod, or nil. It is asked while an effect is taken over, by the goroutine that calls Do: an
	// engine's store will do. Without it a status patch reads the pod first.
	Pod func(namespace, name string) *v1.Pod
	// Allowed is asked right before every write. One that is not allowed is not made and fails. Nil allows all.
	Allowed func() bool
	// Called is told of every try of a call to the API server: what it was for, how it ended, how long it took. It is called
	// from many goroutines. Nil for nobody.
	Called func(act world.Act, err error, took time.Duration)
	// Calls is how many calls to the API server are made at once; zero is 256.
	Calls int
	// Timeout is for how long one try of a call may take; zero is 30 s.
	Timeout time.Duration
	// Logger is told what goes wrong with the connection; the zero value is klog's.
	Logger klog.Logger
}

// Cluster is a cluster behind an API server. It implements [world.World]: one goroutine calls Next and Do.
type Cluster struct {
	options Options
	clock   clock
	inbox   chan world.Event
	first   *firstLists
	workers *workers
	events  func() *announcer // made when first asked for, as that takes a call
	group   sync.WaitGroup
	cancel  context.CancelFunc
	ctx     context.Context

	last   time.Time // of the last input
	unseen int       // how many first lists have not been handed out
	synced chan struct{}
	count  counters
}

var _ world.World = (*Cluster)(nil)

// New is a cluster that nothing has been asked of yet; Start begins.
func New(o Options) (*Cluster, error) {
	if o.Client == nil {
		return nil, errors.New("connecting to a cluster: there is no client")
	}
	if o.EventClient == nil {
		o.EventClient = o.Client
	}
	if o.Calls == 0 {
		o.Calls = callsDefault
	}
	if o.Timeout == 0 {
		o.Timeout = timeoutDefault
	}
	if o.Allowed == nil {
		o.Allowed = func() bool { return true }
	}
	if o.Called == nil {
		o.Called = func(world.Act, error, time.Duration) {}
	}
	if o.Logger.GetSink() == nil {
		o.Logger = klog.Background()
	}
	for _, kind := range o.Kinds {
		if _, err := sourceOf(o.Client, kind, o.Within[kind]); err != nil {
			return nil, err
		}
	}
	c := &Cluster{
		options: o, clock: newClock(), inbox: make(chan world.Event, inboxSize),
		first: newFirstLists(o.Kinds), unseen: len(o.Kinds), synced: make(chan struct{}),
	}
	c.ctx, c.cancel = context.WithCancel(klog.NewContext(context.Background(), o.Logger))
	c.workers = newWorkers(c)
	c.events = sync.OnceValue(func() *announcer { return newAnnouncer(c.ctx, o.EventClient) })
	return c, nil
}

// Start begins to list and watch. It returns at once.
func (c *Cluster) Start() {
	c.events()
	for _, kind := range c.options.Kinds {
		if lw, err := sourceOf(c.options.Client, kind, c.options.Within[kind]); err == nil { // New has seen that there is none
			c.startFeed(c.ctx, kind, lw)
		}
	}
}

// Stop ends everything, cuts off calls under way, and returns when no goroutine is left but those of plugins that do not
// heed their context. Outcomes that were not taken are lost.
func (c *Cluster) Stop() {
	c.cancel()
	c.workers.stop()
	c.group.Wait()
	c.events().stop()
}

// Now is the time by the clock of inputs.
func (c *Cluster) Now() time.Time { return c.clock.now() }

// Next waits for the next input until that time, or until the cluster is stopped. To run an engine use [Drive], which also
// notices that it is to end.
func (c *Cluster) Next(until time.Time) (world.Input, bool) {
	left := until.Sub(c.clock.now())
	if left <= 0 {
		return world.Input{}, false
	}
	if in, ok := c.poll(); ok {
		return in, true
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case event := <-c.inbox:
		return c.stamped(event), true
	case <-timer.C:
	case <-c.ctx.Done():
	}
	return world.Input{}, false
}

// poll is the next input if it is there already.
func (c *Cluster) poll() (world.Input, bool) {
	c.noteSynced()
	select {
	case event := <-c.inbox:
		return c.stamped(event), true
	default:
		return world.Input{}, false
	}
}

// stamped gives an event the time at which it is handed out.
func (c *Cluster) stamped(event world.Event) world.Input {
	if _, list := event.(world.Listed); list && c.unseen > 0 {
		c.unseen--
	}
	if now := c.clock.now(); now.After(c.last) {
		c.last = now
	}
	return world.Input{At: c.last, Event: event}
}

// noteSynced notices that the first lists have been handed out and, as the next input is being asked for, taken in.
func (c *Cluster) noteSynced() {
	if c.unseen > 0 {
		return
	}
	select {
	case <-c.synced:
	default:
		close(c.synced)
	}
}

// Synced is closed when whoever calls Next has taken in the first list of every kind.
func (c *Cluster) Synced() <-chan struct{} { return c.synced }

// Missing lists the kinds whose first list has not arrived yet.
func (c *Cluster) Missing() []world.Kind { return c.first.awaited(c.options.Kinds) }

// Do takes an effect over.
func (c *Cluster) Do(e world.Effect) {
	if act, ok := e.Act.(world.Announce); ok {
		c.announce(act)
		return
	}
	c.count.effects.Add(1)
	c.workers.take(e)
}

// known is what is known of a pod, if it is the one that is meant.
func (c *Cluster) known(ref world.Ref) *v1.Pod {
	if c.options.Pod == nil {
		return nil
	}
	pod := c.options.Pod(ref.Namespace, ref.Name)
	if pod == nil || (ref.UID != "" && pod.UID != ref.UID) {
		return nil
	}
	return pod
}

// Ask has the engine try these pods at once.
func (c *Cluster) Ask(ctx context.Context, activate ...types.NamespacedName) error {
	return c.put(ctx, world.Asked{Activate: activate})
}

// put waits for room in the inbox.
func (c *Cluster) put(ctx context.Context, event world.Event) error {
	select {
	case c.inbox <- event:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-c.ctx.Done():
		return c.ctx.Err()
	}
}

// counters are written to from many goroutines.
type counters struct {
	watches, relists, drifted, jumps                 atomic.Uint64
	effects, tries, again, overtaken, gaveUp, fenced atomic.Uint64
}

// Tally counts what the connection has been through.
type Tally struct {
	// Watches and Relists count how often a watch was begun, and a kind listed again because one could not go on.
	Watches, Relists uint64
	// Drifted counts the objects that a list showed otherwise than the watch before it. Jumps counts by how often the wall
	// clock was set by more than a second.
	Drifted, Jumps uint64
	// Effects counts effects with an outcome, Tries the calls made for them, Again those that repeat one that failed.
	// Overtaken effects were made needless by newer ones, GaveUp counts those tried for as long as Patience, and Fenced
	// those that were not allowed any more.
	Effects, Tries, Again, Overtaken, GaveUp, Fenced uint64
	// Waiting and Running count effects now: those that wait for a turn or the next try, and those being carried out.
	Waiting, Running int
	// Plugins counts the calls of plugins that have not ended.
	Plugins int
}

// Tally may be called from any goroutine.
func (c *Cluster) Tally() Tally {
	n := &c.count
	t := Tally{
		Watches: n.watches.Load(), Relists: n.relists.Load(), Drifted: n.drifted.Load(), Jumps: n.jumps.Load(),
		Effects: n.effects.Load(), Tries: n.tries.Load(), Again: n.again.Load(), Overtaken: n.overtaken.Load(),
		GaveUp: n.gaveUp.Load(), Fenced: n.fenced.Load(),
	}
	t.Waiting, t.Running, t.Plugins = c.workers.load()
	return t
}

// Pending counts the effects that have not been answered, by the name that is given to each; those without one are left
// out. It may be called from any goroutine.
func (c *Cluster) Pending(name func(world.Act) string) map[string]int { return c.workers.pending(name) }
