package live

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"

	"orrery/core/world"
)

// eventEmitter writes Kubernetes events through client-go's broadcaster: at most 1,000 wait, equal ones become a series,
// and an API server without events.k8s.io gets core events.
type eventEmitter struct {
	broadcaster broadcaster
	recorders   map[string]events.EventRecorderLogger // by reporting controller
	logger      klog.Logger
}

// broadcaster is client-go's adapter of both event APIs.
type broadcaster interface {
	StartRecordingToSink(stop <-chan struct{})
	NewRecorder(name string) events.EventRecorderLogger
	DeprecatedNewLegacyRecorder(name string) record.EventRecorderLogger
	Shutdown()
}

func newEventEmitter(ctx context.Context, client kubernetes.Interface) *eventEmitter {
	a := &eventEmitter{
		broadcaster: events.NewEventBroadcasterAdapterWithContext(ctx, client),
		recorders:   map[string]events.EventRecorderLogger{}, logger: klog.FromContext(ctx),
	}
	a.broadcaster.StartRecordingToSink(ctx.Done())
	return a
}

func (a *eventEmitter) stop() { a.broadcaster.Shutdown() }

func (a *eventEmitter) emit(act world.EmitEvent, regarding, related *v1.Pod) {
	recorder := a.recorders[act.Controller]
	if recorder == nil {
		recorder = a.broadcaster.NewRecorder(act.Controller).WithLogger(a.logger)
		a.recorders[act.Controller] = recorder
	}
	about := referTo(act.Regarding, regarding)
	if act.Related == nil {
		recorder.Eventf(about, nil, act.Type, act.Reason, act.Action, "%s", act.Note)
		return
	}
	recorder.Eventf(about, referTo(*act.Related, related), act.Type, act.Reason, act.Action, "%s", act.Note)
}

// referTo makes a reference to a pod. Its resource version is part of what identifies a series, as in kube-scheduler.
func referTo(ref world.PodRef, pod *v1.Pod) *v1.ObjectReference {
	to := &v1.ObjectReference{Kind: "Pod", APIVersion: "v1", Namespace: ref.Namespace, Name: ref.Name, UID: ref.UID}
	if pod != nil {
		to.ResourceVersion = pod.ResourceVersion
	}
	return to
}

func (c *Cluster) emitEvent(act world.EmitEvent) {
	if !c.options.Allowed() {
		return
	}
	var related *v1.Pod
	if act.Related != nil {
		related = c.knownPod(*act.Related)
	}
	c.events().emit(act, c.knownPod(act.Regarding), related)
}

// LeaseRecorder records core events about a lease in the name of a scheduler. It works before Start.
func (c *Cluster) LeaseRecorder(scheduler string) record.EventRecorder {
	return c.events().broadcaster.DeprecatedNewLegacyRecorder(scheduler)
}
