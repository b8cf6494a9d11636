package pressure_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/evict"
	"orrery/core/evict/lifecycle"
	"orrery/core/evict/pressure"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// testCluster is a simulated cluster of one node with 10Gi of memory and 100Gi of disk. It logs changes of the node and its
// pods, and events, with the time since noon.
type testCluster struct {
	*memory.Cluster
	t         *testing.T
	log       strings.Builder
	numEvents int // events logged so far
}

func newTestCluster(t *testing.T, yaml string, change ...func(*pressure.KubeletsOptions)) *testCluster {
	t.Helper()
	o := pressure.KubeletsOptions{Configuration: config(t, yaml)}
	for _, set := range change {
		set(&o)
	}
	kubelets, err := pressure.NewKubelets(o)
	if err != nil {
		t.Fatal(err)
	}
	c := &testCluster{t: t, Cluster: memory.New(memory.Options{
		Start: noon, Pressure: kubelets, Kinds: []world.Kind{world.Node, world.Pod},
		NodeLifecycle: lifecycle.InCluster(lifecycle.Options{Start: noon, Immediate: true}),
		PodBehavior:   func(*v1.Pod) memory.PodBehavior { return memory.PodBehavior{Stop: 3 * time.Second} },
	})}
	c.create(&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "high"}, Value: 10})
	c.create(mk.Node("n1").CPU("8").Memory("10Gi").Resource("ephemeral-storage", "100Gi").Obj())
	return c
}

func config(t *testing.T, yaml string) pressure.Configuration {
	t.Helper()
	c, err := pressure.Load([]byte("apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"+yaml), "linux")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *testCluster) record() *evict.Record { return c.Pressure().(*pressure.Kubelets).Record() }

func (c *testCluster) create(o world.Object) {
	c.t.Helper()
	if _, err := c.Create(o); err != nil {
		c.t.Fatal(err)
	}
}

// run creates pods and binds them.
func (c *testCluster) run(pods ...*v1.Pod) {
	for _, pod := range pods {
		c.create(pod)
		c.Do(world.Effect{ID: 1, At: c.Now(), Action: world.Bind{Pod: world.PodRefOf(c.Pod("default", pod.Name)), Node: "n1"}})
	}
	c.Advance(0)
}

func (c *testCluster) use(u memory.UsageReport) {
	c.t.Helper()
	if u.Node == "" {
		u.Namespace = "default"
	}
	if err := c.ReportUsage(u); err != nil {
		c.t.Fatal(err)
	}
}

// withPriorityClass sets a pod's priority class.
func withPriorityClass(pod *v1.Pod, class string) *v1.Pod {
	pod.Spec.PriorityClassName = class
	return pod
}

func gib(n float64) int64 { return int64(n * (1 << 30)) }

func uses1(pod string, memoryUsed float64) memory.UsageReport {
	return memory.UsageReport{Pod: pod, Usage: memory.Usage{Memory: gib(memoryUsed)}}
}

// until advances the time to a time since noon.
func (c *testCluster) until(at time.Duration) {
	for {
		in, ok := c.Next(noon.Add(at))
		c.logEvents()
		if !ok {
			return
		}
		if event, changed := in.Event.(world.Changed); changed {
			c.logChange(in.At, event)
		}
	}
}

func (c *testCluster) logEvents() {
	all := c.Events()
	for _, a := range all[c.numEvents:] {
		if a.Controller == "kubelet" {
			fmt.Fprintf(&c.log, "%v event %s on %s: %s\n", a.First.Sub(noon), a.Reason, a.Regarding.Name, strings.TrimSpace(a.Note))
		}
	}
	c.numEvents = len(all)
}

func (c *testCluster) logChange(at time.Time, event world.Changed) {
	switch o := event.Object.(type) {
	case *v1.Node:
		var words []string
		for _, condition := range o.Status.Conditions {
			if condition.Type != v1.NodeReady && condition.Status == v1.ConditionTrue {
				words = append(words, string(condition.Type))
			}
		}
		for _, taint := range o.Spec.Taints {
			words = append(words, taint.ToString())
		}
		fmt.Fprintf(&c.log, "%v node %v\n", at.Sub(noon), words)
	case *v1.Pod:
		if o.Status.Reason == "" && event.Op != world.Deleted {
			return
		}
		words := []string{o.Name, string(o.Status.Phase), o.Status.Reason}
		for _, condition := range o.Status.Conditions {
			if condition.Type == v1.DisruptionTarget {
				words = append(words, condition.Reason)
			}
		}
		fmt.Fprintf(&c.log, "%v pod %s\n", at.Sub(noon), strings.Join(words, " "))
	}
}

func (c *testCluster) wantLog(want string) {
	c.t.Helper()
	got := c.log.String()
	c.log.Reset()
	if diff := cmp.Diff(trim(want), got); diff != "" {
		c.t.Errorf("log (-want +got):\n%s", diff)
	}
}

func TestKubelets_EvictByRankUntilEnough(t *testing.T) {
	c := newTestCluster(t, hardMemory)
	c.run(mk.Pod("modest").Memory("2Gi").Obj(), mk.Pod("greedy").Memory("1Gi").Obj(), withPriorityClass(mk.Pod("important").Memory("1Gi").Obj(), "high"))
	c.until(4 * time.Second)
	c.log.Reset()
	c.use(uses1("modest", 2))
	c.use(uses1("important", 3))
	c.use(uses1("greedy", 4))
	c.until(19 * time.Second)
	c.wantLog("4s node []") // the kubelet's first status: no pressure
	c.use(memory.UsageReport{Node: "n1", Usage: memory.Usage{Memory: gib(1)}})
	c.until(7 * time.Minute)
	// The kubelet syncs every ten seconds from 4 s on. The hard threshold gives the pod a second, after which it has failed, and
	// the kubelet syncs again a second later. The condition is last observed at 24 s, so it holds until the first sync five
	// minutes later, which comes at 5m26s, and is reported at the next status update.
	c.wantLog(`
		24s event EvictionThresholdMet on n1: Attempting to reclaim memory
		24s event Evicted on greedy: The node was low on resource: memory. Threshold quantity: 100Mi, available: 0. Container main was using 4Gi, request is 1Gi, has larger consumption of memory.
		24s node [MemoryPressure]
		24s node [MemoryPressure node.kubernetes.io/memory-pressure:NoSchedule]
		25s pod greedy Failed Evicted TerminationByKubelet
		5m34s node [node.kubernetes.io/memory-pressure:NoSchedule]
		5m34s node []
	`)
	got := c.Pod("default", "greedy").Status
	if want := "The node was low on resource: memory. Threshold quantity: 100Mi, available: 0. Container main was using 4Gi, request is 1Gi, has larger consumption of memory. "; got.Message != want {
		t.Errorf("its status message is %q, want %q", got.Message, want)
	}
	out := c.record().Ended()
	if len(out) == 0 || out[0].Pod.Name != "greedy" || out[0].Phase != evict.Evicted || out[0].Ended.Sub(noon) != 25*time.Second {
		t.Errorf("the record has %+v, want that greedy was evicted at 25s", out)
	}
}

func TestKubelets_ReclaimImagesFirst(t *testing.T) {
	c := newTestCluster(t, "evictionHard: {nodefs.available: 10Gi}\nevictionMinimumReclaim: {nodefs.available: 5Gi}\n")
	c.run(mk.Pod("writer").Obj())
	writes := func(gibs float64) memory.UsageReport {
		return memory.UsageReport{Pod: "writer", Usage: memory.Usage{Writable: memory.Disk{Bytes: gib(gibs), Inodes: 10}}}
	}
	node := memory.Usage{Images: memory.Disk{Bytes: gib(20)}, UnusedImages: memory.Disk{Bytes: gib(30)}, DeadContainers: memory.Disk{Bytes: gib(1)}}
	c.use(memory.UsageReport{Node: "n1", Usage: node})
	c.until(time.Second)
	c.log.Reset()
	c.use(writes(40))
	c.until(30 * time.Second)
	c.wantLog(`
		10s event EvictionThresholdMet on n1: Attempting to reclaim ephemeral-storage
		10s node [DiskPressure]
		10s node [DiskPressure node.kubernetes.io/disk-pressure:NoSchedule]
	`)
	if got := c.Pod("default", "writer").Status.Phase; got != v1.PodRunning {
		t.Errorf("the pod is %s, though 31Gi were freed", got)
	}
	c.use(writes(71)) // the same event of the shortage is counted again
	c.until(45 * time.Second)
	c.wantLog(`
		40s event Evicted on writer: The node was low on resource: ephemeral-storage. Threshold quantity: 10Gi, available: 9Gi. Container main was using 71Gi, request is 0, has larger consumption of ephemeral-storage.
		41s pod writer Failed Evicted TerminationByKubelet
	`)
}

func TestKubelets_SoftThresholdWithLeak(t *testing.T) {
	c := newTestCluster(t, "evictionHard: {}\nevictionSoft: {memory.available: 2Gi}\nevictionSoftGracePeriod: {memory.available: 20s}\nevictionMaxPodGracePeriod: 2\nenforceNodeAllocatable: []\n")
	c.run(mk.Pod("leak").Obj(), mk.Pod("calm").Obj())
	c.use(memory.UsageReport{Pod: "calm", Usage: memory.Usage{Memory: gib(1)}})
	c.use(memory.UsageReport{Pod: "leak", Usage: memory.Usage{Memory: gib(6)}, Growth: memory.Usage{Memory: gib(0.0625)}})
	c.until(5 * time.Second)
	c.log.Reset()
	c.until(39 * time.Second)
	// 7Gi, and a sixteenth more each second: 2Gi are left at 16 s, so the sync at 20 s is the first to see less.
	c.wantLog(`
		20s node [MemoryPressure]
		20s node [MemoryPressure node.kubernetes.io/memory-pressure:NoSchedule]
	`)
	open := c.record().Open()
	if len(open) != 1 || open[0].Pod.Name != "leak" || open[0].Phase != evict.CountingDown || open[0].Deadline.Sub(noon) != 40*time.Second {
		t.Errorf("the record has %+v, want leak counting down to 40s", open)
	}
	c.until(45 * time.Second)
	c.wantLog(`
		40s event EvictionThresholdMet on n1: Attempting to reclaim memory
		40s event Evicted on leak: The node was low on resource: memory. Threshold quantity: 2Gi, available: 512Mi. Container main was using 8704Mi, request is 0, has larger consumption of memory.
		42s pod leak Failed Evicted TerminationByKubelet
	`)
}

func TestKubelets_UsageByLabelCoversLaterPods(t *testing.T) {
	c := newTestCluster(t, hardMemory)
	c.use(memory.UsageReport{Labels: map[string]string{"app": "web"}, Usage: memory.Usage{Memory: gib(4.5)}})
	c.use(uses1("small", 1))
	c.run(mk.Pod("small").Label("app", "web").Obj(), mk.Pod("first").Label("app", "web").Obj())
	c.until(11 * time.Second)
	c.log.Reset()
	c.run(mk.Pod("second").Label("app", "web").Obj())
	c.until(25 * time.Second)
	c.wantLog(`
		20s event EvictionThresholdMet on n1: Attempting to reclaim memory
		20s event Evicted on first: The node was low on resource: memory. Threshold quantity: 100Mi, available: 0. Container main was using 4608Mi, request is 0, has larger consumption of memory.
		20s node [MemoryPressure]
		20s node [MemoryPressure node.kubernetes.io/memory-pressure:NoSchedule]
		21s pod first Failed Evicted TerminationByKubelet
	`)
	c.run(mk.Pod("late").Obj())
	if got := c.Pod("default", "late").Status.Message; got != "Pod was rejected: The node had condition: [MemoryPressure]. " {
		t.Errorf("the message of a pod without requests is %q", got)
	}
}

func TestKubelets_PIDPressure(t *testing.T) {
	c := newTestCluster(t, "evictionHard: {pid.available: 10%}\n", func(o *pressure.KubeletsOptions) { o.PIDs = 1000 })
	c.run(mk.Pod("forks").Obj(), mk.Pod("calm").Obj())
	c.use(memory.UsageReport{Pod: "calm", Usage: memory.Usage{PIDs: 10}})
	c.use(memory.UsageReport{Pod: "forks", Usage: memory.Usage{PIDs: 850}})
	c.use(memory.UsageReport{Node: "n1", Usage: memory.Usage{PIDs: 100}})
	c.until(15 * time.Second)
	if got := c.Pod("default", "forks").Status; got.Phase != v1.PodFailed || got.Message != "The node was low on resource: pids. Threshold quantity: 100, available: 40. " {
		t.Errorf("the pod with most processes is %s: %q", got.Phase, got.Message)
	}
	if got := c.Pod("default", "calm").Status.Phase; got != v1.PodRunning {
		t.Errorf("the other pod is %s", got)
	}
}

func TestKubelets_ImageFs(t *testing.T) {
	c := newTestCluster(t, "evictionHard: {imagefs.available: 10Gi, nodefs.available: 10Gi}\n", func(o *pressure.KubeletsOptions) {
		o.Layout, o.ImageFs.Bytes = pressure.ImageFs, gib(50)
	})
	c.run(mk.Pod("logs").Obj(), mk.Pod("layers").Obj())
	c.use(memory.UsageReport{Pod: "logs", Usage: memory.Usage{Logs: memory.Disk{Bytes: gib(60)}}})
	c.use(memory.UsageReport{Pod: "layers", Usage: memory.Usage{Writable: memory.Disk{Bytes: gib(25)}}})
	c.until(time.Second)
	c.use(memory.UsageReport{Node: "n1", Usage: memory.Usage{Images: memory.Disk{Bytes: gib(20)}}})
	c.until(15 * time.Second)
	for pod, want := range map[string]v1.PodPhase{"logs": v1.PodRunning, "layers": v1.PodFailed} {
		if got := c.Pod("default", pod).Status.Phase; got != want {
			t.Errorf("%s is %s, want %s: 5Gi of 50Gi are left for images", pod, got, want)
		}
	}
}

func TestKubelets_LostNodeReportsOnReturn(t *testing.T) {
	c := newTestCluster(t, hardMemory)
	c.run(mk.Pod("greedy").Obj())
	c.use(uses1("greedy", 1))
	c.until(time.Second)
	if err := c.LoseNode("n1"); err != nil {
		t.Fatal(err)
	}
	c.log.Reset()
	c.use(uses1("greedy", 10))
	c.until(30 * time.Second)
	c.wantLog("")
	if err := c.RecoverNode("n1"); err != nil {
		t.Fatal(err)
	}
	c.until(31 * time.Second)
	c.wantLog(`
		30s node []
		30s node [MemoryPressure]
		30s pod greedy Failed Evicted TerminationByKubelet
		30s node [MemoryPressure node.kubernetes.io/memory-pressure:NoSchedule]
	`)
}

func TestKubelets_Fork(t *testing.T) {
	c := newTestCluster(t, hardMemory)
	c.run(mk.Pod("a").Obj(), mk.Pod("b").Obj())
	c.use(memory.UsageReport{Labels: map[string]string{}, Usage: memory.Usage{Memory: gib(1)}, Growth: memory.Usage{Memory: gib(0.1)}})
	for _, half := range []time.Duration{5 * time.Second, 40 * time.Second, 40*time.Second + 500*time.Millisecond, 45 * time.Second} {
		c.until(half)
		fork := *c
		fork.Cluster, fork.log = c.Fork(), strings.Builder{}
		forkRecord := evict.NewRecord()
		fork.Pressure().(*pressure.Kubelets).SetRecord(forkRecord)
		fork.until(10 * time.Minute)
		t.Cleanup(func() {
			if fork.Digest() != c.Digest() {
				t.Errorf("the fork at %v differs from the original", half)
			}
			if n := len(forkRecord.Ended()); n == 0 {
				t.Errorf("the fork at %v wrote nothing to its record", half)
			}
		})
	}
	c.until(10 * time.Minute)
	if len(c.record().Ended()) < 2 {
		t.Errorf("the ended evictions are %+v", c.record().Ended())
	}
}

func TestKubelets_NoUsageNoKubelet(t *testing.T) {
	c := newTestCluster(t, "")
	c.run(mk.Pod("a").Obj())
	if at, ok := c.Pressure().NextWake(); ok {
		t.Errorf("a kubelet wakes at %v", at.Sub(noon))
	}
	if err := memory.New(memory.Options{}).ReportUsage(uses1("a", 1)); err == nil {
		t.Error("usage was accepted without kubelets")
	}
	if _, err := pressure.NewKubelets(pressure.KubeletsOptions{Configuration: pressure.Configuration{Hard: map[pressure.Signal]string{"memory.available": "much"}}}); err == nil {
		t.Error("NewKubelets accepted an invalid threshold")
	}
}
