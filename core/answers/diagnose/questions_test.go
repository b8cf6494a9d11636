package diagnose_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"orrery/core/answers/diagnose"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// questions are pods that wait in a cluster of twelve nodes in three zones, six of which have an ssd. node-2 does not answer, node-5 has a
// taint, node-6 is cordoned; node-1 is nearly full, and every node has little memory left.
var questions = []question{
	{name: "selects a value that is mistyped", ask: func(p *mk.PodBuilder) []world.Object { p.NodeSelector("disk", "sdd"); return nil }},
	{name: "selects a key that is mistyped", ask: func(p *mk.PodBuilder) []world.Object { p.NodeSelector("disks", "ssd"); return nil }},
	{name: "is pinned to a cordoned node", ask: func(p *mk.PodBuilder) []world.Object { pin(p, "node-6"); return nil }},
	{name: "is pinned to a tainted node", ask: func(p *mk.PodBuilder) []world.Object { pin(p, "node-5"); return nil }},
	{name: "tolerates the taint with another effect", ask: func(p *mk.PodBuilder) []world.Object {
		pin(p, "node-5").Toleration(v1.Toleration{Key: "dedicated", Operator: v1.TolerationOpEqual, Value: "batch", Effect: v1.TaintEffectNoExecute})
		return nil
	}},
	{name: "needs a host port that is taken", ask: func(p *mk.PodBuilder) []world.Object {
		pin(p, "node-0").HostPort(8080)
		return []world.Object{mk.Pod("hostport-1").HostPort(8080).Node("node-0").Priority(9).Obj()}
	}},
	{name: "is pinned to a full node", ask: func(p *mk.PodBuilder) []world.Object { pin(p, "node-1").CPU("2"); return nil }},
	{name: "is pinned to a node that is not ready", ask: func(p *mk.PodBuilder) []world.Object { pin(p, "node-2"); return nil }},
	{name: "is of a DaemonSet, by the name of a node that is not ready", ask: func(p *mk.PodBuilder) []world.Object {
		p.Affinity(requiring(v1.NodeSelectorTerm{MatchFields: []v1.NodeSelectorRequirement{{Key: "metadata.name", Operator: v1.NodeSelectorOpIn, Values: []string{"node-2"}}}}))
		return nil
	}},
	{name: "spreads over all zones, and is pinned to a node of the wrong one", ask: func(p *mk.PodBuilder) []world.Object {
		ignore := v1.NodeInclusionPolicyIgnore
		pin(p, "node-3").Label("app", "web").Obj().Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{
			MaxSkew: 1, TopologyKey: v1.LabelTopologyZone, WhenUnsatisfiable: v1.DoNotSchedule, LabelSelector: selecting("web"), NodeAffinityPolicy: &ignore,
		}}
		return []world.Object{mk.Pod("web-1").Label("app", "web").Node("node-3").Priority(9).Obj(), mk.Pod("web-2").Label("app", "web").Node("node-0").Priority(9).Obj()}
	}},
	{name: "needs more cpu than the ssd nodes have left", ask: func(p *mk.PodBuilder) []world.Object { p.NodeSelector("disk", "ssd").CPU("8"); return nil }},
	{name: "needs more cpu than any node has", ask: func(p *mk.PodBuilder) []world.Object { p.CPU("100"); return nil }},
	{name: "requests a resource that is mistyped", ask: func(p *mk.PodBuilder) []world.Object { p.Request("nvidia.com/gpus", "1"); return nil }},
	{name: "requests a resource that no node offers, and cpu", ask: func(p *mk.PodBuilder) []world.Object {
		p.CPU("4").Request("example.com/gpu", "1")
		return nil
	}},
	{name: "is of another scheduler", ask: func(p *mk.PodBuilder) []world.Object { p.Scheduler("my-sched"); return nil }},
	{name: "has a scheduling gate", ask: func(p *mk.PodBuilder) []world.Object { p.Gate("example.com/quota-approval"); return nil }},
	{name: "must be near a pod that nobody is", ask: func(p *mk.PodBuilder) []world.Object {
		p.Affinity(near("cache", v1.LabelTopologyZone, false))
		return nil
	}},
	{name: "must not be near pods that are in all zones", ask: func(p *mk.PodBuilder) []world.Object {
		p.Affinity(near("store", v1.LabelTopologyZone, true)).NodeSelector("disk", "ssd")
		var stores []world.Object
		for i := range 3 {
			stores = append(stores, mk.Pod(fmt.Sprint("store-", i)).Label("app", "store").Node(fmt.Sprint("node-", 7+i)).Priority(9).Obj())
		}
		return stores
	}},
	{name: "spreads over a label that no node has", ask: func(p *mk.PodBuilder) []world.Object {
		p.Label("app", "web").Obj().Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{
			MaxSkew: 1, TopologyKey: "topology.kubernetes.io/rack", WhenUnsatisfiable: v1.DoNotSchedule, LabelSelector: selecting("web"),
		}}
		return nil
	}},
	{name: "requires a disk that no node has", ask: func(p *mk.PodBuilder) []world.Object {
		p.Affinity(requiring(v1.NodeSelectorTerm{MatchExpressions: []v1.NodeSelectorRequirement{{Key: "disk", Operator: v1.NodeSelectorOpIn, Values: []string{"nvme"}}}}))
		return nil
	}},
	{name: "needs a generation of nodes of which all are cordoned", ask: func(p *mk.PodBuilder) []world.Object { p.NodeSelector("generation", "3"); return nil }},
	{name: "must go to a row that is down but for a full node", ask: func(p *mk.PodBuilder) []world.Object {
		p.CPU("8").Label("app", "web").Obj().Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{
			MaxSkew: 1, TopologyKey: "row", WhenUnsatisfiable: v1.DoNotSchedule, LabelSelector: selecting("web"),
		}}
		return []world.Object{mk.Pod("web-1").Label("app", "web").Node("node-3").Priority(9).Obj()}
	}},
	{name: "names a claim that does not exist", ask: func(p *mk.PodBuilder) []world.Object { p.PVC("nope"); return nil }},
	{name: "has a claim of a class that does not exist", ask: func(p *mk.PodBuilder) []world.Object {
		p.PVC("data")
		return []world.Object{mk.Claim("data").Size("10Gi").Class("fast-ssd").Obj()}
	}},
	{name: "has a bound volume in a zone that it does not select", ask: func(p *mk.PodBuilder) []world.Object {
		p.PVC("data").NodeSelector(v1.LabelTopologyZone, "zone-0")
		claim := mk.Claim("data").Size("10Gi").Mode(v1.ReadWriteOnce).Bound("pv-1").Obj()
		return []world.Object{claim, mk.Volume("pv-1").Size("10Gi").For(claim).CSI("csi.example.com", "x").On(v1.LabelTopologyZone, "zone-1").Obj()}
	}},
	{name: "has a claim that one pod may use and another does", ask: func(p *mk.PodBuilder) []world.Object {
		p.PVC("data")
		claim := mk.Claim("data").Size("10Gi").Mode(v1.ReadWriteOncePod).Bound("pv-1").Obj()
		pv := mk.Volume("pv-1").Size("10Gi").For(claim).CSI("csi.example.com", "x").Obj()
		pv.Spec.AccessModes = claim.Spec.AccessModes
		return []world.Object{claim, pv, mk.Pod("rwop-1").PVC("data").Node("node-10").Priority(9).Obj()}
	}},
	{name: "requests devices of a class that is mistyped", ask: func(p *mk.PodBuilder) []world.Object {
		p.ResourceClaim("gpu")
		return []world.Object{mk.DeviceClass("gpu"), mk.ResourceClaim("gpu").Request("r", "gpus", 1).Obj()}
	}},
	{name: "requests devices that no node has", ask: func(p *mk.PodBuilder) []world.Object {
		p.ResourceClaim("gpu")
		return []world.Object{mk.DeviceClass("gpu"), mk.ResourceClaim("gpu").Request("r", "gpu", 1).Obj()}
	}},
}

func pin(p *mk.PodBuilder, node string) *mk.PodBuilder { return p.NodeSelector(v1.LabelHostname, node) }

func questionedNodes() []world.Object {
	var objects []world.Object
	for i := range 12 {
		name := fmt.Sprint("node-", i)
		n := node(name, "16").Label(v1.LabelHostname, name).Zone(fmt.Sprint("zone-", i%3)).Label("disk", []string{"ssd", "spinning"}[i%2]).
			Label("row", []string{"a", "b"}[min(i%4, 1)])
		switch i {
		case 1:
			objects = append(objects, mk.Pod("big").CPU("15").Node(name).Priority(9).Obj())
		case 2:
			n.Taint(v1.TaintNodeUnreachable, "", v1.TaintEffectNoSchedule)
		case 5:
			n.Taint("dedicated", "batch", v1.TaintEffectNoSchedule)
		case 6:
			n.Unschedulable()
		case 10, 11:
			n.Label("generation", "3").Unschedulable()
		}
		if i%4 == 0 && i > 0 {
			n.Taint(v1.TaintNodeUnreachable, "", v1.TaintEffectNoSchedule)
		}
		objects = append(objects, n.Obj(), mk.Pod("daemon-"+name).CPU("9").Node(name).Priority(9).Obj())
		if i == 1 {
			objects = objects[:len(objects)-1]
		}
	}
	return objects
}

// TestQuestions_FirstLines is what stands at the top of an answer, for pods that wait for one reason each, and for others. The second line
// says since when, and what would help first.
func TestQuestions_FirstLines(t *testing.T) {
	var b strings.Builder
	for _, q := range slices.Concat(questions, questionsOfLives) {
		pod := mk.Pod("asked").CPU("100m").Memory("1Gi").Created(start.Add(-5 * time.Minute))
		objects := append(questionedNodes(), q.ask(pod)...)
		if !q.untried {
			objects = append(objects, pod.Obj())
		}
		e := engineUnread(t, q.gates, q.unread, objects...)
		if q.untried {
			if err := e.Apply(world.Input{At: start, Event: world.Changed{Op: world.Added, Object: pod.Obj()}}); err != nil {
				t.Fatal(err)
			}
		}
		d, err := diagnose.Ask(e, world.PodRefOf(pod.Obj()), q.more)
		if err != nil {
			t.Fatalf("it %s: %v", q.name, err)
		}
		fmt.Fprintf(&b, "It %s.\n\t%s\n", q.name, d.Headline)
		for _, text := range d.Then {
			fmt.Fprintf(&b, "\t  %s\n", text)
		}
		for _, r := range d.Remedies {
			fmt.Fprintf(&b, "\t  - %s\n", r.Text)
		}
	}
	const golden = "testdata/questions.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("%s changed; -update writes it (-want +got):\n%s", golden, diff)
	}
}
