package app

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/answers/answer"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// TestFixes_DoWhatIsSaid explains the pending pods of generated clusters, one by one and together, and runs every command that is printed
// as a shell would. What stands beside the command happens: the verdict in one line, the pod's node, and how many of a group have one.
// ORRERY_CASES is how many commands are run; without it a few dozen.
func TestFixes_DoWhatIsSaid(t *testing.T) {
	c := fixCheck{t: t, verbs: map[string]int{}}
	cases := 60
	if text := os.Getenv("ORRERY_CASES"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		cases = n
	}
	dir := t.TempDir()
	for seed := uint64(0); c.run < cases && !t.Failed(); seed++ {
		c.where = fmt.Sprintf("seed %d", seed)
		file := filepath.Join(dir, fmt.Sprintf("cluster %d.orrery", seed)) // a shell has to quote it
		writeTrace(t, file, clusterToFix(seed))
		c.together(file)
		for _, pod := range waitingIn(clusterToFix(seed)) {
			c.alone(file, pod)
		}
	}
	t.Logf("%d commands: %v", c.run, c.verbs)
}

type fixCheck struct {
	t     *testing.T
	where string
	run   int
	verbs map[string]int
}

// alone explains one pod, and runs what is printed for it.
func (c *fixCheck) alone(file, pod string) {
	c.t.Helper()
	var explained struct {
		Pod      answer.Ref
		Remedies []answer.Remedy
	}
	runJSON(c.t, &explained, "explain", pod, "--trace", file)
	for _, r := range explained.Remedies {
		answered := c.command(r.Command)
		node := nodeWith(answered, explained.Pod.Name)
		if answered.Summary != r.Effect || r.Places != (node != "") || node != r.Node {
			c.t.Errorf("%s: %s\nputs %s on %q: %q; said was %q: %q", c.where, r.Command, pod, node, answered.Summary, r.Node, r.Effect)
		}
		if node == "" && !slices.ContainsFunc(answered.Pods, func(p podChange) bool { return p.Kind == "placed" }) {
			c.t.Errorf("%s: %s is printed and places nothing", c.where, r.Command)
		}
	}
}

// together explains all pending pods, and runs what is printed for each group, and the number of nodes.
func (c *fixCheck) together(file string) {
	c.t.Helper()
	var all struct {
		Groups []struct {
			Pods   []string
			Places int
			Fix    *struct {
				Command string
				OnePod  bool
			}
		}
		Capacity *answer.Capacity
	}
	runJSON(c.t, &all, "explain", "--trace", file)
	for _, g := range all.Groups {
		if g.Fix == nil {
			continue
		}
		answered, placed := c.command(g.Fix.Command), 0
		for _, pod := range g.Pods {
			if nodeWith(answered, pod) != "" {
				placed++
			}
		}
		if want := g.Places; placed < want && !g.Fix.OnePod || placed == 0 {
			c.t.Errorf("%s: %s\nplaces %d of %v, said was %d", c.where, g.Fix.Command, placed, g.Pods, want)
		}
	}
	if n := all.Capacity; n != nil {
		answered := c.command(fmt.Sprintf("orrery whatif --trace '%s' add %d nodes like %s", file, n.Nodes, n.Like))
		placed := 0
		for _, g := range all.Groups {
			for _, pod := range g.Pods {
				if !pendingWith(answered, pod) {
					placed++
				}
			}
		}
		if placed < n.Places {
			c.t.Errorf("%s: %d nodes like %s place %d pods, said was %d", c.where, n.Nodes, n.Like, placed, n.Places)
		}
	}
}

// command runs a printed command: a shell splits it into words.
func (c *fixCheck) command(text string) *whatIfDocument {
	c.t.Helper()
	c.run++
	out, err := exec.Command("sh", "-c", "set -- "+text+`; for word; do printf '%s\n' "$word"; done`).Output()
	if err != nil {
		c.t.Fatalf("%s: a shell does not read %q: %v", c.where, text, err)
	}
	words := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if words[0] != "orrery" || words[1] != "whatif" {
		c.t.Fatalf("%s: printed is %q", c.where, text)
	}
	var answered whatIfDocument
	runJSON(c.t, &answered, words[1:]...)
	if c.run%5 == 1 {
		c.twice(words[1:])
	}
	for _, change := range answered.Changes {
		verb, _, _ := strings.Cut(change, " ")
		c.verbs[verb]++
	}
	return &answered
}

// twice runs a command two times, which print the same bytes and end with the same code.
func (c *fixCheck) twice(words []string) {
	c.t.Helper()
	var out [2]bytes.Buffer
	var code [2]int
	for i := range out {
		code[i] = execute("orrery", words, &out[i], &out[i], nil)
	}
	if code[0] != code[1] || !bytes.Equal(out[0].Bytes(), out[1].Bytes()) {
		c.t.Errorf("%s: %q answers %d and %d:\n%s\n%s", c.where, words, code[0], code[1], &out[0], &out[1])
	}
}

func nodeWith(d *whatIfDocument, pod string) string {
	for _, p := range d.Pods {
		if p.Pod.Name == pod {
			return p.With.Node
		}
	}
	return ""
}

// pendingWith reports whether a pod has no node with the changes. One that is not listed has the same with them and without.
func pendingWith(d *whatIfDocument, pod string) bool {
	return slices.ContainsFunc(slices.Concat(d.Pods, d.StillPending), func(p podChange) bool { return p.Pod.Name == pod && p.With.Node == "" })
}

func waitingIn(objects []world.Object) []string {
	var names []string
	for _, o := range objects {
		if pod, is := o.(*v1.Pod); is && pod.Spec.NodeName == "" {
			names = append(names, pod.Name)
		}
	}
	return names
}

// clusterToFix is a generated cluster with a daemon, whose pods take room on every new node, with two drivers of which only one is
// registered, and with up to three more causes for which a pod waits.
func clusterToFix(seed uint64) []world.Object {
	g := newGenerator(seed)
	objects := g.cluster()
	objects = append(objects, daemon(), mk.CSINode("node-0").Limit("disk.example.com", 20).Obj(),
		mk.Class("disk", "disk.example.com").WaitForFirstConsumer().Obj(), mk.Class("ghost", "ghost.example.com").WaitForFirstConsumer().Obj())
	for i := range 1 + g.IntN(3) {
		objects = append(objects, causes[g.IntN(len(causes))](g, fmt.Sprintf("cause-%d", i))...)
	}
	return objects
}

func daemon() *appsv1.DaemonSet {
	d := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Name: "agent", Namespace: "default", UID: "agent"}}
	d.Spec.Selector = app("agent")
	d.Spec.Template = v1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "agent"}}, Spec: mk.Pod("agent").CPU("200m").Obj().Spec}
	return d
}

// replicas are the pods of a replica set that wants so many.
func replicas(name string, n int, shape func(*mk.PodBuilder)) []world.Object {
	wanted, yes := int32(n), true
	template := mk.Pod(name).Label("app", name)
	shape(template)
	set := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", UID: types.UID("set-" + name)}}
	set.Spec = appsv1.ReplicaSetSpec{
		Replicas: &wanted, Selector: app(name),
		Template: v1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: template.Obj().Labels}, Spec: *template.Obj().Spec.DeepCopy()},
	}
	objects := []world.Object{set}
	for i := range n {
		pod := mk.Pod(fmt.Sprintf("%s-%d", name, i)).Label("app", name).Created(generatedStart)
		shape(pod)
		pod.Obj().OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: name, UID: set.UID, Controller: &yes}}
		objects = append(objects, pod.Obj())
	}
	return objects
}

// causes are one thing each that keeps a pod from its node, with the objects that belong to it.
var causes = []func(g generator, name string) []world.Object{
	func(_ generator, name string) []world.Object { // a mistyped key
		return []world.Object{roomy(name+"-node").Label("tier", "fast").Obj(), mk.Pod(name).CPU("1").NodeSelector("teir", "fast").Obj()}
	},
	func(_ generator, name string) []world.Object { // a mistyped value, in an affinity
		need := []v1.NodeSelectorRequirement{{Key: "tier", Operator: v1.NodeSelectorOpIn, Values: []string{"fats"}}}
		affinity := &v1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchExpressions: need}}}}
		return []world.Object{roomy(name+"-node").Label("tier", "fast").Obj(), mk.Pod(name).CPU("1").Affinity(&v1.Affinity{NodeAffinity: affinity}).Obj()}
	},
	func(_ generator, name string) []world.Object { // a port that another pod has
		return []world.Object{
			roomy(name+"-node").Label("only", name).Obj(), mk.Pod(name + "-front").CPU("1").HostPort(8443).Node(name + "-node").Obj(),
			mk.Pod(name).CPU("1").HostPort(8443).NodeSelector("only", name).Obj(),
		}
	},
	func(_ generator, name string) []world.Object { // a device that another pod has
		driver, node, class := name+".example.com", name+"-node", name+"-gpu"
		held := mk.ResourceClaim(name+"-held").Request("r", class, 1).Allocated(node, "r", driver, name, "gpu-0").ReservedFor(name + "-holder")
		return []world.Object{
			roomy(node).Obj(), mk.DeviceClass(class), mk.ResourceSlice(name, driver, name).Node(node).Devices("gpu-0", "gpu-1").Obj(), held.Obj(),
			mk.Pod(name + "-holder").CPU("1").Node(node).ResourceClaim(name + "-held").Obj(),
			mk.ResourceClaim(name).Request("r", class, 2).Obj(), mk.Pod(name).CPU("1").ResourceClaim(name).Obj(),
		}
	},
	func(_ generator, name string) []world.Object { // a mistyped class of devices
		return []world.Object{
			roomy(name + "-node").Obj(), mk.DeviceClass(name + "-gpu"), mk.ResourceSlice(name, "gpu.example.com", name).Node(name + "-node").Devices("gpu-0").Obj(),
			mk.ResourceClaim(name).Request("r", name+"-gpus", 1).Obj(), mk.Pod(name).CPU("1").ResourceClaim(name).Obj(),
		}
	},
	func(_ generator, name string) []world.Object { // a cordoned node
		return []world.Object{roomy(name+"-node").Label("only", name).Unschedulable().Obj(), mk.Pod(name).CPU("1").NodeSelector("only", name).Obj()}
	},
	func(_ generator, name string) []world.Object { // a taint
		node := roomy(name+"-node").Label("only", name).Taint("owner", "finance", v1.TaintEffectNoSchedule)
		return append(replicas(name, 3, func(p *mk.PodBuilder) { p.CPU("1").NodeSelector("only", name) }), node.Obj())
	},
	func(_ generator, name string) []world.Object { // an owner without pods that an affinity looks for
		near := []v1.PodAffinityTerm{{TopologyKey: v1.LabelHostname, LabelSelector: app(name + "-cache")}}
		affinity := &v1.Affinity{PodAffinity: &v1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: near}}
		cache := replicas(name+"-cache", 0, func(p *mk.PodBuilder) { p.CPU("100m") })
		return append(cache, roomy(name+"-node").Obj(), mk.Pod(name).CPU("100m").Affinity(affinity).Obj())
	},
	func(_ generator, name string) []world.Object { // a spread that a tainted zone leaves no room for
		objects := []world.Object{
			roomy(name+"-a").Zone("north").Label("only", name).Obj(),
			roomy(name+"-b").Zone("far").Label("only", name).Taint("lost", "", v1.TaintEffectNoSchedule).Obj(),
			mk.Pod(name+"-on").Label("app", name).CPU("1").Node(name + "-a").Obj(),
		}
		pod := mk.Pod(name).Label("app", name).CPU("1").NodeSelector("only", name).Obj()
		pod.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{
			MaxSkew: 1, TopologyKey: v1.LabelTopologyZone, WhenUnsatisfiable: v1.DoNotSchedule, LabelSelector: app(name),
		}}
		return append(objects, pod)
	},
	func(g generator, name string) []world.Object { // a claim whose class makes no volumes
		claim := mk.Claim(name + "-data").Size("10Gi").Class(pick(g, "ghost", name)).Obj()
		claim.UID = types.UID("claim-" + name) // a volume has it in its name
		return []world.Object{claim, mk.Class(name, "kubernetes.io/no-provisioner").WaitForFirstConsumer().Obj(), mk.Pod(name).CPU("100m").PVC(name + "-data").Obj()}
	},
	func(g generator, name string) []world.Object { // more than there is
		cpu := pick(g, "1200m", "2", "3500m")
		return replicas(name, 2+g.IntN(8), func(p *mk.PodBuilder) { p.CPU(cpu) })
	},
	func(_ generator, name string) []world.Object { // a pod in the way that could run elsewhere
		return []world.Object{
			roomy(name+"-a").Label("only", name).Obj(), roomy(name + "-b").Obj(),
			mk.Pod(name + "-on").CPU("7").Node(name + "-a").Obj(), mk.Pod(name).CPU("6").NodeSelector("only", name).Obj(),
		}
	},
	func(_ generator, name string) []world.Object { // gated
		return []world.Object{mk.Pod(name).CPU("6").Gate("example.com/quota").Obj(), roomy(name + "-node").Unschedulable().Obj()}
	},
}

func roomy(name string) *mk.NodeBuilder {
	return mk.Node(name).CPU("8").Memory("32Gi").Pods("50").Label(v1.LabelHostname, name)
}
