package podtopologyspread

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/utils/ptr"

	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/framework"
	"orrery/core/testing/mk"
	"orrery/core/testing/plugintest"
)

// with changes a constraint.
func with(c v1.TopologySpreadConstraint, change func(*v1.TopologySpreadConstraint)) v1.TopologySpreadConstraint {
	change(&c)
	return c
}

// Shows CONF-12, SPREAD-01, SPREAD-04, SPREAD-08, SPREAD-09, SPREAD-10, SPREAD-11, SPREAD-12, SPREAD-15, SPREAD-16, SPREAD-17 and SPREAD-25.
// Shows SPREAD-01, SPREAD-04, SPREAD-08, SPREAD-09, SPREAD-10, SPREAD-11, SPREAD-12, SPREAD-15, SPREAD-16, SPREAD-17, SPREAD-25,
// A-8, B-9 and B-17.
func TestFilter_ConstraintFields(t *testing.T) {
	honor, ignore := ptr.To(v1.NodeInclusionPolicyHonor), ptr.To(v1.NodeInclusionPolicyIgnore)
	minDomains := func(n int32) func(*v1.TopologySpreadConstraint) {
		return func(c *v1.TopologySpreadConstraint) { c.MinDomains = &n }
	}
	tainted := func(zones ...string) []*v1.Node {
		nodes := zoned(zones...)
		nodes[len(nodes)-1].Spec.Taints = []v1.Taint{{Key: "down", Effect: v1.TaintEffectNoSchedule}}
		return nodes
	}
	selecting := func(c v1.TopologySpreadConstraint) *v1.Pod {
		pod := testPod(c)
		pod.Spec.NodeSelector = map[string]string{"pool": "ab"}
		return pod
	}
	pooled := zoned("A", "B", "C")
	pooled[0].Labels["pool"], pooled[1].Labels["pool"] = "ab", "ab"
	unnamed := zoned("A", "A", "B")
	delete(unnamed[0].Labels, host)
	revision := mk.Pod("mypod").Label("foo", "bar").Label("pod-template-hash", "new").Obj()
	revision.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{with(hard(zone, 1), func(c *v1.TopologySpreadConstraint) {
		c.MatchLabelKeys = []string{"pod-template-hash", "absent"}
	})}
	elsewhere := running("n1", "n1", "n1")
	for _, pod := range elsewhere {
		pod.Namespace = "other"
	}
	terminating := running("n1", "n1", "n2")
	terminating[0].DeletionTimestamp, terminating[1].DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}, &metav1.Time{Time: time.Unix(1, 0)}

	for _, row := range []struct {
		name  string
		nodes []*v1.Node
		pods  []*v1.Pod
		pod   *v1.Pod
		want  string
	}{
		{"zones 2, 2, 1 with maxSkew 1: only the zone with 1 is allowed", zoned("A", "B", "C"), running("n1", "n1", "n2", "n2", "n3"), testPod(hard(zone, 1)), "n3"},
		{"fewer domains than minDomains: the minimum is 0, so no domain with a pod is allowed", zoned("A", "B"), running("n1", "n2"), testPod(with(hard(zone, 1), minDomains(3))), ""},
		{"fewer domains than minDomains, all empty: all are allowed", zoned("A", "B"), nil, testPod(with(hard(zone, 1), minDomains(3))), "n1 n2"},
		{"as many domains as minDomains: no effect", zoned("A", "B"), running("n1", "n2"), testPod(with(hard(zone, 1), minDomains(2))), "n1 n2"},
		{"pods of other namespaces do not count", zoned("A", "B"), elsewhere, testPod(hard(zone, 1)), "n1 n2"},
		{"terminating pods do not count", zoned("A", "B"), terminating, testPod(hard(zone, 1)), "n1"},
		{"matchLabelKeys count only the pod's revision; keys that the pod lacks are ignored", zoned("A", "B"), running("n1", "n1", "n1"), revision, "n1 n2"},
		{"nodeAffinityPolicy is Honor by default: zone C is not a domain", pooled, running("n1", "n2"), selecting(hard(zone, 1)), "n1 n2 n3"},
		{
			"nodeAffinityPolicy Ignore: the empty zone C lowers the minimum to 0", pooled, running("n1", "n2"),
			selecting(with(hard(zone, 1), func(c *v1.TopologySpreadConstraint) { c.NodeAffinityPolicy = ignore })), "n3",
		},
		{"nodeTaintsPolicy is Ignore by default: the tainted zone C counts as empty", tainted("A", "B", "C"), running("n1", "n2"), testPod(hard(zone, 1)), "n3"},
		{
			"nodeTaintsPolicy Honor: the tainted zone C is not a domain", tainted("A", "B", "C"), running("n1", "n2"),
			testPod(with(hard(zone, 1), func(c *v1.TopologySpreadConstraint) { c.NodeTaintsPolicy = honor })), "n1 n2 n3",
		},
		{"pods on tainted nodes count by default", tainted("B", "A", "A"), running("n1", "n3", "n3"), testPod(hard(zone, 1)), "n1"},
		{
			"nodeTaintsPolicy Honor: pods on tainted nodes do not count", tainted("B", "A", "A"), running("n1", "n3", "n3"),
			testPod(with(hard(zone, 1), func(c *v1.TopologySpreadConstraint) { c.NodeTaintsPolicy = honor })), "n2 n3",
		},
		{"a node counts that has the key of the only constraint", unnamed, running("n1", "n1", "n3"), testPod(hard(zone, 1)), "n3"},
		{"a node that lacks the key of one of two constraints counts for neither", unnamed, running("n1", "n1", "n3"), testPod(hard(zone, 1), hard(host, 2)), "n2"},
		{
			"an empty selector counts no pod, although the pod itself matches it", zoned("A", "B"), running("n1", "n1", "n1"),
			testPod(with(hard(zone, 1), func(c *v1.TopologySpreadConstraint) { c.LabelSelector = &metav1.LabelSelector{} })), "n1 n2",
		},
		{
			"no selector matches no pod, not even the pod itself", zoned("A", "B"), running("n1", "n1", "n1"),
			testPod(with(hard(zone, 1), func(c *v1.TopologySpreadConstraint) { c.LabelSelector = nil })), "n1 n2",
		},
		{"an empty label value is a domain like others", zoned("", "B"), running("n1"), testPod(hard(zone, 1)), "n2"},
		{
			"without eligible nodes every node is allowed", zoned("A", "B"), running("n1", "n1"),
			func() *v1.Pod { p := selecting(hard(zone, 1)); p.Spec.NodeSelector["pool"] = "none"; return p }(), "n1 n2",
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := newFixture(t, row.nodes, row.pods).FeasibleNodes(t, row.pod); got != row.want {
				t.Errorf("allowed nodes: %q, want %q", got, row.want)
			}
		})
	}
}

func TestFilter_Reasons(t *testing.T) {
	s := newFixture(t, zoned("A", "B", "-"), running("n1", "n1"))
	got := s.FilterAll(t, testPod(hard(zone, 1)))
	want := map[string]string{
		"n1": "Unschedulable: node(s) didn't match pod topology spread constraints",
		"n2": "",
		"n3": "UnschedulableAndUnresolvable: node(s) didn't match pod topology spread constraints (missing required label)",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("verdicts (-want +got):\n%s", diff)
	}
}

func TestPreFilter_SkipsAndErrors(t *testing.T) {
	s := newFixture(t, zoned("A"), nil)
	if _, status := s.RunPreFilter(t, testPod(soft(zone, 1))); !status.IsSkip() {
		t.Errorf("without hard constraints: %v, want Skip", status.Code())
	}
	broken := with(hard(zone, 1), func(c *v1.TopologySpreadConstraint) {
		c.LabelSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "a", Operator: "Near"}}}
	})
	_, status := s.RunPreFilter(t, testPod(broken))
	const want = `Error: get constraints from pod: obtaining pod's hard topology spread constraints: "Near" is not a valid label selector operator`
	if got := plugintest.RejectionText(status); got != want {
		t.Errorf("with a broken selector: %s\nwant %s", got, want)
	}
	status = s.Filter(context.Background(), framework.NewCycleState(), testPod(), mustList(s)[0])
	if got := plugintest.RejectionText(status); got != `Error: reading "PreFilterPodTopologySpread" from cycleState: not found` {
		t.Errorf("Filter without PreFilter: %s", got)
	}
}

func mustList(s *fixture) []fwk.NodeInfo {
	nodes, _ := s.List()
	return nodes
}

// Preemption and nominated pods change copies of the state.
func TestFilter_AddPodRemovePod(t *testing.T) {
	add, remove := func(s *fixture) changeFunc { return s.AddPod }, func(s *fixture) changeFunc { return s.RemovePod }
	matching, other := running("n2")[0], mk.Pod("x").Obj()
	foreign := mk.Pod("x").Namespace("other").Label("foo", "bar").Obj()
	terminating := mk.Pod("x").Label("foo", "bar").Deleting(time.Unix(1, 0)).Obj()
	emptySelector := with(hard(zone, 1), func(c *v1.TopologySpreadConstraint) { c.LabelSelector = &metav1.LabelSelector{} })
	for _, row := range []struct {
		name       string
		constraint v1.TopologySpreadConstraint
		change     func(*fixture) changeFunc
		pod        *v1.Pod
		node       int
		want       string
	}{
		{"a pod that does not count changes nothing", hard(zone, 1), add, other, 1, "n2"},
		{"a pod added in zone B raises the minimum", hard(zone, 1), add, matching, 1, "n1 n2"},
		{"a pod removed from zone A lowers its count", hard(zone, 1), remove, matching, 0, "n1 n2"},
		{"a pod of another namespace changes nothing", hard(zone, 1), remove, foreign, 0, "n2"},
		{"a pod on a node without the key changes nothing", hard(zone, 1), add, matching, 2, "n2"},
		{"removing a terminating pod, which did not count, lowers the count", hard(zone, 1), remove, terminating, 0, "n1 n2"},
		{"an empty selector counts no pod in PreFilter, but pods added later", emptySelector, add, other, 0, "n2"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newFixture(t, zoned("A", "B", "-"), running("n1"))
			pod := testPod(row.constraint)
			state, _ := s.RunPreFilter(t, pod)
			copied := state.Clone()
			info, _ := cache.NewPodInfo(row.pod)
			node, err := s.Get(zoned("A", "B", "-")[row.node].Name)
			if err != nil {
				t.Fatal(err)
			}
			before := s.FilterWith(t, state, pod)
			if status := row.change(s)(context.Background(), copied, pod, info, node); !status.IsSuccess() {
				t.Fatal(status)
			}
			after := s.FilterWith(t, copied, pod)
			if got := plugintest.FeasibleIn(after); got != row.want {
				t.Errorf("allowed nodes: %q, want %q", got, row.want)
			}
			if diff := cmp.Diff(before, s.FilterWith(t, state, pod)); diff != "" {
				t.Errorf("the change to the copy reached the original (-before +after):\n%s", diff)
			}
		})
	}
}

type changeFunc = func(context.Context, fwk.CycleState, *v1.Pod, fwk.PodInfo, fwk.NodeInfo) *fwk.Status

func TestFilter_MinimumIsExactAfterSeveralChanges(t *testing.T) {
	s := newFixture(t, zoned("A", "B", "C", "D"), running("n1", "n1", "n2", "n3", "n4"))
	pod := testPod(hard(zone, 1))
	state, _ := s.RunPreFilter(t, pod)
	for _, node := range mustList(s)[1:] {
		info, _ := cache.NewPodInfo(running(node.Node().Name)[0])
		s.AddPod(context.Background(), state, pod, info, node)
	}
	// Two in every zone: each accepts one more.
	if got := plugintest.FeasibleIn(s.FilterWith(t, state, pod)); got != "n1 n2 n3 n4" {
		t.Errorf("allowed nodes: %q, want all", got)
	}
}

func TestFilter_DoesNotAllocate(t *testing.T) {
	s := newFixture(t, zoned("A", "A", "B", "-"), running("n1", "n1"))
	pod := testPod(hard(zone, 1), hard(host, 1))
	state, _ := s.RunPreFilter(t, pod)
	nodes := mustList(s)
	var plugin fwk.FilterPlugin = s.PodTopologySpread
	if n := testing.AllocsPerRun(100, func() {
		for _, info := range nodes {
			plugin.Filter(context.Background(), state, pod, info)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
