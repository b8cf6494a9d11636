package taint

import (
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/evict"
	"orrery/core/world"
)

const (
	// attemptsInRow are made attemptPause apart. After them there is a longer pause, which doubles each time.
	attemptsInRow = 5
	attemptPause  = 10 * time.Millisecond
	firstPause    = time.Second
	longestPause  = time.Minute
)

// mark tells a pod's owner why it leaves.
var mark = v1.PodCondition{Reason: "DeletionByTaintManager", Message: "Taint manager: deleting due to NoExecute taint"}

// pauseAfter is how long to wait after that many failed attempts.
func pauseAfter(attempts int) time.Duration {
	if attempts%attemptsInRow != 0 {
		return attemptPause
	}
	pause := firstPause
	for row := attempts / attemptsInRow; row > 1 && pause < longestPause; row-- {
		pause *= 2
	}
	return min(pause, longestPause)
}

// leave makes a pod leave, which was due at that moment. One that only predicts says so, and waits to see it.
func (c *Controller) leave(pod *v1.Pod, due time.Time, why string) {
	c.note(pod, evict.Leaving, why)
	if !c.options.Act || c.removals.UnderWay(pod.UID) {
		return
	}
	c.announce(pod, "Marking for deletion Pod ")
	c.removals.Begin(c.now, pod, due)
}

// callOff stops a pod's leaving where that is still possible, and says whether the pod stays.
func (c *Controller) callOff(pod *v1.Pod) bool {
	if c.removals.UnderWay(pod.UID) {
		return c.removals.CallOff(pod.UID)
	}
	d, known := c.board.Find(pod.UID, evict.Taint)
	return known && (d.Phase != evict.Leaving || !c.options.Act)
}

// podGone ends everything about a pod that is no more.
func (c *Controller) podGone(pod *v1.Pod) {
	c.stopTimer(pod)
	c.removals.Gone(pod.UID)
	d, known := c.board.Find(pod.UID, evict.Taint)
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
		ref := world.RefOf(pod)
		c.removals.Do(c.now, world.Announce{
			Regarding: ref, Type: v1.EventTypeNormal, Reason: "TaintManagerEviction",
			Note: note + ref.String(), Controller: Name,
		})
	}
}
