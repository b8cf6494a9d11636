package interpodaffinity

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	"orrery/core/testing/plugintest"
)

type scores = map[string]int64

// Shows CONF-06, IPA-05, IPA-08, IPA-09, A-5, B-7 and C-7.
func TestScore(t *testing.T) {
	fan := preferring("fan", "fan", 5, of(term(zone, "web")), nil)
	hermit := preferring("hermit", "hermit", 7, nil, of(term(host, "web")))
	bound := pod("bound", "bound", of(term(zone, "web")), nil)
	for _, row := range []struct {
		name            string
		args            *configv1.InterPodAffinityArgs
		pods            []*v1.Pod
		pod             *v1.Pod
		raw, normalized scores // nil: PreScore skips
	}{
		{
			name: "preferred anti-affinity lowers the score of the pod's zone and rejects nothing",
			pods: []*v1.Pod{on("n1", plain("s2", "S2"))}, pod: preferring("p", "x", 100, nil, of(term(zone, "S2"))),
			raw: scores{"n1": -100, "n2": -100, "n3": 0}, normalized: scores{"n1": 0, "n2": 0, "n3": 100},
		},
		{name: "preferred anti-affinity without a matching pod skips", pod: preferring("p", "x", 100, nil, of(term(zone, "S2")))},
		{
			name: "each match adds its weight",
			pods: []*v1.Pod{on("n1", plain("a", "f")), on("n2", plain("b", "f")), on("n3", plain("c", "f"))},
			pod:  preferring("p", "x", 10, of(term(zone, "f"), term(host, "f")), nil),
			raw:  scores{"n1": 30, "n2": 30, "n3": 20}, normalized: scores{"n1": 100, "n2": 100, "n3": 0},
		},
		{
			name: "existing pods' preferences count for a pod without terms",
			pods: []*v1.Pod{on("n1", fan), on("n3", hermit)}, pod: plain("w", "web"),
			raw: scores{"n1": 5, "n2": 5, "n3": -7}, normalized: scores{"n1": 100, "n2": 100, "n3": 0},
		},
		{
			name: "existing pods' required affinity counts by hardPodAffinityWeight", args: arguments(3, false),
			pods: []*v1.Pod{on("n1", bound)}, pod: plain("w", "web"),
			raw: scores{"n1": 3, "n2": 3, "n3": 0}, normalized: scores{"n1": 100, "n2": 100, "n3": 0},
		},
		{name: "a hardPodAffinityWeight of 0 ignores required affinity", args: arguments(0, false), pods: []*v1.Pod{on("n1", bound)}, pod: plain("w", "web")},
		{name: "existing pods' preferences are ignored", args: arguments(1, true), pods: []*v1.Pod{on("n1", fan)}, pod: plain("w", "web")},
		{
			name: "ignored preferences still count if the pod itself has preferences", args: arguments(1, true),
			pods: []*v1.Pod{on("n1", fan)}, pod: preferring("w", "web", 1, of(term(zone, "none")), nil),
			raw: scores{"n1": 5, "n2": 5, "n3": 0}, normalized: scores{"n1": 100, "n2": 100, "n3": 0},
		},
		{
			name: "preferences that cancel out score equally",
			pods: []*v1.Pod{on("n1", preferring("a", "a", 5, of(term(zone, "web")), nil)), on("n1", preferring("b", "b", 5, nil, of(term(zone, "web"))))},
			pod:  plain("w", "web"), raw: scores{"n1": 0, "n2": 0, "n3": 0}, normalized: scores{"n1": 0, "n2": 0, "n3": 0},
		},
		{name: "no pod has terms", pods: []*v1.Pod{on("n1", plain("a", "a"))}, pod: plain("w", "web")},
	} {
		t.Run(row.name, func(t *testing.T) {
			if row.args == nil {
				row.args = arguments(1, false)
			}
			s := fixtureOf(t, cache.SnapshotOf(row.pods, zoned("R", "R", "S")), row.args)
			raw, normalized := s.ScoreAll(t, row.pod)
			if skipped := raw == nil; skipped != (row.raw == nil) {
				t.Fatalf("skipped: %v", skipped)
			}
			if diff := cmp.Diff(row.raw, raw); diff != "" {
				t.Errorf("raw scores (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(row.normalized, normalized); diff != "" {
				t.Errorf("normalised scores (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNormalizeScore(t *testing.T) {
	s := newFixture(t, nil)
	state := framework.NewCycleState()
	state.Write(preScoreStateKey, &preScoreState{})
	for name, row := range map[string]struct{ in, want []int64 }{
		"the range is stretched":     {[]int64{-5, 0, 7}, []int64{0, 41, 100}},
		"equal scores become 0":      {[]int64{7, 7}, []int64{0, 0}},
		"no scores":                  {nil, nil},
		"fractions are rounded down": {[]int64{0, 1, 3}, []int64{0, 33, 100}},
		"a single node becomes 0":    {[]int64{3}, []int64{0}},
	} {
		var list fwk.NodeScoreList
		for _, score := range row.in {
			list = append(list, fwk.NodeScore{Score: score})
		}
		s.NormalizeScore(context.Background(), state, nil, list)
		var got []int64
		for _, score := range list {
			got = append(got, score.Score)
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// PreScore reuses what PreFilter counted in the same cycle.
func TestPreScore_AfterPreFilter(t *testing.T) {
	s := newFixture(t, zoned("R", "S"), on("n1", pod("guard", "db", of(term(zone, "web")), of(term(host, "web")))))
	state, _ := s.RunPreFilter(t, plain("w", "web"))
	revision := s.index.Revision()
	nodes, _ := s.List()
	if status := s.PreScore(context.Background(), state, plain("w", "web"), nodes); !status.IsSuccess() {
		t.Fatal(status)
	}
	if s.index.Revision() != revision {
		t.Error("the nodes were read twice in one cycle")
	}
	if score, _ := s.Score(context.Background(), state, nil, nodes[0]); score != 1 {
		t.Errorf("score %d, want the 1 of the guard's affinity", score)
	}
}

// Shows BATCH-03 and BATCH-04.
func TestSignPod(t *testing.T) {
	labels := map[string]string{"app": "x"}
	for name, row := range map[string]struct {
		args   *configv1.InterPodAffinityArgs
		pod    *v1.Pod
		want   []fwk.SignFragment
		status string
	}{
		"a pod without terms is signed by its labels":           {arguments(1, false), plain("p", "x"), []fwk.SignFragment{{Key: fwk.LabelsSignerName, Value: labels}}, ""},
		"with existing preferences ignored labels do not count": {arguments(1, true), plain("p", "x"), nil, ""},
		"a pod with terms is not signed":                        {arguments(1, true), pod("p", "x", of(term(zone, "x")), nil), nil, "Unschedulable: pods with InterPodAffinity are not signable"},
	} {
		t.Run(name, func(t *testing.T) {
			fragments, status := fixtureOf(t, cache.NewSnapshot(), row.args).SignPod(context.Background(), row.pod)
			if diff := cmp.Diff(row.want, fragments); diff != "" || plugintest.RejectionText(status) != row.status {
				t.Errorf("status %q, want %q; fragments (-want +got):\n%s", plugintest.RejectionText(status), row.status, diff)
			}
		})
	}
}

func TestNew_Errors(t *testing.T) {
	objects := informers.NewSharedInformerFactory(nil, 0)
	for name, row := range map[string]struct {
		handle plugintest.Handle
		want   string
	}{
		"no snapshot":  {plugintest.Handle{Objects: objects}, "building InterPodAffinity: the handle has no snapshot to read nodes from"},
		"no informers": {plugintest.Handle{Nodes: cache.NewSnapshot()}, "building InterPodAffinity: the handle has no informer factory to read namespaces from"},
	} {
		_, err := New(context.Background(), arguments(1, false), row.handle, config.DefaultFeatures())
		if err == nil || err.Error() != row.want {
			t.Errorf("%s: error %v\nwant %s", name, err, row.want)
		}
	}
	_, err := New(context.Background(), &configv1.NodeAffinityArgs{}, plugintest.Handle{}, config.DefaultFeatures())
	if err == nil || err.Error() != "want args to be of type InterPodAffinityArgs, got *v1.NodeAffinityArgs" {
		t.Errorf("arguments of another plugin: error %v", err)
	}
}
