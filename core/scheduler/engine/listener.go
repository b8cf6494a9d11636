package engine

import (
	"context"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/queue"
	"orrery/core/scheduler/store"
	"orrery/core/world"
)

// Listener observes, for metrics, what neither decisions nor effects contain. It must not call the engine or keep its
// arguments. A fork has none. Durations are the stopwatch's, and zero without one; waited and Since are the engine's
// time.
type Listener interface {
	// Recorded reports a transition of the queue; took is the duration of the hint for queue.HintRun.
	Recorded(t *queue.Transition, took time.Duration)
	// Handled reports an applied change of the cluster, with the label of its event.
	Handled(event string, took time.Duration)
	// Chose reports the end of a search for a node, successful or not.
	Chose(took time.Duration)
	// Attempted reports the end of an attempt, including its binding.
	Attempted(a Attempted)
	// Permitted reports the end of a pod's wait for a permit.
	Permitted(code fwk.Code, waited time.Duration)
	// Hinted reports a lookup in the batch, Rescored that it was scored anew, Kept a storing of scores for the next pod.
	Hinted(profile string, hinted bool, took time.Duration)
	Rescored(profile string, took time.Duration)
	Kept(profile string, took time.Duration)
}

// Attempted is the result of an attempt, after its binding if there was one.
type Attempted struct {
	Profile string
	// Verdict is Placed for a pod that was bound.
	Verdict Verdict
	// Attempts counts the pod's attempts, including this one.
	Attempts int
	// Flushed says that the flush of pods which had waited for too long brought the pod back for the attempt, if the release counts that.
	Flushed bool
	Took    time.Duration
	// Since is the engine's time since the pod's first attempt.
	Since time.Duration
}

// attempted notifies the listener of the end of an attempt; started is its start by the stopwatch.
func (e *Engine) attempted(popped *queue.Pod, profile string, verdict Verdict, started time.Duration) {
	if e.options.Listener == nil || popped == nil {
		return
	}
	a := Attempted{Profile: profile, Verdict: verdict, Attempts: popped.GetAttempts(), Flushed: popped.WasFlushed(), Took: e.elapsed() - started}
	if first := popped.GetInitialAttemptTimestamp(); first != nil {
		a.Since = e.now.Sub(*first)
	}
	e.options.Listener.Attempted(a)
}

// verdictOf is the verdict of an attempt that failed with this status.
func verdictOf(status *fwk.Status) Verdict {
	if status.IsRejected() {
		return Unschedulable
	}
	return Failed
}

// eventOf returns the event of a change as a whole; plugins may see a modification as several others. Its resource is
// empty for kinds that requeue no pod.
func (e *Engine) eventOf(d store.Delta) fwk.ClusterEvent {
	event := fwk.ClusterEvent{Resource: resourceOf(d.Kind)}
	switch d.Kind {
	case world.Node:
		event.Resource = fwk.Node
	case world.Pod:
		event.Resource = e.gates.UnscheduledPod()
		if pod, _ := changedObject(d).(*v1.Pod); assigned(pod) {
			event.Resource = fwk.AssignedPod
		}
	}
	event.ActionType = [...]fwk.ActionType{world.Added: fwk.Add, world.Modified: fwk.Update, world.Deleted: fwk.Delete}[d.Op]
	return event
}

func changedObject(d store.Delta) world.Object {
	if d.New != nil {
		return d.New
	}
	return d.Old
}

// timedHints wraps a plugin's EnqueueExtensions to time its hints.
type timedHints struct {
	fwk.EnqueueExtensions
	engine *Engine
}

// EventsToRegister returns the plugin's events with every hint timed.
func (t timedHints) EventsToRegister(ctx context.Context) ([]fwk.ClusterEventWithHint, error) {
	events, err := t.EnqueueExtensions.EventsToRegister(ctx)
	timed := make([]fwk.ClusterEventWithHint, len(events))
	for i, event := range events {
		timed[i] = event
		if hint := event.QueueingHintFn; hint != nil {
			timed[i].QueueingHintFn = func(logger klog.Logger, pod *v1.Pod, was, is any) (fwk.QueueingHint, error) {
				began := t.engine.elapsed()
				defer func() { t.engine.hintDuration = t.engine.elapsed() - began }()
				return hint(logger, pod, was, is)
			}
		}
	}
	return timed, err
}

// timedExtensions times the plugins' hints if there is a listener and a stopwatch.
func (e *Engine) timedExtensions(extensions []fwk.EnqueueExtensions) []fwk.EnqueueExtensions {
	if e.options.Listener == nil || e.stopwatch == nil {
		return extensions
	}
	for i, extension := range extensions {
		extensions[i] = timedHints{extension, e}
	}
	return extensions
}
