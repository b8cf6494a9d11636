package whatif

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/answers/change"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// compareRuns compares two runs at rest.
func compareRuns(e *engine.Engine, changes []change.Change, plain, changed *run) *Result {
	changed.slots.matchRemaining()
	a := &Result{
		Changes: changes, At: plain.start, Without: plain.measure(), With: changed.measure(),
		Notes: changed.notes, RestAt: changed.lastChange, Truncated: plain.truncated || changed.truncated,
	}
	changed.noteUnknown(plain.unknown)
	if len(changed.unknown) > 0 {
		a.Notes = append(a.Notes, "what extenders would say is unknown, which are not asked: "+strings.Join(changed.unknown, ", "))
	}
	for _, d := range changed.drains {
		a.Blocked = append(a.Blocked, d.blocked(changed)...)
		a.ToEvict += len(d.machine.Plan().Evict)
	}
	c := comparison{plain: plain, changed: changed, result: a, seen: map[types.UID]bool{}}
	c.alignHeirs()
	c.compareTouched()
	c.comparePending(e)
	c.compareNewPods()
	c.leaveOutChance(e)
	slices.SortFunc(a.Pods, byPod)
	slices.SortFunc(a.StillPending, byPod)
	return a
}

func byPod(x, y PodChange) int {
	return cmp.Or(cmp.Compare(x.Pod.Namespace, y.Pod.Namespace), cmp.Compare(x.Pod.Name, y.Pod.Name), cmp.Compare(x.Pod.UID, y.Pod.UID))
}

// comparison compares two runs pod by pod.
type comparison struct {
	plain, changed *run
	result         *Result
	seen           map[types.UID]bool
}

// compareTouched compares the pods of the start that something has happened to since.
func (c *comparison) compareTouched() {
	for _, r := range []*run{c.plain, c.changed} {
		for _, s := range r.slots.slots {
			if s.origin != (world.PodRef{}) {
				c.compare(s.origin)
			}
		}
	}
}

// comparePending compares the pods that had no node at the start, changed or not.
func (c *comparison) comparePending(e *engine.Engine) {
	for pod := range objects[*v1.Pod](e.Store(), world.Pod) {
		if pod.Spec.NodeName == "" {
			c.compare(world.PodRefOf(pod))
		}
	}
}

func (c *comparison) compare(pod world.PodRef) {
	if !c.seen[pod.UID] {
		c.seen[pod.UID] = true
		c.add(pod, c.plain.outcomeOf(pod), c.changed.outcomeOf(pod))
	}
}

// compareNewPods compares pods that came later and took no slot: by owner, in order of arrival.
func (c *comparison) compareNewPods() {
	before, after := c.plain.newPods(), c.changed.newPods()
	owners := map[string]bool{}
	for _, all := range []map[string][]PodOutcome{before, after} {
		for owner := range all {
			owners[owner] = true
		}
	}
	for _, owner := range slices.Sorted(maps.Keys(owners)) {
		was, is := before[owner], after[owner]
		for i := range max(len(was), len(is)) {
			var from, to PodOutcome
			if i < len(was) {
				from = was[i]
			}
			if i < len(is) {
				to = is[i]
			}
			pod := to.Pod
			if pod == (world.PodRef{}) {
				pod = from.Pod
			}
			c.add(pod, from, to)
		}
	}
}

// newPods returns the outcomes of pods that came later and took no slot, by owner.
func (r *run) newPods() map[string][]PodOutcome {
	all := map[string][]PodOutcome{}
	for _, s := range r.slots.slots {
		if s.origin == (world.PodRef{}) && !s.vacated {
			all[s.owner] = append(all[s.owner], r.slotOutcome(s))
		}
	}
	return all
}

// add records a pod if its outcome differs or it is pending in both runs.
func (c *comparison) add(pod world.PodRef, before, after PodOutcome) {
	p := PodChange{Pod: pod, Without: before, With: after}
	var differs bool
	if p.Kind, differs = changeKindOf(before, after); differs {
		c.result.Pods = append(c.result.Pods, p)
	}
	if before.Pending() && after.Pending() {
		p.Kind = StillPending
		c.result.StillPending = append(c.result.StillPending, p)
	}
}

// changeKindOf returns how two outcomes of a pod differ, if they do. A replacement on the same node is no difference.
func changeKindOf(before, after PodOutcome) (ChangeKind, bool) {
	there, still := before.Pod != (world.PodRef{}), after.Pod != (world.PodRef{})
	left := after.RemovedBy != "" && before.RemovedBy == "" // because of the changes
	switch {
	case !there && !still:
		return 0, false
	case !there && before.State == "":
		return Created, true
	case !there:
		return NotEvicted, true
	case !still && (before.Node == "" || meant(after.RemovedBy)):
		return Gone, true
	case !still:
		return Evicted, true
	case before.Node == after.Node && before.Node != "":
		return 0, false
	case before.Node == "" && after.Node == "":
		return StillPending, false // the reason may differ, but the pod is pending
	case before.Node == "":
		return Placed, true
	case after.Node == "" && left && !meant(after.RemovedBy):
		return Evicted, true
	case after.Node == "":
		return BecomesPending, true
	case left:
		return Moved, true
	}
	return OtherNode, true
}

// outcomeOf returns the outcome of a pod of the start.
func (r *run) outcomeOf(pod world.PodRef) PodOutcome {
	if s := r.slots.byPod[pod.UID]; s != nil {
		return r.slotOutcome(s)
	}
	return r.slotOutcome(&slot{origin: pod, current: pod})
}

// slotOutcome returns the outcome of the pod in a slot.
func (r *run) slotOutcome(s *slot) PodOutcome {
	left := ""
	if s.origin != (world.PodRef{}) && (s.vacated || s.current != s.origin) {
		left = s.removedBy
	}
	pod := r.engine.Store().Pod(s.current.Namespace, s.current.Name)
	gone := PodOutcome{State: engine.StateGone, RemovedBy: left}
	if pod == nil || pod.UID != s.current.UID || !s.holds() {
		return gone
	}
	f := PodOutcome{Pod: s.current, State: r.engine.PodState(pod.Namespace, pod.Name), Node: nodeOf(r.engine, pod, r.heldAtRest()), RemovedBy: left}
	switch {
	case f.Node != "":
		return f
	case hasEnded(pod):
		return gone
	case f.State == engine.StateGone:
		f.State = "" // it is there, and none of the profiles schedules it
	}
	r.setReason(pod, &f)
	return f
}

// setReason sets why a pod has no node.
func (r *run) setReason(pod *v1.Pod, o *PodOutcome) {
	if gates := pod.Spec.SchedulingGates; len(gates) > 0 {
		names := make([]string, len(gates))
		for i, g := range gates {
			names[i] = g.Name
		}
		o.Reason.Reason = "scheduling gates: " + strings.Join(names, ", ")
	} else if o.State == engine.StateWaiting {
		o.Reason.Reason = "waits on Permit for others of its gang"
	} else if held := r.heldAtRest()[pod.UID]; held != "" {
		o.Reason.Reason = "has a place and waits for " + held
	} else if d := r.latestDecisions()[pod.UID]; d != nil {
		if o.Reason, o.TotalNodes = d.MainRejection(), d.Nodes; d.Verdict == engine.Placed {
			o.Reason, o.TotalNodes = engine.Rejection{Reason: "had a place on " + d.Node + ", and was not bound"}, 0
		}
	} else if !slices.Contains(r.engine.Profiles(), pod.Spec.SchedulerName) {
		o.Reason.Reason = fmt.Sprintf("waits for scheduler %q: no profile here has that name", pod.Spec.SchedulerName)
	} else {
		o.Reason.Reason = world.PendingMessage(pod)
	}
}

// latestDecisions returns the last decision about each pod, as far as the engine keeps decisions.
func (r *run) latestDecisions() map[types.UID]*engine.Decision {
	if r.latestByPod == nil {
		r.latestByPod = map[types.UID]*engine.Decision{}
		for d := range r.engine.Decisions() {
			if r.latestByPod[d.Pod.UID] == nil {
				r.latestByPod[d.Pod.UID] = d
			}
		}
	}
	return r.latestByPod
}
