package memory

import (
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/world"
)

// Faults are random faults. Each probability is between 0, never, and 1.
type Faults struct {
	// Watch holds the faults of watches by kind; those of the kind "" are the default.
	Watch map[world.Kind]WatchFaults
	// Calls holds the faults of the scheduler's calls.
	Calls map[Call]CallFaults
}

// WatchFaults are drawn for each event. None of them changes the order of events.
type WatchFaults struct {
	// Break loses the event and ends the watch: no event is delivered until a relist, RelistAfter later.
	Break       float64
	RelistAfter Delay
	// Delay delays the event, and all later ones of its kind, by DelayBy.
	Delay   float64
	DelayBy Delay
	// Duplicate delivers the event twice.
	Duplicate float64
}

// CallFaults are drawn for each call; at most one of them affects a call, besides Slow.
type CallFaults struct {
	Refuse, Lose, LoseReply, BoundByOther, Throttle float64
	// Slow delays the outcome, successful or not, by SlowBy.
	Slow   float64
	SlowBy Delay
}

func (f Faults) watch(kind world.Kind) WatchFaults {
	if own, ok := f.Watch[kind]; ok {
		return own
	}
	return f.Watch[""]
}

// Call is the kind of call of an effect.
type Call uint8

// The calls that faults can affect.
const (
	CallBind Call = iota
	CallPatchStatus
	CallDelete
	CallPlugin
	// CallVolume is the update of a volume or a claim before a binding.
	CallVolume
	// CallResourceClaim is a write of a claim for devices.
	CallResourceClaim
)

func callOf(a world.Action) Call {
	switch a.(type) {
	case world.PatchStatus:
		return CallPatchStatus
	case world.Delete:
		return CallDelete
	case world.RunPlugin:
		return CallPlugin
	case world.ClaimVolume, world.SelectNode:
		return CallVolume
	case world.ReserveResourceClaim, world.UnreserveResourceClaim, world.DeallocateResourceClaim, world.CreateResourceClaim, world.DeleteResourceClaim:
		return CallResourceClaim
	}
	return CallBind
}

// Fault is a fault of one call.
type Fault uint8

const (
	// RequestRefused: the API server returns an internal error without doing anything. A plugin returns an error.
	RequestRefused Fault = iota + 1
	// RequestLost: the call times out and was never carried out.
	RequestLost
	// ReplyLost: the call times out and was carried out.
	ReplyLost
	// BoundByOther: another scheduler binds the pod just before. It affects bindings only.
	BoundByOther
	// RequestThrottled: the API server answers that there are too many requests, without doing anything. A plugin returns an error.
	RequestThrottled
)

// callTimeout is how long a caller waits for a lost response.
const callTimeout = 10 * time.Second

// SetFaults replaces the random faults from now on.
func (c *Cluster) SetFaults(f Faults) { c.options.Faults = f }

// InjectFault makes a fault affect the next call of a kind, after the faults injected earlier.
func (c *Cluster) InjectFault(call Call, m Fault) { c.injected[call] = append(c.injected[call], m) }

// nextFault returns the fault of a call, zero for none.
func (c *Cluster) nextFault(call Call) Fault {
	if waiting := c.injected[call]; len(waiting) > 0 {
		c.injected[call] = waiting[1:]
		return waiting[0]
	}
	f := c.options.Faults.Calls[call]
	switch {
	case c.faults.happens(f.Refuse):
		return RequestRefused
	case c.faults.happens(f.Lose):
		return RequestLost
	case c.faults.happens(f.LoseReply):
		return ReplyLost
	case call == CallBind && c.faults.happens(f.BoundByOther):
		return BoundByOther
	case c.faults.happens(f.Throttle):
		return RequestThrottled
	}
	return 0
}

// performWithFaults carries out an effect with its faults, and returns the delay of its outcome.
func (c *Cluster) performWithFaults(e world.Effect) (world.Outcome, time.Duration) {
	call := callOf(e.Action)
	m := c.nextFault(call)
	var late time.Duration
	if f := c.options.Faults.Calls[call]; c.faults.happens(f.Slow) {
		late = c.faults.delay(f.SlowBy)
	}
	switch m {
	case RequestRefused:
		return refusal(call), late
	case RequestThrottled:
		return throttled(call), late
	case RequestLost:
		return lostOutcome, late + callTimeout
	case ReplyLost:
		c.perform(e)
		c.history.markOutcomeLost(e)
		return lostOutcome, late + callTimeout
	case BoundByOther:
		if bind, ok := e.Action.(world.Bind); ok {
			_ = c.bind(world.Bind{Pod: bind.Pod, Node: c.otherSchedulersNode(bind.Node)}, 0)
		}
	}
	return c.perform(e), late
}

var lostOutcome = outcomeOf(apierrors.NewTimeoutError("the call timed out", 0))

func refusal(call Call) world.Outcome {
	if call == CallPlugin {
		return world.Outcome{Code: fwk.Error, Message: "the plugin failed on request"}
	}
	return outcomeOf(apierrors.NewInternalError(fmt.Errorf("the API server failed on request")))
}

func throttled(call Call) world.Outcome {
	if call == CallPlugin {
		return refusal(call)
	}
	return outcomeOf(apierrors.NewTooManyRequests("the server has received too many requests", 1))
}

// otherSchedulersNode is the node that another scheduler chooses: a random node, or the same one if there is none.
func (c *Cluster) otherSchedulersNode(wanted string) string {
	nodes := c.List(world.Node)
	if len(nodes) == 0 {
		return wanted
	}
	return nodes[c.faults.rand().IntN(len(nodes))].GetName()
}

// BreakWatch ends the scheduler's watch of a kind. No event of the kind is delivered until a relist, the given time
// later.
func (c *Cluster) BreakWatch(kind world.Kind, relistAfter time.Duration) {
	if c.streams[kind] != nil {
		c.relist(c.now.Add(relistAfter), kind)
	}
}

// StallWatch delays all later events of a kind for the given time.
func (c *Cluster) StallWatch(kind world.Kind, d time.Duration) {
	if s := c.streams[kind]; s != nil {
		s.stalledUntil = c.now.Add(d)
	}
}

// DuplicateNext delivers the next n events of a kind twice each.
func (c *Cluster) DuplicateNext(kind world.Kind, n int) {
	if s := c.streams[kind]; s != nil {
		s.duplicates += n
	}
}

// RestartServer stops the API server for some time. Calls fail with ServiceUnavailable, kubelets and controllers wait,
// every watch breaks, and everything is relisted when the server is back.
func (c *Cluster) RestartServer(down time.Duration) {
	c.downUntil = c.now.Add(down)
	c.relist(c.downUntil, c.watched()...)
}

// SlowDown adds a delay to every call and every watch event for some time.
func (c *Cluster) SlowDown(d time.Duration, by Delay) {
	c.slowUntil, c.slowBy = c.now.Add(d), by
}

func (c *Cluster) extraDelay() time.Duration {
	if c.now.Before(c.slowUntil) {
		return c.latency.delay(c.slowBy)
	}
	return 0
}

// blockedByOutage reports whether an event has to wait while the API server is down, as all actions of kubelets and
// controllers do.
func (c *Cluster) blockedByOutage(h simEvent) bool {
	if !c.now.Before(c.downUntil) {
		return false
	}
	switch h.(type) {
	case effectArrival, scriptedAction, extenderAnswer:
		return false
	}
	return true
}
