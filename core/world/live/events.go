package live

import (
	"context"

	v1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"

	"orrery/core/world"
)

// eventEmitter writes Kubernetes events through client-go's broadcasters: at most 1,000 wait, equal ones become a series,
// and an API server without events.k8s.io gets core events.
//
// A broadcaster has a goroutine for each event until it is written, and remembers it for up to twelve minutes, since an equal
// one may follow. Both grow with the rate of events, so that another one goes on after maxBroadcast:
//
//	events ──► now, up to maxBroadcast ──┐
//	           before: writes the rest ──┴──► API server
//	           before that: ended
type eventEmitter struct {
	ctx    context.Context
	core   record.EventBroadcaster
	sink   events.EventSink // nil without events.k8s.io
	most   int              // events of one broadcaster
	now    *eventBroadcast
	before *eventBroadcast
	logger klog.Logger
}

// maxBroadcast is how many events one broadcaster gets.
//
//orrery:limit API server; Kubernetes events that are being written or may become a series, and up to as many more; the oldest are dropped, and are no series any more
const maxBroadcast = 1 << 13

// eventBroadcast is a broadcaster that writes to a sink until it is ended.
type eventBroadcast struct {
	events.EventBroadcaster
	end       context.CancelFunc
	recorders map[string]events.EventRecorderLogger // by reporting controller
	left      int                                   // how many events it still takes
}

func newEventEmitter(ctx context.Context, client kubernetes.Interface) *eventEmitter {
	a := &eventEmitter{ctx: ctx, core: record.NewBroadcaster(record.WithContext(ctx)), most: maxBroadcast, logger: klog.FromContext(ctx)}
	a.core.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: client.CoreV1().Events("")})
	if _, err := client.Discovery().ServerResourcesForGroupVersion(eventsv1.SchemeGroupVersion.String()); err == nil {
		a.sink = &events.EventSinkImpl{Interface: client.EventsV1()}
	}
	return a
}

func (a *eventEmitter) stop() {
	a.core.Shutdown()
	if a.now != nil {
		a.now.Shutdown()
	}
}

func (a *eventEmitter) emit(act world.EmitEvent, regarding, related *v1.Pod) {
	recorder := a.recorder(act.Controller)
	about := referTo(act.Regarding, regarding)
	if act.Related == nil {
		recorder.Eventf(about, nil, act.Type, act.Reason, act.Action, "%s", act.Note)
		return
	}
	recorder.Eventf(about, referTo(*act.Related, related), act.Type, act.Reason, act.Action, "%s", act.Note)
}

// recorder returns a recorder for one event of a controller.
func (a *eventEmitter) recorder(controller string) events.EventRecorderLogger {
	if a.sink == nil {
		return record.NewEventRecorderAdapter(a.coreRecorder(controller))
	}
	if a.now == nil || a.now.left == 0 {
		a.renew()
	}
	a.now.left--
	recorder := a.now.recorders[controller]
	if recorder == nil {
		recorder = a.now.NewRecorder(scheme.Scheme, controller).WithLogger(a.logger)
		a.now.recorders[controller] = recorder
	}
	return recorder
}

// renew begins a broadcaster, lets the present one write what it has, and ends the one before.
func (a *eventEmitter) renew() {
	if a.before != nil {
		a.before.end()
	}
	if a.before = a.now; a.before != nil {
		a.before.Shutdown()
	}
	a.now = &eventBroadcast{EventBroadcaster: events.NewBroadcaster(a.sink), recorders: map[string]events.EventRecorderLogger{}, left: a.most}
	var ctx context.Context
	ctx, a.now.end = context.WithCancel(a.ctx)
	if err := a.now.StartRecordingToSinkWithContext(ctx); err != nil {
		a.logger.Error(err, "Kubernetes events are not written")
	}
}

func (a *eventEmitter) coreRecorder(name string) record.EventRecorderLogger {
	return a.core.NewRecorder(scheme.Scheme, v1.EventSource{Component: name})
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
	if !c.options.Gate.open() {
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
	return c.events().coreRecorder(scheduler)
}
