package engine

import (
	"context"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/queue"
	"orrery/core/store"
	"orrery/core/world"
)

// Listener hears of what neither decisions nor effects tell, as it happens: what metrics are made of. It must not call
// the engine, and what it is handed is lent. A fork has none. Durations are by the engine's stopwatch, and zero without
// one, except where the engine's own time is meant.
type Listener interface {
	// Recorded is a record of the queue; took is how long a plugin thought about a record of queue.Asked.
	Recorded(t *queue.Transition, took time.Duration)
	// Handled is a change of the cluster that was taken in, under the label of its event.
	Handled(event string, took time.Duration)
	// Chose is a search for a node that has ended, whether it found one or not.
	Chose(took time.Duration)
	// Attempted is an attempt that has ended, its binding included.
	Attempted(a Attempted)
	// Permitted is the end of a pod's wait for permission, after so much of the engine's time.
	Permitted(code fwk.Code, waited time.Duration)
	// Hinted is the question whether the last pod's scores speak for this one, Kept that they were kept for the next.
	Hinted(profile string, hinted bool, took time.Duration)
	Kept(profile string, took time.Duration)
}

// Attempted is how an attempt ended, after its binding if it came so far.
type Attempted struct {
	Profile string
	// Verdict is Placed for a pod that was bound.
	Verdict Verdict
	// Attempts counts those of this pod, with this one.
	Attempts int
	Took     time.Duration
	// Since is how long ago, by the engine's time, the pod's first attempt could have begun.
	Since time.Duration
}

// attempted tells the listener how an attempt ended that began at a reading of the stopwatch.
func (e *Engine) attempted(popped *queue.Pod, profile string, verdict Verdict, started time.Duration) {
	if e.options.Listener == nil || popped == nil {
		return
	}
	a := Attempted{Profile: profile, Verdict: verdict, Attempts: popped.GetAttempts(), Took: e.elapsed() - started}
	if first := popped.GetInitialAttemptTimestamp(); first != nil {
		a.Since = e.now.Sub(*first)
	}
	e.options.Listener.Attempted(a)
}

// verdictOf is the verdict on a pod that did not get its node.
func verdictOf(status *fwk.Status) Verdict {
	if status.IsRejected() {
		return Unschedulable
	}
	return Failed
}

// eventOf is the event that a change is as a whole; what a modified object means to plugins may be several others. It has
// no resource for objects that no plugin is woken by.
func eventOf(d store.Delta) fwk.ClusterEvent {
	event := fwk.ClusterEvent{Resource: resourceOf(d.Kind)}
	switch d.Kind {
	case world.Node:
		event.Resource = fwk.Node
	case world.Pod:
		event.Resource = queue.UnschedulablePod
		if pod, _ := either(d).(*v1.Pod); assigned(pod) {
			event.Resource = queue.AssignedPod
		}
	}
	event.ActionType = [...]fwk.ActionType{world.Added: fwk.Add, world.Modified: fwk.Update, world.Deleted: fwk.Delete}[d.Op]
	return event
}

func either(d store.Delta) world.Object {
	if d.New != nil {
		return d.New
	}
	return d.Old
}

// timedHints are the events of a plugin whose hints are timed.
type timedHints struct {
	fwk.EnqueueExtensions
	engine *Engine
}

// EventsToRegister is the plugin's own list, with a stopwatch around every hint.
func (t timedHints) EventsToRegister(ctx context.Context) ([]fwk.ClusterEventWithHint, error) {
	events, err := t.EnqueueExtensions.EventsToRegister(ctx)
	timed := make([]fwk.ClusterEventWithHint, len(events))
	for i, event := range events {
		timed[i] = event
		if hint := event.QueueingHintFn; hint != nil {
			timed[i].QueueingHintFn = func(logger klog.Logger, pod *v1.Pod, was, is any) (fwk.QueueingHint, error) {
				began := t.engine.elapsed()
				defer func() { t.engine.hintTook = t.engine.elapsed() - began }()
				return hint(logger, pod, was, is)
			}
		}
	}
	return timed, err
}

// timed puts a stopwatch around the hints of plugins if anybody listens.
func (e *Engine) timed(extensions []fwk.EnqueueExtensions) []fwk.EnqueueExtensions {
	if e.options.Listener == nil || e.stopwatch == nil {
		return extensions
	}
	for i, extension := range extensions {
		extensions[i] = timedHints{extension, e}
	}
	return extensions
}
