package imagelocality_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins/imagelocality"
	"orrery/core/testing/mk"
	"orrery/core/testing/plugintest"
)

// onCluster is the plugin on a cluster of nodes, and the nodes in order of name.
func onCluster(t *testing.T, nodes ...*v1.Node) (*imagelocality.ImageLocality, []fwk.NodeInfo) {
	t.Helper()
	snapshot := cache.SnapshotOf(nil, nodes)
	p, err := imagelocality.New(t.Context(), nil, plugintest.Handle{Nodes: snapshot}, config.DefaultFeatures())
	if err != nil {
		t.Fatal(err)
	}
	infos := make([]fwk.NodeInfo, len(nodes))
	for i, node := range nodes {
		if infos[i], err = snapshot.NodeInfos().Get(node.Name); err != nil {
			t.Fatal(err)
		}
	}
	return p.(*imagelocality.ImageLocality), infos
}

const mib = 1024 * 1024

func TestScore(t *testing.T) {
	empty := func(name string) *v1.Node { return mk.Node(name).Obj() }
	with := func(name string, size int64, images ...string) *v1.Node {
		return mk.Node(name).Image(size, images...).Obj()
	}
	for name, tc := range map[string]struct {
		pod   *mk.PodBuilder
		nodes []*v1.Node
		want  []int64
	}{
		"an image of 250 MiB on both nodes": {
			mk.Pod("p").Image("redis:7"), []*v1.Node{with("a", 250*mib, "redis:7"), with("b", 250*mib, "redis:7")}, []int64{23, 23},
		},
		"an image on one of two nodes counts half": {
			mk.Pod("p").Image("redis:7"), []*v1.Node{with("a", 250*mib, "redis:7"), empty("b")}, []int64{10, 0},
		},
		"two containers, images of 40 and 300 MiB, each on one of two nodes": {
			mk.Pod("p").Image("small:1").Container("b", "big:1", nil),
			[]*v1.Node{mk.Node("a").Image(40*mib, "small:1").Image(300*mib, "big:1").Obj(), empty("b")},
			[]int64{7, 0},
		},
		"an image below 23 MiB counts 0": {
			mk.Pod("p").Image("tiny:1"), []*v1.Node{with("a", 10*mib, "tiny:1")}, []int64{0},
		},
		"an image counts at most as 1000 MiB": {
			mk.Pod("p").Image("huge:1"), []*v1.Node{with("a", 4000*mib, "huge:1")}, []int64{100},
		},
		"an image counts for every container that uses it": {
			mk.Pod("p").Image("x:1").Container("b", "x:1", nil), []*v1.Node{with("a", 250*mib, "x:1")}, []int64{24},
		},
		"init containers count too": {
			mk.Pod("p").Image("none:1").Init("i", nil), []*v1.Node{with("a", 500*mib, "init:latest")}, []int64{24},
		},
		"a name without tag means latest": {
			mk.Pod("p").Image("redis"), []*v1.Node{with("a", 1000*mib, "redis:latest")}, []int64{100},
		},
		"a registry's port is not a tag": {
			mk.Pod("p").Image("registry.example:5000/redis"), []*v1.Node{with("a", 1000*mib, "registry.example:5000/redis:latest")}, []int64{100},
		},
		"a name with a digest is unchanged": {
			mk.Pod("p").Image("redis@sha256:abc"), []*v1.Node{with("a", 1000*mib, "redis@sha256:abc")}, []int64{100},
		},
		"a default registry is not added": {
			mk.Pod("p").Image("redis:7"), []*v1.Node{with("a", 1000*mib, "docker.io/library/redis:7")}, []int64{0},
		},
		"a name of 300 characters": {
			mk.Pod("p").Image(strings.Repeat("x", 300)), []*v1.Node{with("a", 1000*mib, strings.Repeat("x", 300)+":latest")}, []int64{100},
		},
		"sizes beyond 64 bits are capped": {
			mk.Pod("p").Image("x:1").Container("b", "x:1", nil), []*v1.Node{with("a", math.MaxInt64, "x:1")}, []int64{100},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, nodes := onCluster(t, tc.nodes...)
			raw, normalised := plugintest.Scores(t, p, tc.pod.Obj(), nodes...)
			if diff := cmp.Diff(tc.want, raw); diff != "" {
				t.Errorf("scores (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(raw, normalised); diff != "" {
				t.Errorf("scores were normalised (-raw +normalised):\n%s", diff)
			}
		})
	}
}

func TestSignPod(t *testing.T) {
	p, _ := onCluster(t)
	pod := mk.Pod("p").Image("redis").Container("b", "app:2", nil).Container("c", "redis:latest", nil).Init("i", nil).Obj()
	want := map[string]string{"v1.Pod.Spec.CanonicalImageNames()": `["app:2","init:latest","redis:latest"]`}
	if diff := cmp.Diff(want, plugintest.Signature(t, p, pod)); diff != "" {
		t.Errorf("signature (-want +got):\n%s", diff)
	}
}

func TestScore_DoesNotAllocate(t *testing.T) {
	p, nodes := onCluster(t, mk.Node("a").Image(500*mib, "registry.example.com/some/team/redis:latest").Obj())
	pod, ctx, state := mk.Pod("p").Image("registry.example.com/some/team/redis").Obj(), t.Context(), framework.NewCycleState()
	if n := testing.AllocsPerRun(100, func() { p.Score(ctx, state, pod, nodes[0]) }); n != 0 {
		t.Errorf("%v allocations for a node", n)
	}
}

// The number of nodes matters on a node that has one of the pod's images, whichever container uses it.
func TestScoreCountsNodes_WhereImageIs(t *testing.T) {
	p, nodes := onCluster(t, mk.Node("has").Image(100*mib, "redis:7").Obj(), mk.Node("other").Image(100*mib, "nginx:1").Obj(), mk.Node("empty").Obj())
	main := mk.Pod("main").Image("redis:7").Obj()
	first := mk.Pod("first").Image("none").Obj()
	first.Spec.InitContainers = []v1.Container{{Image: "redis:7"}}
	for _, pod := range []*v1.Pod{main, first} {
		for i, want := range []bool{true, false, false} {
			if got := p.ScoreCountsNodes(pod, nodes[i]); got != want {
				t.Errorf("pod %s on %s: %v", pod.Name, nodes[i].Node().Name, got)
			}
		}
	}
}
