package framework

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/safe/panics"
	"orrery/core/safe/printable"
)

// PluginPanic is a panic of a plugin, as the error that the call ends with. All its texts are printable.
type PluginPanic struct {
	Profile string
	Plugin  string
	Point   Point
	// Pod is the pod of the call, as namespace/name; empty where there is none.
	Pod string
	// Value is what the plugin panicked with, and Stack the goroutine's stack at the panic.
	Value, Stack string
}

// The calls of a plugin beyond the extension points.
const (
	makingPlugin     Point = "New"
	eventsToRegister Point = "EventsToRegister"
	queueingHint     Point = "QueueingHint"
	effectDone       Point = "EffectDone"
	forkFrom         Point = "ForkFrom"
	closing          Point = "Close"
	explain          Point = "Explain"
	// OnEvent is the call of a handler that a plugin has added to an informer.
	OnEvent Point = "OnEvent"
)

func (p *PluginPanic) Error() string {
	text := fmt.Sprintf("plugin %s panicked at %s", p.Plugin, p.Point)
	if p.Pod != "" {
		text += " of pod " + p.Pod
	}
	return text + ": " + p.Value
}

// NewPluginPanic describes a panic. The deferred function that has recovered calls it, so that the stack is still that of the
// panic.
func NewPluginPanic(plugin string, point Point, value any) *PluginPanic {
	about := panics.New("plugin", value)
	return &PluginPanic{Plugin: printable.Text(plugin), Point: point, Value: about.Value, Stack: about.Stack}
}

// panicked reports a plugin's panic and returns it as an error.
func (p *Profile) panicked(point Point, plugin string, pod *v1.Pod, value any) error {
	failure := NewPluginPanic(plugin, point, value)
	failure.Profile = p.name
	if pod != nil {
		failure.Pod = printable.Text(pod.Namespace + "/" + pod.Name)
	}
	if p.deps.OnPanic != nil {
		p.deps.OnPanic(failure)
	}
	return failure
}

// recovered makes a plugin's panic the Error status of the call. The function that calls the plugin defers it.
func (p *Profile) recovered(point Point, plugin string, pod *v1.Pod, status **fwk.Status) {
	if value := recover(); value != nil {
		*status = fwk.AsStatus(p.panicked(point, plugin, pod, value))
	}
}

// recoveredError is recovered, for calls that return an error.
func (p *Profile) recoveredError(point Point, plugin string, pod *v1.Pod, err *error) {
	if value := recover(); value != nil {
		*err = p.panicked(point, plugin, pod, value)
	}
}

// call calls a plugin. Filter and Score, which are called for every node, recover once for many calls instead.
func (p *Profile) call(point Point, plugin string, pod *v1.Pod, do func() *fwk.Status) (status *fwk.Status) {
	defer p.recovered(point, plugin, pod, &status)
	return withKnownCode(do())
}

// withKnownCode makes an error of a status with a code that the API does not define: its name would be out of range.
func withKnownCode(status *fwk.Status) *fwk.Status {
	if code := status.Code(); code < fwk.Success || code > fwk.Pending {
		return fwk.AsStatus(status.AsError())
	}
	return status
}
