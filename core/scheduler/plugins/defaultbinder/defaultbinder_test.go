package defaultbinder_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientset "k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/plugins/defaultbinder"
	"orrery/core/testing/mk"
	"orrery/core/testing/plugintest"
	"orrery/core/world"
)

// host is a handle that has a client and perhaps a queue of API calls.
type host struct {
	fwk.Handle
	client clientset.Interface
	calls  fwk.APICacher
}

func (h host) ClientSet() clientset.Interface { return h.client }
func (h host) APICacher() fwk.APICacher       { return h.calls }

// queuedCalls is an API cacher that records bindings and returns the given errors from BindPod and WaitOnFinish.
type queuedCalls struct {
	fwk.APICacher
	bound     []*v1.Binding
	bindErr   error
	finishErr error
}

func (q *queuedCalls) BindPod(b *v1.Binding) (<-chan error, error) {
	q.bound = append(q.bound, b)
	return make(chan error), q.bindErr
}

func (q *queuedCalls) WaitOnFinish(context.Context, <-chan error) error { return q.finishErr }

func binder(t *testing.T, h fwk.Handle) *defaultbinder.DefaultBinder {
	plugin, err := defaultbinder.New(t.Context(), nil, h, config.DefaultFeatures())
	if err != nil {
		t.Fatal(err)
	}
	return plugin.(*defaultbinder.DefaultBinder)
}

var (
	pod  = mk.Pod("p").Namespace("shop").UID("u1").Obj()
	want = &v1.Binding{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "p", UID: "u1"},
		Target:     v1.ObjectReference{Kind: "Node", Name: "n1"},
	}
)

func TestBinding_CarriesUID(t *testing.T) {
	got := binder(t, nil).Binding(pod, "n1")
	act := world.Bind{Pod: world.PodRef{Namespace: "shop", Name: "p", UID: "u1"}, Node: "n1"}
	if diff := cmp.Diff(act, got); diff != "" {
		t.Errorf("binding (-want +got):\n%s", diff)
	}
}

func TestBind_CallsAPI(t *testing.T) {
	for name, tc := range map[string]struct {
		apiErr error
		want   string
	}{
		"the call succeeds": {nil, "Success"},
		"the call fails":    {errors.New("the pod has moved on"), "Error: the pod has moved on"},
	} {
		t.Run(name, func(t *testing.T) {
			client := fake.NewClientset()
			var sent *v1.Binding
			client.PrependReactor("create", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
				if action.GetSubresource() != "binding" {
					t.Errorf("created the subresource %q", action.GetSubresource())
				}
				sent = action.(clienttesting.CreateAction).GetObject().(*v1.Binding)
				return true, sent, tc.apiErr
			})
			status := binder(t, host{client: client}).Bind(t.Context(), nil, pod, "n1")
			if got := plugintest.StatusText(status); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
			if diff := cmp.Diff(want, sent); diff != "" {
				t.Errorf("binding sent (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBind_UsesHostAPICacher(t *testing.T) {
	for name, tc := range map[string]struct {
		calls queuedCalls
		want  string
	}{
		"the call succeeds":          {queuedCalls{}, "Success"},
		"the queue rejects the call": {queuedCalls{bindErr: errors.New("queue is closed")}, "Error: queue is closed"},
		"the call fails":             {queuedCalls{finishErr: errors.New("conflict")}, "Error: conflict"},
	} {
		t.Run(name, func(t *testing.T) {
			status := binder(t, host{calls: &tc.calls}).Bind(t.Context(), nil, pod, "n1")
			if got := plugintest.StatusText(status); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
			if diff := cmp.Diff([]*v1.Binding{want}, tc.calls.bound); diff != "" {
				t.Errorf("bindings queued (-want +got):\n%s", diff)
			}
		})
	}
}
