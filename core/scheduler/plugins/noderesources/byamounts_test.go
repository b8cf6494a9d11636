package noderesources

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	configv1 "k8s.io/kube-scheduler/config/v1"
	"pgregory.net/rapid"

	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/release"
	"orrery/core/testing/mk"
)

// Whatever a pod requests and a node has, verdict and scores by amounts are those of Filter and Score.
func TestByAmounts_SameAsByNode(tb *testing.T) {
	ctx := tb.Context()
	quantities := rapid.SampledFrom([]string{"", "0", "1", "3", "100m", "2Gi", "5Gi", "1P", "9E"})
	names := []v1.ResourceName{v1.ResourceCPU, v1.ResourceMemory, v1.ResourceEphemeralStorage}
	rapid.Check(tb, func(t *rapid.T) {
		drawPod := func(name string) *mk.PodBuilder {
			b := mk.Pod(name)
			for _, resource := range names {
				if amount := quantities.Draw(t, "request"); amount != "" {
					b.Request(resource, amount)
				}
			}
			return b
		}
		node := mk.Node("n").Pods(rapid.SampledFrom([]string{"0", "1", "2", "9"}).Draw(t, "pods"))
		for _, resource := range names {
			if amount := quantities.Draw(t, "capacity"); amount != "" {
				node.Resource(resource, amount)
			}
		}
		var bound []*v1.Pod
		for i := range rapid.IntRange(0, 3).Draw(t, "bound") {
			bound = append(bound, drawPod(string(rune('a'+i))).Node("n").Obj())
		}
		snapshot := cache.SnapshotOf(bound, []*v1.Node{node.Obj()})
		info, err := snapshot.Get("n")
		if err != nil {
			t.Fatal(err)
		}
		amounts := &snapshot.Amounts()[snapshot.Places()[0].Number]
		kind := rapid.SampledFrom([]configv1.ScoringStrategyType{configv1.LeastAllocated, configv1.MostAllocated}).Draw(t, "strategy")
		fit := fitWith(tb, func(args *configv1.NodeResourcesFitArgs) { args.ScoringStrategy.Type = kind })
		pod, state := drawPod("p").Obj(), framework.NewCycleState()
		fit.PreFilter(ctx, state, pod, nil)
		if want, got := fit.Filter(ctx, state, pod, info), fit.FilterByAmounts(state, pod)(amounts); got != want {
			t.Fatalf("by amounts the verdict is %v, by the node %v", got, want)
		}
		fit.PreScore(ctx, state, pod, nil)
		if want, _ := fit.Score(ctx, state, pod, info); fit.ScoreByAmounts(state, pod)(amounts) != want {
			t.Fatalf("by amounts the %s score is %d, by the node %d", kind, fit.ScoreByAmounts(state, pod)(amounts), want)
		}
		balanced := balancedIn(tb, rapid.SampledFrom(release.All()).Draw(t, "release"))
		if balanced.PreScore(ctx, state, pod, nil).IsSkip() {
			return
		}
		if want, _ := balanced.Score(ctx, state, pod, info); balanced.ScoreByAmounts(state, pod)(amounts) != want {
			t.Fatalf("by amounts the balance is %d, by the node %d", balanced.ScoreByAmounts(state, pod)(amounts), want)
		}
	})
}

func TestByAmounts_NotForAllPods(t *testing.T) {
	fit, state := fitWith(t, nil), framework.NewCycleState()
	pod := mk.Pod("p").Request(gpu, "1").Obj()
	fit.PreFilter(t.Context(), state, pod, nil)
	if fit.FilterByAmounts(state, pod) != nil {
		t.Error("the amounts have no GPUs")
	}
	ratio := fitWith(t, func(args *configv1.NodeResourcesFitArgs) {
		args.ScoringStrategy.Type = configv1.RequestedToCapacityRatio
		args.ScoringStrategy.RequestedToCapacityRatio = &configv1.RequestedToCapacityRatioParam{Shape: []configv1.UtilizationShapePoint{{Utilization: 0, Score: 0}, {Utilization: 100, Score: 10}}}
	})
	ratio.PreScore(t.Context(), state, pod, nil)
	if ratio.ScoreByAmounts(state, pod) != nil {
		t.Error("a resource that scores 0 is left out of the mean of a ratio")
	}
}
