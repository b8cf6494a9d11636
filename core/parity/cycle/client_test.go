package cycle

import (
	"context"
	"errors"
	"fmt"
	"sync"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientset "k8s.io/client-go/kubernetes"
	corev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
)

// recordingClient records the calls of kube-scheduler. All calls succeed, except bindings that are to fail.
type recordingClient struct {
	clientset.Interface
	corev1.CoreV1Interface

	mu     sync.Mutex // kube-scheduler binds and preempts in goroutines
	calls  []apiCall
	events []string

	failingBindings map[string]bool // pods whose next binding fails
}

// errTooBusy is the error of a binding that fails.
var errTooBusy = errors.New("the server is too busy")

// apiCall is one write call. One of patch, bind and delete is set.
type apiCall struct {
	pod    types.NamespacedName
	patch  []byte
	bind   string // the node
	delete bool
}

func (c *recordingClient) CoreV1() corev1.CoreV1Interface { return c }
func (c *recordingClient) Pods(namespace string) corev1.PodInterface {
	return pods{client: c, namespace: namespace}
}
func (c *recordingClient) WithLogger(klog.Logger) events.EventRecorderLogger { return c }

// Eventf makes the client an event recorder.
func (c *recordingClient) Eventf(regarding, _ runtime.Object, kind, reason, action, note string, args ...any) {
	if len(args) > 0 {
		note = fmt.Sprintf(note, args...)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.events = append(c.events, fmt.Sprint(regarding.(*v1.Pod).Name, " ", kind, " ", reason, " ", action, ": ", note))
}

func (c *recordingClient) failsBinding(pod string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	failing := c.failingBindings[pod]
	delete(c.failingBindings, pod)
	return failing
}

type pods struct {
	corev1.PodInterface
	client    *recordingClient
	namespace string
}

func (p pods) write(name string, c apiCall) {
	c.pod = types.NamespacedName{Namespace: p.namespace, Name: name}
	p.client.mu.Lock()
	defer p.client.mu.Unlock()
	p.client.calls = append(p.client.calls, c)
}

func (p pods) Bind(_ context.Context, b *v1.Binding, _ metav1.CreateOptions) error {
	if p.client.failsBinding(b.Name) {
		return errTooBusy
	}
	p.write(b.Name, apiCall{bind: b.Target.Name})
	return nil
}

func (p pods) Delete(_ context.Context, name string, _ metav1.DeleteOptions) error {
	p.write(name, apiCall{delete: true})
	return nil
}

func (p pods) Patch(_ context.Context, name string, _ types.PatchType, patch []byte, _ metav1.PatchOptions, _ ...string) (*v1.Pod, error) {
	p.write(name, apiCall{patch: patch})
	return &v1.Pod{}, nil
}
