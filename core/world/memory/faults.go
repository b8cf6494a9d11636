package memory

import (
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/world"
)

// Faults are what goes wrong by chance. Each probability is between 0, never, and 1.
type Faults struct {
	// Watch holds the faults of the watches; those of the kind "" are of every kind that is not named.
	Watch map[world.Kind]WatchFaults
	// Calls holds the faults of the scheduler's calls.
	Calls map[Call]CallFaults
}

// WatchFaults are drawn for each event. None of them changes the order of events.
type WatchFaults struct {
	// Break loses the event and with it the watch: nothing comes until a new list, RelistAfter later.
	Break       float64
	RelistAfter Delay
	// Delay keeps the event, and all of its kind behind it, for DelayBy.
	Delay   float64
	DelayBy Delay
	// Duplicate delivers the event twice.
	Duplicate float64
}

// CallFaults are drawn for each call; at most one of them befalls a call, beside Slow.
type CallFaults struct {
	Refuse, Lose, LoseReply, Outrun float64
	// Slow keeps the outcome, of whatever kind, for SlowBy.
	Slow   float64
	SlowBy Delay
}

func (f Faults) watch(kind world.Kind) WatchFaults {
	if own, ok := f.Watch[kind]; ok {
		return own
	}
	return f.Watch[""]
}

// Call names what an effect calls.
type Call uint8

// The calls that faults can befall.
const (
	CallBind Call = iota
	CallPatchStatus
	CallDelete
	CallPlugin
)

func callOf(a world.Act) Call {
	switch a.(type) {
	case world.PatchStatus:
		return CallPatchStatus
	case world.Delete:
		return CallDelete
	case world.Run:
		return CallPlugin
	}
	return CallBind
}

// Mishap is what can befall a call.
type Mishap uint8

const (
	// Refused: the API server has an internal error, and nothing was done. A plugin gives an error.
	Refused Mishap = iota + 1
	// Lost: the call times out and was never carried out.
	Lost
	// ReplyLost: the call times out and was carried out.
	ReplyLost
	// Outrun: another scheduler binds the pod just before. It befalls bindings alone.
	Outrun
)

// callTimeout is how long a caller waits for an answer that is lost.
const callTimeout = 10 * time.Second

// Befall has a mishap befall the next call of a kind, after those asked for earlier.
func (c *Cluster) Befall(call Call, m Mishap) { c.scripted[call] = append(c.scripted[call], m) }

// mishap is what befalls a call, zero for nothing.
func (c *Cluster) mishap(call Call) Mishap {
	if waiting := c.scripted[call]; len(waiting) > 0 {
		c.scripted[call] = waiting[1:]
		return waiting[0]
	}
	f := c.options.Faults.Calls[call]
	switch {
	case c.faults.hits(f.Refuse):
		return Refused
	case c.faults.hits(f.Lose):
		return Lost
	case c.faults.hits(f.LoseReply):
		return ReplyLost
	case call == CallBind && c.faults.hits(f.Outrun):
		return Outrun
	}
	return 0
}

// perform carries an effect out, or whatever a mishap leaves of it, and says how late its outcome is.
func (c *Cluster) perform(e world.Effect) (world.Outcome, time.Duration) {
	call := callOf(e.Act)
	m := c.mishap(call)
	var late time.Duration
	if f := c.options.Faults.Calls[call]; c.faults.hits(f.Slow) {
		late = c.faults.delay(f.SlowBy)
	}
	switch m {
	case Refused:
		return refusal(call), late
	case Lost:
		return lostOutcome, late + callTimeout
	case ReplyLost:
		c.carryOut(e)
		c.history.unheard(e)
		return lostOutcome, late + callTimeout
	case Outrun:
		if bind, ok := e.Act.(world.Bind); ok {
			_ = c.bind(world.Bind{Pod: bind.Pod, Node: c.othersChoice(bind.Node)}, 0)
		}
	}
	return c.carryOut(e), late
}

var lostOutcome = outcomeOf(apierrors.NewTimeoutError("the call timed out", 0))

func refusal(call Call) world.Outcome {
	if call == CallPlugin {
		return world.Outcome{Code: fwk.Error, Message: "the plugin failed on request"}
	}
	return outcomeOf(apierrors.NewInternalError(fmt.Errorf("the API server failed on request")))
}

// othersChoice is where another scheduler puts a pod: on some node there is, or on the same one.
func (c *Cluster) othersChoice(wanted string) string {
	nodes := c.List(world.Node)
	if len(nodes) == 0 {
		return wanted
	}
	return nodes[c.faults.rand().IntN(len(nodes))].GetName()
}

// BreakWatch ends the scheduler's watch of a kind. It sees nothing of that kind until a new list, the given time later.
func (c *Cluster) BreakWatch(kind world.Kind, relistAfter time.Duration) {
	if c.streams[kind] != nil {
		c.relist(c.now.Add(relistAfter), kind)
	}
}

// StallWatch holds back everything of a kind that is not yet on its way, for the given time.
func (c *Cluster) StallWatch(kind world.Kind, d time.Duration) {
	if s := c.streams[kind]; s != nil {
		s.stalled = c.now.Add(d)
	}
}

// DuplicateNext delivers the next n events of a kind twice each.
func (c *Cluster) DuplicateNext(kind world.Kind, n int) {
	if s := c.streams[kind]; s != nil {
		s.twice += n
	}
}

// RestartServer takes the API server away for some time. Calls fail with ServiceUnavailable, kubelets and controllers
// wait, every watch breaks, and everything is listed anew once the server is back.
func (c *Cluster) RestartServer(down time.Duration) {
	c.downTill = c.now.Add(down)
	c.relist(c.downTill, c.watched()...)
}

// SlowDown adds a delay to every call and every watch event for some time.
func (c *Cluster) SlowDown(d time.Duration, by Delay) {
	c.slowTill, c.slowBy = c.now.Add(d), by
}

func (c *Cluster) slowness() time.Duration {
	if c.now.Before(c.slowTill) {
		return c.latency.delay(c.slowBy)
	}
	return 0
}

// mustWait tells whether something cannot happen while the API server is down: all that kubelets and controllers do.
func (c *Cluster) mustWait(h happening) bool {
	if !c.now.Before(c.downTill) {
		return false
	}
	switch h.(type) {
	case arrival, script:
		return false
	}
	return true
}
