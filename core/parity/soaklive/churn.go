package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"

	"orrery/core/parity/apiserver"
)

const (
	nodeCPU, nodeMemory = "64", "256Gi"
	nodePods            = 110
	// unfitShare is the share of pods that no node has room for.
	unfitShare = 0.02
	// settleTime limits how long no pod may be bound or deleted of those that wait for it, once the faults have ended.
	settleTime = 2 * time.Minute
	workers    = 32
)

// churn creates, runs and deletes pods, and follows each until it is gone.
type churn struct {
	options
	client kubernetes.Interface
	began  time.Time
	rng    *rand.Rand
	number int
	tasks  chan func()
	stop   context.CancelFunc
	group  sync.WaitGroup

	mu       sync.Mutex
	pods     map[types.UID]*livePod
	order    []types.UID // by creation
	count    counts
	latency  time.Duration // of the slowest binding since slowest was asked
	mistakes []string
}

type counts struct{ created, bound, deleted int }

// livePod is a pod that the API server has.
type livePod struct {
	name     string
	node     string
	fits     bool
	started  bool
	deleting bool
	created  time.Time
}

// newChurn creates the nodes and starts to follow pods.
func newChurn(ctx context.Context, client kubernetes.Interface, o options) (*churn, error) {
	for i := range o.nodes {
		node := apiserver.Node(i, nodeCPU, nodeMemory, fmt.Sprint(nodePods))
		if _, err := client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{}); err != nil {
			return nil, fmt.Errorf("creating node %d: %w", i, err)
		}
	}
	ctx, stop := context.WithCancel(ctx)
	c := &churn{
		options: o, client: client, began: time.Now(), rng: rand.New(rand.NewPCG(o.seed, 0)), tasks: make(chan func(), 1000), stop: stop,
		pods: map[types.UID]*livePod{},
	}
	list, err := client.CoreV1().Pods(metav1.NamespaceDefault).List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		stop()
		return nil, fmt.Errorf("listing pods: %w", err)
	}
	w, err := watchtools.NewRetryWatcherWithContext(ctx, list.ResourceVersion, &cache.ListWatch{
		WatchFuncWithContext: client.CoreV1().Pods(metav1.NamespaceDefault).Watch,
	})
	if err != nil {
		stop()
		return nil, fmt.Errorf("watching pods: %w", err)
	}
	c.group.Go(func() { c.follow(ctx, w) })
	for range workers {
		c.group.Go(func() {
			for {
				select {
				case do := <-c.tasks:
					do()
				case <-ctx.Done():
					return
				}
			}
		})
	}
	return c, nil
}

func (c *churn) end() {
	c.stop()
	c.group.Wait()
}

// churnUntil creates pods at the rate, and deletes the oldest ones.
func (c *churn) churnUntil(ctx context.Context, until time.Time) error {
	tick := time.NewTicker(time.Second / time.Duration(c.rate))
	defer tick.Stop()
	for time.Now().Before(until) {
		select {
		case <-ctx.Done():
			return errors.New("interrupted")
		case <-tick.C:
		}
		if err := c.failure(); err != nil {
			return err
		}
		if c.has() < 2*c.alive { // otherwise many wait to be bound
			pod := c.draw()
			c.do(ctx, func() { c.create(ctx, pod) })
		}
		if uid, pod := c.oldest(); pod != nil {
			c.do(ctx, func() { c.delete(ctx, uid, pod.name) })
		}
	}
	return nil
}

// do queues a call. It waits while the API server is slower than the rate.
func (c *churn) do(ctx context.Context, task func()) {
	select {
	case c.tasks <- task:
	case <-ctx.Done():
	}
}

// draw returns the next pod: of one of three workloads, and now and then too large for every node.
func (c *churn) draw() *v1.Pod {
	c.number++
	app := []string{"plain", "spread", "apart"}[c.rng.IntN(3)]
	cpu := fmt.Sprintf("%dm", 100*(1+c.rng.IntN(4)))
	if c.rng.Float64() < unfitShare {
		app, cpu = "unfit", "100"
	}
	pod := apiserver.Pod(fmt.Sprintf("%s-%d", app, c.number), cpu, "128Mi")
	pod.Labels = map[string]string{"app": app}
	own := &metav1.LabelSelector{MatchLabels: pod.Labels}
	switch app {
	case "spread":
		pod.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{
			MaxSkew: 5, TopologyKey: v1.LabelTopologyZone, WhenUnsatisfiable: v1.ScheduleAnyway, LabelSelector: own,
		}}
	case "apart":
		pod.Spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{
			PreferredDuringSchedulingIgnoredDuringExecution: []v1.WeightedPodAffinityTerm{{
				Weight: 10, PodAffinityTerm: v1.PodAffinityTerm{TopologyKey: v1.LabelHostname, LabelSelector: own},
			}},
		}}
	}
	return pod
}

func (c *churn) create(ctx context.Context, pod *v1.Pod) {
	_, err := c.client.CoreV1().Pods(pod.Namespace).Create(ctx, pod, metav1.CreateOptions{})
	if err != nil && ctx.Err() == nil {
		c.mistake("creating pod %s: %v", pod.Name, err)
	}
}

func (c *churn) delete(ctx context.Context, uid types.UID, name string) {
	o := metav1.DeleteOptions{GracePeriodSeconds: new(int64), Preconditions: &metav1.Preconditions{UID: &uid}}
	if err := c.client.CoreV1().Pods(metav1.NamespaceDefault).Delete(ctx, name, o); err != nil && ctx.Err() == nil {
		c.mistake("deleting pod %s: %v", name, err)
	}
}

// oldest returns the oldest pod to delete: one that runs, or that fits nowhere, if there are enough others.
func (c *churn) oldest() (types.UID, *livePod) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.order) > 0 {
		pod := c.pods[c.order[0]]
		switch {
		case pod == nil || pod.deleting:
			c.order = c.order[1:]
			continue
		case len(c.order) <= c.alive || pod.fits && !pod.started:
			return "", nil
		}
		uid := c.order[0]
		c.order = c.order[1:]
		pod.deleting = true
		return uid, pod
	}
	return "", nil
}

// follow follows the pods until the context ends.
func (c *churn) follow(ctx context.Context, w watch.Interface) {
	for event := range w.ResultChan() {
		pod, ok := event.Object.(*v1.Pod)
		if !ok {
			c.mistake("watching pods: %v", event.Object)
			return
		}
		if c.observe(event.Type, pod) {
			c.do(ctx, func() {
				if err := apiserver.SyncPod(ctx, c.client, pod); err != nil && ctx.Err() == nil {
					c.mistake("running pod %s: %v", pod.Name, err)
				}
			})
		}
	}
	if ctx.Err() == nil {
		c.mistake("the watch of pods ended")
	}
}

// observe applies an event, and reports whether the pod is to be run.
func (c *churn) observe(event watch.EventType, pod *v1.Pod) (run bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.pods[pod.UID]
	if event == watch.Deleted {
		if known == nil || !known.deleting {
			c.mistakes = append(c.mistakes, fmt.Sprintf("pod %s was deleted by another", pod.Name))
		}
		c.count.deleted++
		delete(c.pods, pod.UID)
		return false
	}
	if known == nil {
		known = &livePod{name: pod.Name, fits: pod.Labels["app"] != "unfit", created: time.Now()}
		c.pods[pod.UID], c.order = known, append(c.order, pod.UID)
		c.count.created++
	}
	known.started = pod.Status.Phase == v1.PodRunning
	switch node := pod.Spec.NodeName; {
	case node == known.node:
		return false
	case known.node != "":
		c.mistakes = append(c.mistakes, fmt.Sprintf("pod %s was bound to %s and then to %s", pod.Name, known.node, node))
	case !known.fits:
		c.mistakes = append(c.mistakes, fmt.Sprintf("pod %s requests more than %s has, to which it was bound", pod.Name, node))
	default:
		known.node = node
		c.count.bound++
		c.latency = max(c.latency, time.Since(known.created))
		return true
	}
	return false
}

// has returns how many pods there are.
func (c *churn) has() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.pods)
}

func (c *churn) mistake(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mistakes = append(c.mistakes, fmt.Sprintf(format, args...))
}

// failure is what went wrong so far.
func (c *churn) failure() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.mistakes) == 0 {
		return nil
	}
	return fmt.Errorf("%d things went wrong, the first: %s", len(c.mistakes), c.mistakes[0])
}

func (c *churn) counts() counts {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.count
}

// slowest returns how long the slowest binding took since the last call.
func (c *churn) slowest() (latency time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	latency, c.latency = c.latency, 0
	return latency
}

// settle waits until every pod that fits runs, and checks that no node has more than it can hold.
func (c *churn) settle(ctx context.Context) error {
	waiting, since := c.waiting(), time.Now()
	for time.Since(since) < settleTime {
		if err := c.failure(); err != nil {
			return err
		}
		now := c.waiting()
		if len(now) == 0 && len(c.tasks) == 0 {
			return c.overcommitted(ctx)
		}
		if len(now) != len(waiting) {
			waiting, since = now, time.Now()
		}
		select {
		case <-ctx.Done():
			return errors.New("interrupted")
		case <-time.After(100 * time.Millisecond):
		}
	}
	return fmt.Errorf("%d pods are still not where they should be, and nothing has changed for %s: %q", len(waiting), settleTime, waiting[:min(len(waiting), 10)])
}

// waiting says what is not done yet: pods that fit are to run, and others to be deleted.
func (c *churn) waiting() (names []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, pod := range c.pods {
		switch {
		case pod.deleting:
			names = append(names, pod.name+" is not deleted")
		case pod.fits && pod.node == "":
			names = append(names, pod.name+" is not bound")
		case pod.fits && !pod.started:
			names = append(names, pod.name+" does not run on "+pod.node)
		}
	}
	return names
}

// overcommitted compares the nodes with a list of their pods, and that with what the watch reported.
func (c *churn) overcommitted(ctx context.Context) error {
	list, err := c.client.CoreV1().Pods(metav1.NamespaceDefault).List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("listing pods: %w", err)
	}
	room := resource.MustParse(nodeCPU)
	pods, cpu := map[string]int{}, map[string]int64{}
	for _, pod := range list.Items {
		if node := pod.Spec.NodeName; node != "" {
			pods[node]++
			cpu[node] += pod.Spec.Containers[0].Resources.Requests.Cpu().MilliValue()
			if pods[node] > nodePods || cpu[node] > room.MilliValue() {
				return fmt.Errorf("node %s has %d pods of %d and %dm CPU of %s", node, pods[node], nodePods, cpu[node], nodeCPU)
			}
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(list.Items) != len(c.pods) {
		return fmt.Errorf("a list has %d pods and the watch reported %d", len(list.Items), len(c.pods))
	}
	return nil
}
