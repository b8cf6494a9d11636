// Command binder binds pending pods to nodes, one node after the other, and decides nothing: the least that a scheduler can cost a
// cluster.
//
//	watch of pods without a node ──► pods ──► calls, several at once ──► bindings [and events]
//
// It reads the nodes once, and watches the pods with the field selector that leaves only those without a node. Each gets one call.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"

	"orrery/core/parity/program"
)

// options are the command line's.
type options struct {
	kubeconfig string
	calls      int
	events     bool
}

func main() { program.Main("binder", run) }

func run(ctx context.Context, args []string, _ io.Writer) error {
	var o options
	f := flag.NewFlagSet("binder", flag.ContinueOnError)
	f.StringVar(&o.kubeconfig, "kubeconfig", "", "the `file` that names the cluster")
	f.IntVar(&o.calls, "calls", 64, "how many calls run at once")
	f.BoolVar(&o.events, "events", false, "write an event for each binding, too")
	if err := f.Parse(args); err != nil {
		return err
	}
	config, err := clientcmd.BuildConfigFromFlags("", o.kubeconfig)
	if err != nil {
		return fmt.Errorf("reading %s: %w", o.kubeconfig, err)
	}
	config.QPS, config.ContentType = -1, "application/vnd.kubernetes.protobuf"
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("making a client: %w", err)
	}
	return bind(ctx, client, o)
}

// bind binds every pod that comes without a node, until the context ends.
func bind(ctx context.Context, client kubernetes.Interface, o options) error {
	list, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{ResourceVersion: "0"})
	if err != nil {
		return fmt.Errorf("listing nodes: %w", err)
	}
	nodes := make([]string, len(list.Items))
	for i := range list.Items {
		nodes[i] = list.Items[i].Name
	}
	pods := make(chan *v1.Pod, o.calls)
	var calls sync.WaitGroup
	for i := range o.calls {
		calls.Go(func() {
			for at := i; ; at += o.calls {
				select {
				case <-ctx.Done():
					return
				case pod := <-pods:
					place(ctx, client, pod, nodes[at%len(nodes)], o.events)
				}
			}
		})
	}
	unbound := fields.OneTermEqualSelector("spec.nodeName", "").String()
	watched := cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			o.FieldSelector = unbound
			return client.CoreV1().Pods(metav1.NamespaceAll).List(ctx, o)
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			o.FieldSelector = unbound
			return client.CoreV1().Pods(metav1.NamespaceAll).Watch(ctx, o)
		},
	}, client)
	reflector := cache.NewReflectorWithOptions(watched, &v1.Pod{}, &queue{ctx: ctx, pods: pods}, cache.ReflectorOptions{Name: "binder"})
	reflector.RunWithContext(ctx)
	calls.Wait()
	return nil
}

// place binds a pod, and writes the event of it. A call that fails leaves the pod as it is: a run with such a pod has no figure.
func place(ctx context.Context, client kubernetes.Interface, pod *v1.Pod, node string, event bool) {
	binding := &v1.Binding{
		ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID},
		Target:     v1.ObjectReference{Kind: "Node", Name: node},
	}
	if client.CoreV1().Pods(pod.Namespace).Bind(ctx, binding, metav1.CreateOptions{}) != nil || !event {
		return
	}
	now := time.Now()
	_, _ = client.EventsV1().Events(pod.Namespace).Create(ctx, &eventsv1.Event{
		ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: fmt.Sprintf("%s.%x", pod.Name, now.UnixNano())},
		EventTime:  metav1.MicroTime{Time: now}, ReportingController: "binder", ReportingInstance: "binder",
		Action: "Binding", Reason: "Scheduled", Type: v1.EventTypeNormal,
		Regarding: v1.ObjectReference{Kind: "Pod", APIVersion: "v1", Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID},
		Note:      fmt.Sprintf("Successfully assigned %s/%s to %s", pod.Namespace, pod.Name, node),
	}, metav1.CreateOptions{})
}

// queue is a store that passes pods on as they come, and keeps none.
type queue struct {
	cache.Store
	ctx  context.Context
	pods chan<- *v1.Pod
}

func (q *queue) Add(object any) error {
	if pod, ok := object.(*v1.Pod); ok {
		select {
		case q.pods <- pod:
		case <-q.ctx.Done():
		}
	}
	return nil
}

func (q *queue) Replace(objects []any, _ string) error {
	for _, object := range objects {
		_ = q.Add(object)
	}
	return nil
}

func (q *queue) Update(any) error { return nil }
func (q *queue) Delete(any) error { return nil }
func (q *queue) Resync() error    { return nil }
