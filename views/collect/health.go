package collect

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/process/leader"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/queue"
	"orrery/core/world"
	"orrery/views"
)

// health collects what tells whether all is well, with devices or without. It reads only the nodes that have changed.
func (c *Collector) health(e *engine.Engine, devices bool) views.Health {
	h := views.Health{Known: true, Nodes: e.Store().Len(world.Node)}
	c.leaderHealth(&h, e)
	t := &c.troubled
	t.read(e)
	h.NotReady, h.Pressed, h.OnePressed, h.OnePressedKey = t.notReady, t.pressed, printable.Text(t.firstPressed), t.firstPressed
	c.stuckPod(&h, e)
	c.unboundPods(&h, e)
	h.Panics, h.LastPanic = latePanics(e)
	h.Refused, h.LastRefused = lateRefusals(e)
	if devices {
		c.deviceHealth(&h)
	}
	if c.options.History != nil {
		c.evictionList.refresh(c, e)
		h.Blocked, h.Overdue, h.BlockedReason = c.evictionList.blocked, c.evictionList.overdue, c.evictionList.blockedReason
	}
	return h
}

// panicsShown is how long a plugin's panic, or a refused object, counts as trouble.
const panicsShown = 5 * time.Minute

// lateRefusals counts the objects that were refused of late, or are used without a field, and returns the last.
func lateRefusals(e *engine.Engine) (n int, last string) {
	for _, refused := range slices.Backward(e.Refusals()) {
		if e.Now().Sub(refused.At) > panicsShown {
			break
		}
		if n++; n == 1 {
			last = printable.Line(refused.Err.Error(), maxRefusal)
		}
	}
	return n, last
}

// maxRefusal bounds the text of a refused object.
//
//orrery:limit screen; the text of an object that was refused, in characters; cut off
const maxRefusal = 300

// latePanics counts the plugins' panics of late, and returns the last.
func latePanics(e *engine.Engine) (n int, last string) {
	for _, problem := range slices.Backward(e.Problems()) {
		if e.Now().Sub(problem.At) > panicsShown {
			break
		}
		if panicked := (*framework.PluginPanic)(nil); errors.As(problem.Err, &panicked) {
			if n++; n == 1 {
				last = panicked.Error()
			}
		}
	}
	return n, last
}

func (c *Collector) leaderHealth(h *views.Health, e *engine.Engine) {
	ch := c.options.History
	if ch == nil {
		return
	}
	w := ch.leases.scheduler()
	if w == nil {
		return
	}
	r := w.Status(e.Now())
	if r.State == leader.Absent {
		return
	}
	v := electionOf(w, ch.options.Election, e.Now())
	h.Holder, h.Renewed, h.Lease, h.Retry = v.Holder, v.Renewed, v.Lease, v.Retry
}

// stuckPod counts the pods that were tried in vain, in unschedulablePods and in backoffQ, and names the one that has been pending
// for the longest.
func (c *Collector) stuckPod(h *views.Health, e *engine.Engine) {
	n := e.Queue().Counts()
	h.Unplaced = n.Unschedulable + n.Backoff + n.ErrorBackoff
	if h.Unplaced == 0 {
		return
	}
	if p := c.longest.of(e); p != nil {
		c.rows.of(e)
		row := c.rows.row(e, p)
		h.Stuck, h.StuckKey, h.StuckReason, h.StuckSince = row.Name, row.Key, row.Reason, row.Pending
		if main := framework.MainOf(world.PendingMessage(p.Pod())); main.Nodes > 0 {
			h.StuckReason, h.StuckOn = printable.Text(main.Reason), main.Nodes
		}
	}
}

// unboundAfter is how long a scheduler that is there may take to bind a pod for which this one has a place.
const unboundAfter = 5 * time.Second

// unboundPods finds pods that this scheduler has placed and that no other binds, as none leads. A shadow gives such a place up after a
// while, which counts as an error of the binding, and then finds one again.
func (c *Collector) unboundPods(h *views.Health, e *engine.Engine) {
	if !c.options.Shadows {
		return
	}
	givenUp := placesGivenUp(e)
	late := givenUp > 0
	if first := e.BindingsFrom(0, 1); len(first) > 0 {
		late = late || first[0].Attempt > 1 || e.Now().Sub(first[0].Since) >= unboundAfter
	}
	ch := c.options.History
	if !late || ch == nil {
		return
	}
	if w := ch.leases.scheduler(); w != nil && w.Status(e.Now()).State == leader.Held {
		return
	}
	h.Unbound = c.queueCounts(e).Decided + givenUp
	h.Unplaced -= givenUp
	if ch.leases.seen {
		h.Unheld = printable.Text(ch.leases.name().String())
	}
}

// placesGivenUp counts the pods that back off because nobody bound them, which takes a while. Those that failed at once, as of a
// plugin's error or panic, had no place, or lost it for another reason. A pod whose decision is not in the log any more counts.
func placesGivenUp(e *engine.Engine) int {
	failed := e.Queue().Counts().ErrorBackoff
	n, known := failed, 0
	for d := range e.Decisions() {
		if known == failed {
			break
		}
		p, queued := e.Queue().Get(d.Pod.Namespace, d.Pod.Name)
		if !queued || p.State() != queue.ErrorBackoff || p.GetAttempts() != d.Attempt || p.Pod().UID != d.Pod.UID {
			continue
		}
		if known++; d.Verdict != engine.Placed || p.Since().Sub(d.At) < unboundAfter {
			n--
		}
	}
	return n
}

// deviceHealth finds the devices that evict pods, and the claims without devices.
func (c *Collector) deviceHealth(h *views.Health) {
	x := &c.devices
	h.Evicting, h.EvictingPods, h.OneEvicting = x.evicting.devices, x.evicting.pods, x.evicting.first
	var claims [len(views.Devices{}.Claims)]int
	x.claims.counts(claims[:])
	h.UnmetClaims, h.Reading = claims[views.DeviceClaimPending], x.reading()
}

// troubledNodes are the nodes that are not ready, under pressure or cordoned, as the API server tells of them: the snapshot is older
// while nothing is scheduled.
type troubledNodes struct {
	mark              uint64 // the last change of a node that was read
	flags             map[string]views.NodeFlags
	notReady, pressed int
	// worst are the names of some of them, the gravest first, and firstPressed is the first of those under pressure.
	worst        []string
	firstPressed string
}

// maxWorst bounds the nodes in trouble that the overview lists.
//
//orrery:limit screen; nodes in trouble on the overview; the others are left out
const maxWorst = 16

// read reads the nodes that have changed.
func (t *troubledNodes) read(e *engine.Engine) {
	s := e.Store()
	names, mark, known := e.Profile(e.Profiles()[0]).ObjectChanges(world.Node, t.mark)
	t.mark = mark
	switch {
	case !known:
		t.flags = map[string]views.NodeFlags{}
		for o := range s.Objects(world.Node) {
			t.set(o.GetName(), o.(*v1.Node))
		}
	case len(names) == 0:
		return
	default:
		for _, name := range names {
			t.set(name.Name, s.Node(name.Name))
		}
	}
	t.count()
}

// set takes in a node; nil is one that was deleted.
func (t *troubledNodes) set(name string, node *v1.Node) {
	delete(t.flags, name)
	if node == nil {
		return
	}
	if flags := flagsOf(node); flags != 0 {
		t.flags[name] = flags
	}
}

func (t *troubledNodes) count() {
	t.notReady, t.pressed, t.firstPressed = 0, 0, ""
	t.worst = slices.SortedFunc(maps.Keys(t.flags), func(a, b string) int {
		return cmp.Or(cmp.Compare(gravity(t.flags[b]), gravity(t.flags[a])), strings.Compare(a, b))
	})
	for _, name := range t.worst {
		flags := t.flags[name]
		if flags&views.NotReady != 0 {
			t.notReady++
		}
		if flags&views.Pressed != 0 {
			t.pressed++
			if t.firstPressed == "" || name < t.firstPressed {
				t.firstPressed = name
			}
		}
	}
	t.worst = slices.Clone(t.worst[:min(len(t.worst), maxWorst)])
}

// gravity orders flags: a node that is not ready before one under pressure, and that before a cordoned one.
func gravity(flags views.NodeFlags) int {
	switch {
	case flags&views.NotReady != 0:
		return 2
	case flags&views.Pressed != 0:
		return 1
	}
	return 0
}
