package main

import (
	"context"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	corev1 "k8s.io/client-go/kubernetes/typed/core/v1"
)

// client returns at once from the calls that kube-scheduler makes and queues them for the watch, which applies them. Any
// other call panics on the nil interface inside.
type client struct {
	kubernetes.Interface
	writes chan<- write
}

// write is one call: a binding if it has a node, a patch if it has a body, else a deletion.
type write struct {
	pod  string
	node string
	body []byte
}

func (w write) to(s *apiserver) ([]change, error) {
	switch {
	case w.node != "":
		return s.bind(w.pod, w.node)
	case w.body != nil:
		return s.patchJSON(w.pod, w.body)
	}
	return s.remove(w.pod), nil
}

func (c client) CoreV1() corev1.CoreV1Interface { return core{writes: c.writes} }

type core struct {
	corev1.CoreV1Interface
	writes chan<- write
}

func (c core) Pods(string) corev1.PodInterface { return pods{writes: c.writes} }

type pods struct {
	corev1.PodInterface
	writes chan<- write
}

func (p pods) Bind(_ context.Context, binding *v1.Binding, _ metav1.CreateOptions) error {
	p.writes <- write{pod: binding.Name, node: binding.Target.Name}
	return nil
}

func (p pods) Patch(_ context.Context, name string, _ types.PatchType, data []byte, _ metav1.PatchOptions, _ ...string) (*v1.Pod, error) {
	p.writes <- write{pod: name, body: data}
	return nil, nil
}

func (p pods) Delete(_ context.Context, name string, _ metav1.DeleteOptions) error {
	p.writes <- write{pod: name}
	return nil
}
