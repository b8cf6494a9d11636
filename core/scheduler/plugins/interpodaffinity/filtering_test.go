package interpodaffinity

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/framework"
	"orrery/core/testing/mk"
	"orrery/core/testing/plugintest"
)

// Shows IPA-01, IPA-03, IPA-04, IPA-06, IPA-07, IPA-10, IPA-14, IPA-15 and C-7.
func TestFilter_RequiredTerms(t *testing.T) {
	threeNodes := zoned("V", "V", "W")
	s1 := on("n1", plain("s1", "S1"))
	guarded := on("n1", pod("guard", "db", nil, of(term(host, "web"))))
	other := on("n1", mk.Pod("o").Namespace("other").Label("app", "S1").Obj())
	both := mk.Pod("both").Label("app", "S1").Label("tier", "x").Obj()
	tier := v1.PodAffinityTerm{TopologyKey: host, LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"tier": "x"}}}

	for _, row := range []struct {
		name  string
		nodes []*v1.Node
		pods  []*v1.Pod
		pod   *v1.Pod
		want  string
	}{
		{"zone V holds an S1 pod: any node in V is allowed", threeNodes, []*v1.Pod{s1}, pod("p", "x", of(term(zone, "S1")), nil), "n1 n2"},
		{"no S1 pod: no node is allowed", threeNodes, nil, pod("p", "x", of(term(zone, "S1")), nil), ""},
		{"nodes without the key are not eligible", zoned("V", "-"), []*v1.Pod{s1}, pod("p", "x", of(term(zone, "S1")), nil), "n1"},
		{"anti-affinity forbids the whole domain of a match", threeNodes, []*v1.Pod{s1}, pod("p", "x", nil, of(term(zone, "S1"))), "n3"},
		{"anti-affinity allows nodes without the key", zoned("V", "-"), []*v1.Pod{s1}, pod("p", "x", nil, of(term(zone, "S1"))), "n2"},
		{"an existing pod's anti-affinity rejects a pod without terms", threeNodes, []*v1.Pod{guarded}, plain("w", "web"), "n2 n3"},
		{"an existing pod's anti-affinity allows pods that it does not select", threeNodes, []*v1.Pod{guarded}, plain("w", "other"), "n1 n2 n3"},
		{"the first pod of a series with affinity to itself fits any node with the key", zoned("V", "-"), nil, pod("p", "x", of(term(zone, "x")), nil), "n1"},
		{"the next pods of the series need a match", threeNodes, []*v1.Pod{on("n3", plain("x", "x"))}, pod("p", "x", of(term(zone, "x")), nil), "n3"},
		{"a pod with affinity to missing pods of another label stays pending", threeNodes, nil, pod("p", "y", of(term(zone, "x")), nil), ""},
		{"without namespaces, only the pod's own counts", threeNodes, []*v1.Pod{other}, pod("p", "x", of(term(zone, "S1")), nil), ""},
		{"a listed namespace counts", threeNodes, []*v1.Pod{other}, pod("p", "x", of(in(term(zone, "S1"), "other")), nil), "n1 n2"},
		{"with a listed namespace the pod's own does not count", threeNodes, []*v1.Pod{s1}, pod("p", "x", of(in(term(zone, "S1"), "other")), nil), ""},
		{"an empty namespace selector selects all namespaces", threeNodes, []*v1.Pod{other}, pod("p", "x", of(everywhere(term(zone, "S1"))), nil), "n1 n2"},
		{"a namespace selector selects namespaces by label", threeNodes, []*v1.Pod{other}, pod("p", "x", of(inTeam(term(zone, "S1"), "red")), nil), "n1 n2"},
		{"a namespace selector does not select other namespaces", threeNodes, []*v1.Pod{other}, pod("p", "x", of(inTeam(term(zone, "S1"), "blue")), nil), ""},
		{"selected and listed namespaces are united", threeNodes, []*v1.Pod{s1}, pod("p", "x", of(in(inTeam(term(zone, "S1"), "red"), "default")), nil), "n1 n2"},
		{
			"one pod must match all affinity terms", threeNodes,
			[]*v1.Pod{s1, on("n1", mk.Pod("t").Label("tier", "x").Obj())},
			pod("p", "x", of(term(zone, "S1"), tier), nil), "",
		},
		{"a pod matching all terms counts for each in its own topology", threeNodes, []*v1.Pod{on("n1", both)}, pod("p", "x", of(term(zone, "S1"), tier), nil), "n1"},
		{"a term without a selector matches no pod", threeNodes, []*v1.Pod{s1}, pod("p", "x", nil, of(v1.PodAffinityTerm{TopologyKey: zone})), "n1 n2 n3"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newFixture(t, row.nodes, row.pods...)
			s.namespace(t, "default")
			s.namespace(t, "other", "team", "red")
			if got := s.FeasibleNodes(t, row.pod); got != row.want {
				t.Errorf("allowed nodes: %q, want %q", got, row.want)
			}
		})
	}
}

// A namespace selector is resolved to names, and then matched once more as if namespaces had no labels.
func TestFilter_NamespaceSelectorMatchingNoLabels(t *testing.T) {
	away := term(host, "S1")
	away.NamespaceSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "team", Operator: metav1.LabelSelectorOpDoesNotExist}}}
	s := newFixture(t, zoned("V", "V"), on("n1", mk.Pod("o").Namespace("other").Label("app", "S1").Obj()))
	s.namespace(t, "other", "team", "red")
	if got := s.FeasibleNodes(t, pod("p", "x", nil, of(away))); got != "n2" {
		t.Errorf("allowed nodes: %q, want n2, although the namespace has a team", got)
	}
}

func TestFilter_ExistingTermsSeeNamespaceLabels(t *testing.T) {
	guard := on("n1", pod("guard", "db", nil, of(inTeam(term(host, "web"), "red"))))
	for team, want := range map[string]string{"red": "n2", "blue": "n1 n2"} {
		s := newFixture(t, zoned("V", "V"), guard)
		s.namespace(t, "default", "team", team)
		if got := s.FeasibleNodes(t, plain("w", "web")); got != want {
			t.Errorf("team %s: allowed nodes %q, want %q", team, got, want)
		}
	}
}

func TestFilter_ReasonsInOrder(t *testing.T) {
	const (
		noMatch = "UnschedulableAndUnresolvable: node(s) didn't match pod affinity rules"
		anti    = "Unschedulable: node(s) didn't match pod anti-affinity rules"
		guarded = "Unschedulable: node(s) didn't satisfy existing pods anti-affinity rules"
	)
	guard := func(node string) *v1.Pod { return on(node, pod("guard", "db", nil, of(term(host, "web")))) }
	enemy := func(node string) *v1.Pod { return on(node, plain("enemy", "enemy")) }
	friend := func(node string) *v1.Pod { return on(node, plain("friend", "friend")) }
	s := newFixture(t, zoned("V", "V", "V", "V"),
		guard("n1"), enemy("n1"),
		friend("n2"), enemy("n2"), guard("n2"),
		friend("n3"), guard("n3"),
		friend("n4"))
	got := s.FilterAll(t, pod("p", "web", of(term(host, "friend")), of(term(host, "enemy"))))
	want := map[string]string{"n1": noMatch, "n2": anti, "n3": guarded, "n4": ""}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("verdicts (-want +got):\n%s", diff)
	}
}

// Three caches and three web servers have anti-affinity to their own kind, and the web servers affinity to a cache: each of
// three nodes gets one of both. Shows IPA-06, IPA-19 and C-8.
func TestFilter_WebServersWithCaches(t *testing.T) {
	nodes := zoned("V", "V", "V")
	var placed []*v1.Pod
	place := func(p *v1.Pod) {
		t.Helper()
		s := newFixture(t, nodes, placed...)
		for _, node := range nodes {
			if s.FilterAll(t, p)[node.Name] == "" {
				placed = append(placed, on(node.Name, p))
				return
			}
		}
		t.Fatalf("%s fits no node", p.Name)
	}
	for i := range 3 {
		place(pod(fmt.Sprint("cache", i), "store", nil, of(term(host, "store"))))
		place(pod(fmt.Sprint("web", i), "web-store", of(term(host, "store")), of(term(host, "web-store"))))
	}
	on := map[string]int{}
	for _, p := range placed {
		on[p.Spec.NodeName+" "+p.Labels["app"]]++
	}
	want := map[string]int{"n1 store": 1, "n1 web-store": 1, "n2 store": 1, "n2 web-store": 1, "n3 store": 1, "n3 web-store": 1}
	if diff := cmp.Diff(want, on); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	fourth := pod("cache4", "store", nil, of(term(host, "store")))
	if got := newFixture(t, nodes, placed...).FeasibleNodes(t, fourth); got != "" {
		t.Errorf("the fourth cache is allowed on %q, want no node", got)
	}
}

func TestFilter_AddPodRemovePod(t *testing.T) {
	guard := pod("guard", "db", nil, of(term(host, "web")))
	rackGuard := pod("guard", "db", nil, of(term("rack", "web")))
	for _, row := range []struct {
		name   string
		pods   []*v1.Pod
		pod    *v1.Pod
		remove bool
		other  *v1.Pod
		want   string
	}{
		{"removing a pod whose anti-affinity rejects it", []*v1.Pod{on("n1", guard), on("n2", guard)}, plain("w", "web"), true, on("n1", guard), "n1"},
		{"adding a pod whose anti-affinity rejects it", []*v1.Pod{on("n2", guard)}, plain("w", "web"), false, on("n1", guard), ""},
		{"adding a pod whose anti-affinity rejects it by a new topology key", []*v1.Pod{on("n2", guard)}, plain("w", "web"), false, on("n1", rackGuard), ""},
		{"adding a pod that matches its affinity", []*v1.Pod{on("n2", plain("f", "f"))}, pod("p", "x", of(term(host, "f")), nil), false, plain("f", "f"), "n1 n2"},
		{"removing the only pod that matches its affinity", []*v1.Pod{on("n1", plain("f", "f"))}, pod("p", "x", of(term(host, "f")), nil), true, plain("f", "f"), ""},
		{"removing the last pod of its series makes it the first", []*v1.Pod{on("n1", plain("x", "x"))}, pod("p", "x", of(term(host, "x")), nil), true, plain("x", "x"), "n1 n2"},
		{"removing a pod that matches its anti-affinity", []*v1.Pod{on("n1", plain("e", "e")), on("n2", plain("e", "e"))}, pod("p", "x", nil, of(term(host, "e"))), true, plain("e", "e"), "n1"},
		{"adding a pod that matches its anti-affinity", nil, pod("p", "x", nil, of(term(host, "e"))), false, plain("e", "e"), "n2"},
	} {
		t.Run(row.name, func(t *testing.T) {
			nodes := zoned("V", "V")
			nodes[0].Labels["rack"] = "r"
			s := newFixture(t, nodes, row.pods...)
			state, _ := s.RunPreFilter(t, row.pod)
			copied, before := state.Clone(), s.FilterWith(t, state, row.pod)
			info, _ := cache.NewPodInfo(row.other)
			node, _ := s.Get("n1")
			change := s.AddPod
			if row.remove {
				change = s.RemovePod
			}
			if status := change(context.Background(), copied, row.pod, info, node); !status.IsSuccess() {
				t.Fatal(status)
			}
			if got := plugintest.FeasibleIn(s.FilterWith(t, copied, row.pod)); got != row.want {
				t.Errorf("allowed nodes: %q, want %q", got, row.want)
			}
			if diff := cmp.Diff(before, s.FilterWith(t, state, row.pod)); diff != "" {
				t.Errorf("the change to the copy reached the original (-before +after):\n%s", diff)
			}
		})
	}
}

// Adding a pod and removing it again, as a dry run of preemption does, leaves an entry of zero, which must not reject.
func TestFilter_AddPodThenRemovePod(t *testing.T) {
	nodes := zoned("V", "V")
	nodes[0].Labels["rack"] = "r"
	s := newFixture(t, nodes, on("n2", pod("guard", "db", nil, of(term(host, "web")))))
	web := plain("w", "web")
	state, _ := s.RunPreFilter(t, web)
	info, _ := cache.NewPodInfo(on("n1", pod("rack-guard", "db", nil, of(term("rack", "web")))))
	node, _ := s.Get("n1")
	for _, change := range []func(context.Context, fwk.CycleState, *v1.Pod, fwk.PodInfo, fwk.NodeInfo) *fwk.Status{s.AddPod, s.RemovePod} {
		if status := change(context.Background(), state, web, info, node); !status.IsSuccess() {
			t.Fatal(status)
		}
	}
	if got := plugintest.FeasibleIn(s.FilterWith(t, state, web)); got != "n1" {
		t.Errorf("feasible nodes: %q, want n1", got)
	}
}

// Removing pods from one node does not help against a match on another node of the same domain, so preemption there finds no
// victim. Shows PRE-23, A-16 and C-21.
func TestFilter_VictimsOnOneNodeDoNotFreeZone(t *testing.T) {
	s := newFixture(t, zoned("V", "V"), on("n2", plain("q", "Q")), on("n1", plain("victim", "v")))
	p := pod("p", "P", nil, of(term(zone, "Q")))
	state, _ := s.RunPreFilter(t, p)
	victim, _ := cache.NewPodInfo(on("n1", plain("victim", "v")))
	node, _ := s.Get("n1")
	s.RemovePod(context.Background(), state, p, victim, node)
	if got := plugintest.RejectionText(s.Filter(context.Background(), state, p, node)); got != "Unschedulable: node(s) didn't match pod anti-affinity rules" {
		t.Errorf("n1 without its victim: %q", got)
	}
}

func TestPreFilter_SkipsAndErrors(t *testing.T) {
	s := newFixture(t, zoned("V"), on("n1", pod("guard", "db", nil, of(term(host, "web")))))
	for name, p := range map[string]*v1.Pod{
		"a pod that no term matches":           plain("p", "x"),
		"a pod with preferences only":          preferring("p", "x", 1, of(term(zone, "y")), nil),
		"a pod that differs by an index label": mk.Pod("p2").Label("app", "x").Label("index", "7").Obj(),
	} {
		if _, status := s.RunPreFilter(t, p); !status.IsSkip() {
			t.Errorf("%s: %v, want Skip", name, status.Code())
		}
	}
	broken := term(zone, "x")
	broken.LabelSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "a", Operator: "Near"}}}
	_, status := s.RunPreFilter(t, preferring("p", "x", 1, nil, of(broken)))
	const want = `UnschedulableAndUnresolvable: parsing pod: preferredAntiAffinityTerms: "Near" is not a valid label selector operator`
	if got := plugintest.RejectionText(status); got != want {
		t.Errorf("with a broken selector: %s\nwant %s", got, want)
	}
	info, _ := s.Get("n1")
	status = s.Filter(context.Background(), framework.NewCycleState(), plain("p", "x"), info)
	if got := plugintest.RejectionText(status); got != `Error: error reading "PreFilterInterPodAffinity" from cycleState: not found` {
		t.Errorf("Filter without PreFilter: %s", got)
	}
}

func TestFilter_DoesNotAllocate(t *testing.T) {
	s := newFixture(t, zoned("V", "W"), on("n1", pod("guard", "db", nil, of(term(host, "web")))), on("n2", plain("f", "f")))
	p := pod("p", "web", of(term(zone, "f")), of(term(host, "e")))
	state, _ := s.RunPreFilter(t, p)
	nodes, _ := s.List()
	var plugin fwk.FilterPlugin = s.InterPodAffinity
	if n := testing.AllocsPerRun(100, func() {
		for _, info := range nodes {
			plugin.Filter(context.Background(), state, p, info)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
