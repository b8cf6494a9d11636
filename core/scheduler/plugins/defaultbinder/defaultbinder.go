// Package defaultbinder binds a pod to its node through the binding subresource.
//
// Inside Orrery the engine emits [DefaultBinder.Binding] as an effect, whose outcome is a later input: nothing waits. Hosted
// by another runtime, Bind makes the call itself and waits for it.
package defaultbinder

import (
	"context"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	"orrery/core/world"
)

// Name of the plugin, in configurations, metrics and statuses.
const Name = config.DefaultBinder

// DefaultBinder is the plugin.
type DefaultBinder struct{ handle fwk.Handle }

var (
	_ fwk.BindPlugin   = (*DefaultBinder)(nil)
	_ framework.Binder = (*DefaultBinder)(nil)
)

// New makes the plugin; it takes no arguments.
func New(_ context.Context, _ runtime.Object, h fwk.Handle, _ config.Features) (fwk.Plugin, error) {
	return &DefaultBinder{handle: h}, nil
}

// Name is the plugin's name.
func (*DefaultBinder) Name() string { return Name }

// Binding binds a pod to a node. It has the UID, so that a pod recreated under the same name is not bound.
func (*DefaultBinder) Binding(pod *v1.Pod, node string) world.Bind {
	return world.Bind{Pod: world.PodRefOf(pod), Node: node}
}

// Bind makes the binding and waits: through the host's API cacher if it has one, otherwise by a call of its own. It returns
// the API server's error unchanged.
func (b *DefaultBinder) Bind(ctx context.Context, _ fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
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
