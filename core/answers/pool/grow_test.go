package pool_test

import (
	"fmt"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"orrery/core/answers/pool"
	"orrery/core/answers/price"
	"orrery/core/answers/whatif"
	"orrery/core/testing/drawn"
)

// grown says what pools add for the pods that wait in a cluster, and why they take no more.
func grown(t *testing.T, cluster, pools, prices string) string {
	t.Helper()
	var list *price.Prices
	if prices != "" {
		var err error
		if list, err = price.Read("prices", strings.NewReader(prices)); err != nil {
			t.Fatal(err)
		}
	}
	e := drawn.New(t, 7, cluster).Engine
	start, err := whatif.Begin(e, whatif.Options{})
	if err != nil {
		t.Fatal(err)
	}
	known, _ := pool.Known(e, read(t, pools), nil)
	out, g, err := pool.Ask(start, whatif.Question{}, known, list)
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, a := range g.Added {
		said = append(said, fmt.Sprintf("%d of %s: %s", a.Change.Count, a.Pool.Name, a.Shape))
	}
	for _, r := range g.Refusals {
		for _, v := range r.ByPool {
			said = append(said, fmt.Sprintf("%d not by %s: %s", len(r.All), v.Pool.Name, v.Why))
		}
	}
	return strings.Join(append(said, fmt.Sprintf("%d wait", len(pool.Waiting(out.Engine())))), "\n")
}

func TestAsk_AddsNodesAsAnAutoscalerWould(t *testing.T) {
	jobs := func(n int, cpu string, extra ...string) string {
		return "node n0 1 a\n---\n" + drawn.Written("Job", "j", "app: j", n, cpu, extra...)
	}
	daemons := "---\n" + drawn.Written("DaemonSet", "agent", "app: agent", 1, "600m", "tolerations: [{operator: Exists}]")
	const two = "a cpu=4,memory=8Gi,type=small\na cpu=16,memory=64Gi,type=large\n"
	for _, test := range []struct{ name, cluster, pools, prices, want string }{
		{"no pod waits", jobs(1, "500m"), two, "", "0 wait"},
		{"without any node", drawn.Written("Job", "j", "app: j", 2, "3"), "a cpu=4\n", "", "2 of a: 4 cpu\n0 wait"},
		{"the smallest that holds most", jobs(3, "1200m"), two, "", "1 of a: small\n0 wait"},
		{"the larger one holds more", jobs(8, "1800m"), two, "", "1 of a: large\n0 wait"},
		{"of those that hold as many, the cheapest", jobs(3, "1200m"), two, "small 9\nlarge 5", "1 of a: large\n0 wait"},
		{"by weight", jobs(1, "2"), "a cpu=4\nb cpu=8 weight=3\n", "", "1 of b: 8 cpu\n0 wait"},
		{"up to the maximum, and then the next", jobs(3, "3"), "a cpu=4 max=2 weight=1\nb cpu=8\n", "", "2 of a: 4 cpu\n1 of b: 8 cpu\n0 wait"},
		{"daemon sets take their part", jobs(2, "1800m") + daemons, "a cpu=4\n", "", "2 of a: 4 cpu\n0 wait"},
		{"the zone that is required", jobs(1, "2", "nodeSelector: {topology.kubernetes.io/zone: c}"), "a cpu=4,zone=b\na cpu=8,zone=c\n", "", "1 of a: 8 cpu in c\n0 wait"},
		{"none is large enough", jobs(2, "20"), two, "", "2 not by a: the pod requests 20 of cpu, and the largest node that is known has 16\n2 wait"},
		{
			"anti-affinity takes a node for each pod",
			jobs(2, "2", "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: j}}}]}}"),
			"a cpu=16\n", "", "2 of a: 16 cpu\n0 wait",
		},
		{"pods that come once others run", "node n0 1 a\n---\n" + drawn.Written("StatefulSet", "s", "app: s", 3, "3"), "a cpu=4\n", "", "1 of a: 4 cpu\n1 of a: 4 cpu\n1 of a: 4 cpu\n0 wait"},
	} {
		if got := grown(t, test.cluster, test.pools, test.prices); got != test.want {
			t.Errorf("%s:\n%s\nwant\n%s", test.name, got, test.want)
		}
	}
}

// Limits of a NodePool count what its nodes have already.
func TestAsk_KeepsLimits(t *testing.T) {
	const limited = `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: a}
spec: {limits: {cpu: 8}, template: {spec: {requirements: []}}}
`
	cluster := "node n0 1 a\n---\n" + drawn.Written("Job", "j", "app: j", 3, "3")
	want := "2 of a: 4 cpu\n1 not by a: its limit of 8 cpu would be passed: it has 8, and a node has 4\n1 wait"
	e := drawn.New(t, 7, cluster).Engine
	start, err := whatif.Begin(e, whatif.Options{})
	if err != nil {
		t.Fatal(err)
	}
	known, _ := pool.Known(e, append(read(t, limited), read(t, "a cpu=4\n")...), nil)
	_, g, err := pool.Ask(start, whatif.Question{}, known, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprintf("%d of a: %s\n%d not by a: %s\n1 wait", g.Nodes(), g.Added[0].Shape, len(g.Refusals[0].All), g.Refusals[0].ByPool[0].Why)
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// Karpenter takes of pools of like weight the last, those with soft taints after the others, and only machines that their pool requires.
func TestGrow_TakesPoolsAsKarpenterDoes(t *testing.T) {
	nodePool := func(name, spec string) string {
		return fmt.Sprintf("apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: %s}\nspec: {template: {spec: {%s}}}\n", name, spec)
	}
	notIn := func(key, value string) string {
		return fmt.Sprintf("requirements: [{key: %s, operator: NotIn, values: [%s]}]", key, value)
	}
	const soft = "taints: [{key: spare, effect: PreferNoSchedule}]"
	for _, test := range []struct{ name, pools, sizes, want string }{
		{"the last of two", nodePool("a", "") + "---\n" + nodePool("b", ""), "a cpu=4\nb cpu=4\n", "b 4 cpu"},
		{"the one without a soft taint", nodePool("a", "") + "---\n" + nodePool("b", soft), "a cpu=4\nb cpu=4\n", "a 4 cpu"},
		{"the only one, in spite of its soft taint", nodePool("b", soft), "b cpu=4\n", "b 4 cpu"},
		{"not in the zone that the pool excludes", nodePool("a", notIn(v1.LabelTopologyZone, "x")), "a cpu=4,zone=x\na cpu=8,zone=y\n", "a 8 cpu in y"},
		{"not of the type that the pool excludes", nodePool("a", notIn(v1.LabelInstanceTypeStable, "t")), "a cpu=4,type=t\na cpu=8,type=u\n", "a u"},
		{"not where there is no such machine", nodePool("a", "requirements: [{key: topology.kubernetes.io/zone, operator: In, values: [x, y]}]"), "a cpu=4,zone=z\na cpu=8,zone=y\n", "a 8 cpu in y"},
	} {
		e := drawn.New(t, 7, drawn.Written("Job", "j", "app: j", 1, "3")).Engine
		known, _ := pool.Known(e, append(read(t, test.pools), read(t, test.sizes)...), nil)
		g, err := pool.Grow(e, known, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, a := range g.Added {
			got += a.Pool.Name + " " + a.Shape
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// Nodes of a cloud's node group tell of a pool: what all of them have, and of which sizes and where they are.
func TestObserve_NodesTellOfTheirGroup(t *testing.T) {
	node := func(name, zone, machine, cpu string, taints ...v1.Taint) *v1.Node {
		n := &v1.Node{Spec: v1.NodeSpec{Taints: taints}}
		n.Name, n.Labels = name, map[string]string{
			"eks.amazonaws.com/nodegroup": "web", v1.LabelHostname: name, v1.LabelTopologyZone: zone, v1.LabelInstanceTypeStable: machine, "team": "shop",
		}
		n.Status.Allocatable = v1.ResourceList{v1.ResourceCPU: resource.MustParse(cpu)}
		return n
	}
	unready := v1.Taint{Key: v1.TaintNodeNotReady, Effect: v1.TaintEffectNoExecute}
	shop := v1.Taint{Key: "team", Value: "shop", Effect: v1.TaintEffectNoSchedule}
	pools := pool.Observe(nil, []*v1.Node{node("n1", "b", "m5.large", "2", shop, unready), node("n2", "a", "m5.large", "2", shop), node("n3", "a", "c5.large", "3", shop)})
	if len(pools) != 1 {
		t.Fatalf("there are %d pools", len(pools))
	}
	p := pools[0]
	got := fmt.Sprintf("%s %s %s %v %v", p.Name, p.Label, p.Labels["team"], p.Taints, p.Labels[v1.LabelHostname])
	for _, s := range p.Shapes {
		got += fmt.Sprintf("; %s %s %v", s.Name, s.Allocatable.Cpu(), s.Zones)
	}
	if want := "web eks.amazonaws.com/nodegroup shop [{team shop NoSchedule <nil>}] ; c5.large 3 [a]; m5.large 2 [a b]"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}
