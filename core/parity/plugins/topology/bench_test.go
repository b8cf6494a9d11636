package topology

import (
	"context"
	"fmt"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/parallelize"
	"orrery/core/testing/mk"
)

// The benchmarks schedule pods in a cluster of 5,000 nodes in three zones with 50,000 pods of 500 applications. One operation
// is a plugin's part of one decision: PreFilter, Filter until enough nodes are feasible, PreScore, Score and
// NormalizeScore; then the pod is bound, which is not measured. Upstream has sixteen workers, also for Filter and Score;
// Orrery has one thread.
const (
	benchNodes    = 5000
	benchPods     = 50000
	benchApps     = 500
	benchFeasible = 500 // upstream's number of feasible nodes to find among 5,000
)

func appName(i int) string { return fmt.Sprintf("app%d", i%benchApps) }

type pods func(i int) *v1.Pod

func plainPod(i int) *v1.Pod {
	return mk.Pod(fmt.Sprintf("p%d", i)).Label("app", appName(i)).Label("pod-template-hash", "5d4f8c7b9").
		Owner("apps/v1", "ReplicaSet", appName(i)).Obj()
}

func spreadPod(i int) *v1.Pod {
	pod := plainPod(i)
	for _, key := range []string{v1.LabelTopologyZone, v1.LabelHostname} {
		pod.Spec.TopologySpreadConstraints = append(pod.Spec.TopologySpreadConstraints, v1.TopologySpreadConstraint{
			MaxSkew: 2, TopologyKey: key, WhenUnsatisfiable: v1.DoNotSchedule, LabelSelector: selectApp(i),
		})
	}
	return pod
}

func selectApp(i int) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{"app": appName(i)}}
}

func antiPod(i int) *v1.Pod {
	pod := plainPod(i)
	pod.Spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{{TopologyKey: v1.LabelHostname, LabelSelector: selectApp(i)}},
	}}
	return pod
}

func preferringPod(i int) *v1.Pod {
	pod := plainPod(i)
	pod.Spec.Affinity = &v1.Affinity{PodAffinity: &v1.PodAffinity{
		PreferredDuringSchedulingIgnoredDuringExecution: []v1.WeightedPodAffinityTerm{
			{Weight: 10, PodAffinityTerm: v1.PodAffinityTerm{TopologyKey: v1.LabelTopologyZone, LabelSelector: selectApp(i + 1)}},
		},
	}}
	return pod
}

// numbered gives every pod an index label, as StatefulSets and indexed Jobs do.
func numbered(newPod pods) pods {
	return func(i int) *v1.Pod {
		pod := newPod(i)
		pod.Labels["apps.kubernetes.io/pod-index"] = fmt.Sprint(i)
		return pod
	}
}

// oneApp returns pods of one application.
func oneApp(newPod pods) pods {
	return func(i int) *v1.Pod { return another(newPod(7), i) }
}

func benchCluster(running pods) *cluster {
	c := newCluster()
	c.workers = parallelize.DefaultParallelism
	core, apps := c.objects.Core().V1(), c.objects.Apps().V1()
	c.must(core.Namespaces().Informer().GetIndexer().Add(&v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "default"}}))
	for i := range benchApps {
		meta := metav1.ObjectMeta{Namespace: "default", Name: appName(i)}
		c.must(apps.ReplicaSets().Informer().GetIndexer().Add(&appsv1.ReplicaSet{ObjectMeta: meta, Spec: appsv1.ReplicaSetSpec{Selector: selectApp(i)}}))
		if i%10 == 0 {
			c.must(core.Services().Informer().GetIndexer().Add(&v1.Service{ObjectMeta: meta, Spec: v1.ServiceSpec{Selector: map[string]string{"app": appName(i)}}}))
		}
	}
	for i := range benchNodes {
		node := mk.Node(fmt.Sprintf("node-%04d", i)).Zone(fmt.Sprintf("zone-%d", i%3)).Region("r").
			Label("kubernetes.io/arch", "amd64").Label("kubernetes.io/os", "linux").Label("node.kubernetes.io/instance-type", "m5.xlarge").Obj()
		c.addNode(node)
	}
	for i := range benchPods {
		pod := running(i)
		pod.Spec.NodeName = c.nodes[i%benchNodes].Name
		c.addPod(pod)
	}
	c.refresh()
	return c
}

// decide runs the plugin for one decision. Without workers it runs on one goroutine.
func decide(s side, pod *v1.Pod, from int, workers fwk.Parallelizer) {
	ctx, state := context.Background(), s.newState()
	all, _ := s.lister.NodeInfos().List()
	_, status := s.plugin.PreFilter(ctx, state, pod, all)
	feasible := make([]fwk.NodeInfo, 0, benchFeasible)
	if status.IsSkip() {
		feasible = append(feasible, all[:benchFeasible]...)
	}
	for at := 0; len(feasible) < benchFeasible && at < len(all); at += benchFeasible {
		batch := make([]bool, min(benchFeasible, len(all)-at))
		each(ctx, len(batch), workers, func(i int) {
			batch[i] = s.plugin.Filter(ctx, state, pod, all[(from+at+i)%len(all)]).IsSuccess()
		})
		for i, fits := range batch {
			if fits && len(feasible) < benchFeasible {
				feasible = append(feasible, all[(from+at+i)%len(all)])
			}
		}
	}
	if status := s.plugin.PreScore(ctx, state, pod, feasible); !status.IsSuccess() {
		return
	}
	scores := make(fwk.NodeScoreList, len(feasible))
	each(ctx, len(feasible), workers, func(i int) {
		score, _ := s.plugin.Score(ctx, state, pod, feasible[i])
		scores[i] = fwk.NodeScore{Name: feasible[i].Node().Name, Score: score}
	})
	s.plugin.ScoreExtensions().NormalizeScore(ctx, state, pod, scores)
}

func each(ctx context.Context, n int, workers fwk.Parallelizer, do func(i int)) {
	if workers != nil {
		workers.Until(ctx, n, do, "")
		return
	}
	for i := range n {
		do(i)
	}
}

func benchmark(b *testing.B, running, arriving pods, sides func(c *cluster) []side) {
	c := benchCluster(running)
	list := sides(c)
	for _, i := range []int{0, 2} {
		s := list[i]
		b.Run(s.name, func(b *testing.B) {
			var workers fwk.Parallelizer
			if i == 0 {
				workers = parallelize.NewParallelizer(parallelize.DefaultParallelism)
			}
			decide(s, arriving(benchPods+c.made), 0, workers) // the first reads the whole cluster
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				c.made++
				pod := arriving(benchPods + c.made)
				b.StartTimer()
				decide(s, pod, c.made*benchFeasible, workers)
				b.StopTimer()
				pod.Spec.NodeName = c.nodes[c.made*7%benchNodes].Name
				c.addPod(pod)
				c.refresh()
				b.StartTimer()
			}
		})
	}
}

func spreadBench(b *testing.B) func(c *cluster) []side {
	return func(c *cluster) []side {
		return spreadSides(b, c, gates{matchLabelKeys: true}, &configv1.PodTopologySpreadArgs{DefaultingType: configv1.SystemDefaulting})
	}
}

func affinityBench(b *testing.B) func(c *cluster) []side {
	return func(c *cluster) []side { return affinitySides(b, c, 1, false) }
}

func BenchmarkSpreadOwnConstraintsOfOneApp(b *testing.B) {
	benchmark(b, plainPod, oneApp(spreadPod), spreadBench(b))
}

func BenchmarkSpreadOwnConstraintsOf500AppsInTurn(b *testing.B) {
	benchmark(b, plainPod, spreadPod, spreadBench(b))
}

func BenchmarkSpreadSystemDefaultsOfOneApp(b *testing.B) {
	benchmark(b, plainPod, oneApp(plainPod), spreadBench(b))
}

func BenchmarkSpreadSystemDefaultsOf500AppsInTurn(b *testing.B) {
	benchmark(b, plainPod, plainPod, spreadBench(b))
}

func BenchmarkAntiAffinityOfOneApp(b *testing.B) {
	benchmark(b, antiPod, oneApp(antiPod), affinityBench(b))
}

func BenchmarkAntiAffinityOf500AppsInTurn(b *testing.B) {
	benchmark(b, antiPod, antiPod, affinityBench(b))
}

func BenchmarkAntiAffinityOfNumberedPods(b *testing.B) {
	benchmark(b, numbered(antiPod), numbered(antiPod), affinityBench(b))
}

func BenchmarkPlainPodsAmongAntiAffinity(b *testing.B) {
	benchmark(b, antiPod, plainPod, affinityBench(b))
}

func BenchmarkPreferredAffinityOfOneApp(b *testing.B) {
	benchmark(b, plainPod, oneApp(preferringPod), affinityBench(b))
}
