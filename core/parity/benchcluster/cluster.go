package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"

	"orrery/core/parity/apiserver"
)

// Every node has room for all pods that could be scheduled to it, so no node rejects a pod.
const (
	nodeCPU, nodeMemory, nodePods = "32", "64Gi", "110"
	podCPU, podMemory             = "100m", "200Mi"
)

// fill creates the nodes and the pods.
func fill(ctx context.Context, client kubernetes.Interface, o options) error {
	if err := each(o.nodes, func(i int) error {
		_, err := client.CoreV1().Nodes().Create(ctx, apiserver.Node(i, nodeCPU, nodeMemory, nodePods), metav1.CreateOptions{})
		return err
	}); err != nil {
		return fmt.Errorf("creating nodes: %w", err)
	}
	if err := each(o.pods, func(i int) error {
		pod := apiserver.Pod(fmt.Sprintf("pod-%d", i), podCPU, podMemory)
		pod.Labels = map[string]string{"app": "one"}
		_, err := client.CoreV1().Pods(pod.Namespace).Create(ctx, pod, metav1.CreateOptions{})
		return err
	}); err != nil {
		return fmt.Errorf("creating pods: %w", err)
	}
	return nil
}

// each calls do for all numbers below n, several at once, and returns the first error.
func each(n int, do func(int) error) error {
	numbers := make(chan int)
	var group sync.WaitGroup
	var once sync.Once
	var failed error
	for range 16 {
		group.Go(func() {
			for i := range numbers {
				if err := do(i); err != nil {
					once.Do(func() { failed = err })
				}
			}
		})
	}
	for i := range n {
		numbers <- i
	}
	close(numbers)
	group.Wait()
	return failed
}

// bindings watches the bindings of all pods.
type bindings struct {
	watch       watch.Interface
	node        map[string]string // by pod
	first, last time.Time
}

func followBindings(ctx context.Context, client kubernetes.Interface) (*bindings, error) {
	list, err := client.CoreV1().Pods(metav1.NamespaceDefault).List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return nil, fmt.Errorf("listing pods: %w", err)
	}
	// The API server ends a watch that cannot keep up; a retry watcher resumes it.
	w, err := watchtools.NewRetryWatcherWithContext(ctx, list.ResourceVersion, &cache.ListWatch{
		WatchFuncWithContext: client.CoreV1().Pods(metav1.NamespaceDefault).Watch,
	})
	if err != nil {
		return nil, fmt.Errorf("watching pods: %w", err)
	}
	return &bindings{watch: w, node: map[string]string{}}, nil
}

// await waits until n pods are bound.
func (b *bindings) await(ctx context.Context, n int, ended <-chan struct{}) error {
	late := time.After(runTimeout)
	for len(b.node) < n {
		select {
		case <-ctx.Done():
			return errors.New("interrupted")
		case event, ok := <-b.watch.ResultChan():
			if !ok {
				return fmt.Errorf("the watch of pods ended when %d of %d were bound", len(b.node), n)
			}
			if err := b.note(event); err != nil {
				return err
			}
		case <-ended:
			return fmt.Errorf("the scheduler exited when %d of %d pods were bound", len(b.node), n)
		case <-late:
			return fmt.Errorf("%d of %d pods are bound after %s", len(b.node), n, runTimeout)
		}
	}
	return nil
}

func (b *bindings) note(event watch.Event) error {
	pod, ok := event.Object.(*v1.Pod)
	if !ok {
		return fmt.Errorf("watching pods: %v", event.Object)
	}
	had, known := b.node[pod.Name]
	switch {
	case pod.Spec.NodeName == "":
	case !known:
		b.last = time.Now()
		if len(b.node) == 0 {
			b.first = b.last
		}
		b.node[pod.Name] = pod.Spec.NodeName
	case had != pod.Spec.NodeName:
		return fmt.Errorf("pod %s was bound to %s and then to %s", pod.Name, had, pod.Spec.NodeName)
	}
	return nil
}

// fit checks that no node has more pods than it allows. A node runs out of pods before it runs out of CPU or memory.
func (b *bindings) fit() error {
	const most = 110
	count := map[string]int{}
	for _, node := range b.node {
		if count[node]++; count[node] > most {
			return fmt.Errorf("node %s has more than %d pods", node, most)
		}
	}
	return nil
}

// countEvents counts the Scheduled events.
func countEvents(ctx context.Context, client kubernetes.Interface) (int, error) {
	n := 0
	for o := (metav1.ListOptions{Limit: 500}); ; {
		page, err := client.EventsV1().Events(metav1.NamespaceDefault).List(ctx, o)
		if err != nil {
			return 0, fmt.Errorf("listing events: %w", err)
		}
		n += len(page.Items)
		if o.Continue = page.Continue; o.Continue == "" {
			return n, nil
		}
	}
}
