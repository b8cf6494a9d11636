// Package defaultbinder binds a pod to its node through the binding subresource.
//
// It can say what is to be bound in two ways. Inside Orrery the framework asks for [Binder.Binding], a plain value
// that goes out as an effect and whose outcome comes back as an input: nothing waits. Hosted by another runtime, Bind
// makes the call itself and waits for it.
package defaultbinder

import (
	"context"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/config"
	"orrery/core/framework"
	"orrery/core/world"
)

// Name of the plugin, in configurations, metrics and statuses.
const Name = "DefaultBinder"

// Binder is the plugin.
type Binder struct{ handle fwk.Handle }

var (
	_ fwk.BindPlugin   = (*Binder)(nil)
	_ framework.Binder = (*Binder)(nil)
)

// New makes the plugin; it takes no arguments.
func New(_ context.Context, _ runtime.Object, h fwk.Handle, _ config.Features) (fwk.Plugin, error) {
	return &Binder{handle: h}, nil
}

// Name is the plugin's name.
func (*Binder) Name() string { return Name }

// Binding is the act that binds a pod to a node. The UID goes with it, so that a namesake created in the meantime is
// not bound in its place.
func (*Binder) Binding(pod *v1.Pod, node string) world.Bind {
	return world.Bind{Pod: world.RefOf(pod), Node: node}
}

// Bind carries the binding out and waits: through the host's queue of API calls where it has one, otherwise with a
// call of its own. The API server's error is passed on as it is.
func (b *Binder) Bind(ctx context.Context, _ fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
	binding := &v1.Binding{
		ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID},
		Target:     v1.ObjectReference{Kind: "Node", Name: node},
	}
	calls := b.handle.APICacher()
	if calls == nil {
		return fwk.AsStatus(b.handle.ClientSet().CoreV1().Pods(pod.Namespace).Bind(ctx, binding, metav1.CreateOptions{}))
	}
	done, err := calls.BindPod(binding)
	if err != nil {
		return fwk.AsStatus(err)
	}
	return fwk.AsStatus(calls.WaitOnFinish(ctx, done))
}
