package local

import (
	"context"
	"fmt"
	"testing"

	v1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	fwk "k8s.io/kube-scheduler/framework"
	upcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"

	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/plugins"
	"orrery/core/scheduler/release"
	"orrery/core/testing/mk"
)

// BenchmarkPlugins runs each plugin's PreFilter, Filter, PreScore and Score for one pod on a hundred nodes, half of which it
// rejects. Each side has its own nodes and state.
func BenchmarkPlugins(b *testing.B) {
	var nodes []*v1.Node
	var pods []*v1.Pod
	for i := range 100 {
		node := mk.Node(fmt.Sprintf("n%02d", i)).CPU("16").Memory("64Gi").Label("disk", "ssd").Label("pool", []string{"a", "b"}[i%2]).
			Taint("prefer-not", "", v1.TaintEffectPreferNoSchedule).Image(300<<20, "reg.io/team/app:latest")
		if i%2 == 0 {
			node.Taint("dedicated", "x", v1.TaintEffectNoSchedule).Unschedulable()
			pods = append(pods, mk.Pod(fmt.Sprintf("full-%d", i)).Node(fmt.Sprintf("n%02d", i)).CPU("16").HostPort(8080).Obj())
		}
		nodes = append(nodes, node.Obj())
	}
	pod := mk.Pod("waiting").Image("reg.io/team/app").CPU("500m").Memory("1Gi").HostPort(8080).
		NodeSelector("disk", "ssd").Toleration(v1.Toleration{Key: "other", Operator: v1.TolerationOpExists}).
		Affinity(&v1.Affinity{NodeAffinity: &v1.NodeAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{
				MatchExpressions: []v1.NodeSelectorRequirement{{Key: "pool", Operator: v1.NodeSelectorOpIn, Values: []string{"b"}}},
			}}},
			PreferredDuringSchedulingIgnoredDuringExecution: []v1.PreferredSchedulingTerm{{Weight: 10, Preference: v1.NodeSelectorTerm{
				MatchExpressions: []v1.NodeSelectorRequirement{{Key: "pool", Operator: v1.NodeSelectorOpExists}},
			}}},
		}}).Obj()
	theirs, ours := upcache.NewSnapshot(pods, nodes), cache.SnapshotOf(pods, nodes)
	features := config.FeaturesOf(release.Newest)
	for _, p := range upstream {
		args := config.DefaultArgs(p.name, features)
		theirArgs, err := internal(args)
		if err != nil {
			b.Fatal(err)
		}
		their, err := p.make(b.Context(), theirArgs, handle{lister: theirs}, feature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate))
		if err != nil {
			b.Fatal(err)
		}
		our, err := plugins.Registry(features)[p.name](b.Context(), args, handle{lister: ours})
		if err != nil {
			b.Fatal(err)
		}
		b.Run(p.name+"/kube-scheduler", func(b *testing.B) { runPlugin(b, their, pod, listed(b, theirs), theirState) })
		b.Run(p.name+"/Orrery", func(b *testing.B) { runPlugin(b, our, pod, listed(b, ours), ourState) })
	}
}

func listed(b *testing.B, lister fwk.SharedLister) []fwk.NodeInfo {
	nodes, err := lister.NodeInfos().List()
	if err != nil {
		b.Fatal(err)
	}
	return nodes
}

func runPlugin(b *testing.B, plugin fwk.Plugin, pod *v1.Pod, nodes []fwk.NodeInfo, fresh func() fwk.CycleState) {
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		state := fresh()
		skipped := false
		if p, ok := plugin.(fwk.PreFilterPlugin); ok {
			_, status := p.PreFilter(ctx, state, pod, nodes)
			skipped = status.IsSkip()
		}
		if p, ok := plugin.(fwk.FilterPlugin); ok && !skipped {
			for _, node := range nodes {
				p.Filter(ctx, state, pod, node)
			}
		}
		if p, ok := plugin.(fwk.PreScorePlugin); ok {
			p.PreScore(ctx, state, pod, nodes)
		}
		if p, ok := plugin.(fwk.ScorePlugin); ok {
			for _, node := range nodes {
				p.Score(ctx, state, pod, node)
			}
		}
	}
}
