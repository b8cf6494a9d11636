package device

import (
	"strconv"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/evict"
	"orrery/core/world"
)

const (
	firstPause   = 5 * time.Millisecond
	longestPause = 1000 * time.Second
)

// mark tells a pod's owner why it leaves.
var mark = v1.PodCondition{
	Reason: "DeletionByDeviceTaintManager", Message: "Device Taint manager: deleting due to NoExecute taint",
}

// pauseAfter is how long to wait after that many failed attempts.
func pauseAfter(attempts int) time.Duration {
	pause := firstPause
	for ; attempts > 1 && pause < longestPause; attempts-- {
		pause *= 2
	}
	return min(pause, longestPause)
}

// duty is a pod that is to leave.
type duty struct {
	pod world.Ref
	due *due
}

// judge decides when a pod leaves, anew.
func (c *Controller) judge(pod *v1.Pod) {
	d := c.podDue(pod, c.known)
	if d == nil {
		c.letStay(pod)
		return
	}
	for _, r := range d.reasons {
		if r.rule.name != "" {
			c.reports.SetBy(r.rule, c.now.Add(reportPeriod))
		}
	}
	had, runs := c.duties[pod.UID]
	if c.asked[pod.UID] || runs && had.due.equal(d) || !runs && pod.DeletionTimestamp != nil {
		return
	}
	c.duties[pod.UID] = duty{world.RefOf(pod), d}
	if !c.removals.UnderWay(pod.UID) {
		c.timers.Set(pod.UID, later(d.when, c.now))
		c.note(pod, evict.Counting, d)
	}
}

// letStay ends a pod's duty to leave, if it has one and is not being deleted for it.
func (c *Controller) letStay(pod *v1.Pod) {
	if _, runs := c.duties[pod.UID]; !runs {
		return
	}
	if c.removals.UnderWay(pod.UID) && !c.removals.CallOff(pod.UID) {
		return
	}
	delete(c.duties, pod.UID)
	c.timers.Stop(pod.UID)
	c.removals.Cancelled()
	c.announce(pod, "Cancelling deletion")
	if pod.DeletionTimestamp == nil {
		c.close(pod, evict.Cancelled, "no device it uses has a taint that makes it leave")
	}
}

// fire has a pod leave whose time has come. One that is leaving already needs no asking.
func (c *Controller) fire(uid types.UID) {
	d := c.duties[uid]
	pod := c.store.Pod(d.pod.Namespace, d.pod.Name)
	if pod.DeletionTimestamp != nil {
		delete(c.duties, uid)
		if was, known := c.board.Find(uid, evict.DeviceTaint); known && was.Phase == evict.Counting {
			was.Foretold.Instead = "it was leaving for another reason"
			c.board.Write(was)
			c.close(pod, evict.Cancelled, "it is leaving for another reason")
		}
		return
	}
	c.note(pod, evict.Leaving, d.due)
	if c.options.Act {
		c.announce(pod, "Marking for deletion")
		c.removals.Begin(c.now, pod, d.due.when)
	}
}

// removed ends a pod's duty to leave. A pod that was deleted counts for every rule that called for it.
func (c *Controller) removed(ref world.Ref, deleted bool) {
	d := c.duties[ref.UID]
	delete(c.duties, ref.UID)
	if !deleted {
		return
	}
	if pod := c.store.Pod(ref.Namespace, ref.Name); pod != nil && pod.UID == ref.UID {
		c.asked[ref.UID] = true
	}
	for _, r := range d.due.reasons {
		if rule := c.store.Object(world.DeviceTaintRule, "", r.rule.name); rule != nil && rule.GetUID() == r.rule.uid {
			c.evicted[r.rule.uid]++
			c.reports.SetBy(r.rule, c.now.Add(reportPeriod))
		}
	}
}

// podGone ends everything about a pod that is no more. An outcome that is still to come needs to know the duty.
func (c *Controller) podGone(pod *v1.Pod) {
	c.timers.Stop(pod.UID)
	c.removals.Gone(pod.UID)
	delete(c.asked, pod.UID)
	if !c.removals.UnderWay(pod.UID) {
		delete(c.duties, pod.UID)
	}
	d, known := c.board.Find(pod.UID, evict.DeviceTaint)
	switch {
	case !known:
	case d.Foretold.Instead == "" && d.Phase == evict.Leaving || c.removals.Marked(pod):
		c.close(pod, evict.Left, d.Why)
	default:
		c.close(pod, evict.Cancelled, "it is gone for another reason")
	}
}

// announce tells the world of a pod's fate.
func (c *Controller) announce(pod *v1.Pod, note string) {
	if c.options.Act {
		c.removals.Do(c.now, world.Announce{
			Regarding: world.RefOf(pod), Type: v1.EventTypeNormal, Reason: "DeviceTaintManagerEviction",
			Note: note, Controller: Name,
		})
	}
}

// note writes on the board how far a pod's departure has come.
func (c *Controller) note(pod *v1.Pod, phase evict.Phase, d *due) {
	departure := evict.Departure{
		Pod: world.RefOf(pod), Node: pod.Spec.NodeName, Cause: evict.DeviceTaint, Phase: phase,
		Predicted: !c.options.Act && !c.removals.Marked(pod), By: Name, Why: why(d), Noticed: c.now, Deadline: d.when,
	}
	departure.Budget, departure.Allowed = c.board.Guarding(pod)
	if departure.Predicted {
		departure.Foretold.Due = later(d.when, c.now)
	}
	if pod.DeletionTimestamp != nil {
		departure.Phase, departure.Deadline = evict.Leaving, pod.DeletionTimestamp.Time
	}
	c.board.Write(departure)
}

func why(d *due) string {
	text := d.reasons[0].String()
	if more := len(d.reasons) - 1; more > 0 {
		text += " and " + strconv.Itoa(more) + " more"
	}
	return text
}

// close writes that a departure is over, if there was one.
func (c *Controller) close(pod *v1.Pod, phase evict.Phase, why string) {
	d, known := c.board.Find(pod.UID, evict.DeviceTaint)
	if !known {
		return
	}
	d.Phase, d.Why, d.Ended = phase, why, c.now
	c.board.Write(d)
}

// noteDeletion writes by when a pod must be gone that has been asked to leave.
func (c *Controller) noteDeletion(pod *v1.Pod) {
	d, known := c.board.Find(pod.UID, evict.DeviceTaint)
	if known && (d.Phase == evict.Leaving || c.removals.Marked(pod)) {
		d.Phase, d.Deadline = evict.Leaving, pod.DeletionTimestamp.Time
		c.board.Write(d)
	}
}
