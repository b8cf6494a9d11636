package diagnose_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/answers/diagnose"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/plugins/dynamicresources"
	"orrery/core/scheduler/plugins/dynamicresources/shortage"
	"orrery/core/scheduler/plugins/interpodaffinity"
	"orrery/core/scheduler/plugins/nodeaffinity"
	"orrery/core/scheduler/plugins/nodeports"
	"orrery/core/scheduler/plugins/noderesources"
	"orrery/core/scheduler/plugins/nodeunschedulable"
	"orrery/core/scheduler/plugins/nodevolumelimits"
	"orrery/core/scheduler/plugins/podtopologyspread"
	"orrery/core/scheduler/plugins/tainttoleration"
	"orrery/core/scheduler/plugins/volumerestrictions"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// planted is a cluster in which a pod has exactly one node, until a cause is planted.
type planted struct {
	rng    *rand.Rand
	target *mk.NodeBuilder
	others []*mk.NodeBuilder
	pod    *mk.PodBuilder
	more   []world.Object
}

const (
	gpuName    = "example.com/gpu"
	noSchedule = v1.TaintEffectNoSchedule
)

// newPlanted generates a cluster of up to 12 nodes in three zones. The pod's target is the node "target" in zone east; of the other nodes
// each is cordoned, has a taint, or is full, and some are two of that.
func newPlanted(seed uint64) *planted {
	p := &planted{rng: rand.New(rand.NewPCG(seed, 1))}
	p.target = node("target", "8").Label(v1.LabelHostname, "target").Zone("east").Label("tier", "fast").Label("disk", "ssd").
		Resource(v1.ResourceEphemeralStorage, "20Gi").Resource(gpuName, "2")
	p.pod = mk.Pod("web").Label("app", "web").CPU("2").Memory("4Gi").Request(v1.ResourceEphemeralStorage, "1Gi")
	p.pod.Created(start.Add(-time.Hour))
	for i := range 3 + p.rng.IntN(9) {
		name := fmt.Sprintf("node-%d", i)
		n := node(name, "8").Label(v1.LabelHostname, name).Zone([]string{"east", "west", "north"}[i%3]).Label("disk", []string{"hdd", "ssd"}[i%2]).
			Resource(v1.ResourceEphemeralStorage, "20Gi")
		kinds := p.rng.IntN(3)
		for _, kind := range []int{kinds, kinds + p.rng.IntN(2)} {
			switch kind {
			case 0:
				p.fill(name, v1.ResourceCPU, "7")
			case 1:
				if len(n.Obj().Spec.Taints) == 0 {
					n.Taint("team", "red", noSchedule)
				}
			default:
				n.Unschedulable()
			}
		}
		p.others = append(p.others, n)
	}
	return p
}

// fill has a pod request a resource on a node.
func (p *planted) fill(on string, resource v1.ResourceName, amount string) *v1.Pod {
	filler := mk.Pod(fmt.Sprintf("filler-%d", len(p.more))).Namespace("other").Request(resource, amount).Node(on).Priority(1000).Obj()
	p.more = append(p.more, filler)
	return filler
}

// running adds a pod of the pod's namespace, or of another, to a node.
func (p *planted) running(namespace, name, app, on string) *mk.PodBuilder {
	b := mk.Pod(name).Namespace(namespace).Label("app", app).Node(on).Priority(1000)
	p.more = append(p.more, b.Obj())
	return b
}

func (p *planted) engine(t *testing.T) *engine.Engine {
	t.Helper()
	objects := []world.Object{p.target.Obj()}
	for _, n := range p.others {
		objects = append(objects, n.Obj())
	}
	return engineWith(t, append(append(objects, p.more...), p.pod.Obj())...)
}

func selecting(app string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}
}

// near requires, or excludes, pods of an app in a topology.
func near(app, key string, anti bool) *v1.Affinity {
	terms := []v1.PodAffinityTerm{{TopologyKey: key, LabelSelector: selecting(app)}}
	if anti {
		return &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: terms}}
	}
	return &v1.Affinity{PodAffinity: &v1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: terms}}
}

func requiring(terms ...v1.NodeSelectorTerm) *v1.Affinity {
	return &v1.Affinity{NodeAffinity: &v1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{NodeSelectorTerms: terms}}}
}

func (p *planted) tolerate(key, value string, effect v1.TaintEffect) {
	p.pod.Toleration(v1.Toleration{Key: key, Operator: v1.TolerationOpEqual, Value: value, Effect: effect})
}

// claim gives the pod a claim that is bound to a volume; the volume is still to be added.
func (p *planted) claim(name string, modes ...v1.PersistentVolumeAccessMode) (*mk.ClaimBuilder, *mk.VolumeBuilder) {
	c := mk.Claim(name).Size("10Gi").Mode(modes...).Bound("pv-" + name)
	v := mk.Volume("pv-"+name).Size("10Gi").For(c.Obj()).CSI("csi.example.com", "x")
	v.Obj().Spec.AccessModes = modes
	p.pod.PVC(name)
	p.more = append(p.more, c.Obj(), v.Obj())
	return c, v
}

// requestDevices gives the pod a claim for so many devices.
func (p *planted) requestDevices(count int64, selectors ...string) *mk.ResourceClaimBuilder {
	c := mk.ResourceClaim("gpu").Request("r", "gpu", count, selectors...)
	p.pod.ResourceClaim("gpu")
	p.more = append(p.more, mk.DeviceClass("gpu"), c.Obj())
	return c
}

// plants are the causes, each with the words that the first line has to have. The cause is one thing: without it the pod has a node.
var plants = []struct {
	name  string
	words string // separated by "&"
	plant func(p *planted)
}{
	{"the node is cordoned", "cordoned", func(p *planted) { p.target.Unschedulable() }},
	{"the node is cordoned, with its taint", "cordoned", func(p *planted) {
		p.target.Unschedulable().Taint(v1.TaintNodeUnschedulable, "", noSchedule)
	}},
	{"a taint", "target&owner=finance:NoSchedule", func(p *planted) { p.target.Taint("owner", "finance", noSchedule) }},
	{"a taint that evicts", "target&owner=finance:NoExecute", func(p *planted) { p.target.Taint("owner", "finance", v1.TaintEffectNoExecute) }},
	{"a toleration with another effect", "owner=finance:NoSchedule&effect NoExecute only", func(p *planted) {
		p.target.Taint("owner", "finance", noSchedule)
		p.tolerate("owner", "finance", v1.TaintEffectNoExecute)
	}},
	{"a toleration with a mistyped value", "owner=finance:NoSchedule&tolerates owner=finanec", func(p *planted) {
		p.target.Taint("owner", "finance", noSchedule)
		p.tolerate("owner", "finanec", noSchedule)
	}},
	{"a toleration with a mistyped key", "owner=finance:NoSchedule&tolerates onwer", func(p *planted) {
		p.target.Taint("owner", "finance", noSchedule)
		p.tolerate("onwer", "finance", noSchedule)
	}},
	{"not ready", "target&not ready", func(p *planted) { p.target.Taint(v1.TaintNodeNotReady, "", noSchedule) }},
	{"unreachable", "target&unreachable", func(p *planted) { p.target.Taint(v1.TaintNodeUnreachable, "", noSchedule) }},
	{"memory pressure", "target&memory pressure", func(p *planted) { p.target.Taint(v1.TaintNodeMemoryPressure, "", noSchedule) }},
	{"cpu is taken", "short of cpu", func(p *planted) { p.fill("target", v1.ResourceCPU, "7") }},
	{"memory is taken", "target&short of memory", func(p *planted) { p.fill("target", v1.ResourceMemory, "15Gi") }},
	{"ephemeral storage is taken", "target&short of ephemeral-storage", func(p *planted) { p.fill("target", v1.ResourceEphemeralStorage, "20Gi") }},
	{"the devices are taken", "target&short of example.com/gpu", func(p *planted) {
		p.pod.Request(gpuName, "1")
		p.fill("target", gpuName, "2")
	}},
	{"a mistyped resource", "example.com/gpus", func(p *planted) { p.pod.Request("example.com/gpus", "1") }},
	{"a request that no node has", "90 cpu&no node here can ever hold it", func(p *planted) { p.pod.CPU("90") }},
	{"a limit of pods", "target&another pod", func(p *planted) {
		p.target.Pods("1")
		p.running("other", "one", "one", "target")
	}},
	{"a host port", "target&8443/TCP&other/front", func(p *planted) {
		p.pod.HostPort(8443)
		p.running("other", "front", "front", "target").HostPort(8443)
	}},
	{"a mistyped key of a selector", "teir&tier=fast", func(p *planted) { p.pod.NodeSelector("teir", "fast") }},
	{"a mistyped value of a selector", "tier=fats&tier=fast", func(p *planted) { p.pod.NodeSelector("tier", "fats") }},
	{"a label that no node has", "special", func(p *planted) { p.pod.NodeSelector("special", "yes") }},
	{"labels that no node has together", "tier=fast&disk=hdd&together", func(p *planted) {
		p.pod.NodeSelector("tier", "fast").NodeSelector("disk", "hdd")
		p.others[0].Label("disk", "hdd")
	}},
	{"an affinity that no node meets", "disk In [nvme]", func(p *planted) {
		p.pod.Affinity(requiring(v1.NodeSelectorTerm{MatchExpressions: []v1.NodeSelectorRequirement{{Key: "disk", Operator: v1.NodeSelectorOpIn, Values: []string{"nvme"}}}}))
	}},
	{"a node that does not exist", "node-99&no such node", func(p *planted) {
		p.pod.Affinity(requiring(v1.NodeSelectorTerm{MatchFields: []v1.NodeSelectorRequirement{{Key: "metadata.name", Operator: v1.NodeSelectorOpIn, Values: []string{"node-99"}}}}))
	}},
	{"pinned by hostname to a cordoned node", "target&cordoned", func(p *planted) {
		p.pod.NodeSelector(v1.LabelHostname, "target")
		p.target.Unschedulable()
	}},
	{"pinned by a label to a tainted node", "target&tier=fast&owner=finance:NoSchedule", func(p *planted) {
		p.pod.NodeSelector("tier", "fast")
		p.target.Taint("owner", "finance", noSchedule)
	}},
	{"pinned to a full node", "target&short of cpu", func(p *planted) {
		p.pod.NodeSelector("tier", "fast")
		p.fill("target", v1.ResourceCPU, "7")
	}},
	{"pinned by name to a node that is not ready", "target&not ready", func(p *planted) {
		p.pod.Affinity(requiring(v1.NodeSelectorTerm{MatchFields: []v1.NodeSelectorRequirement{{Key: "metadata.name", Operator: v1.NodeSelectorOpIn, Values: []string{"target"}}}}))
		p.target.Taint(v1.TaintNodeNotReady, "", noSchedule)
	}},
	{"pinned to a node with its port taken", "target&8443/TCP&other/front", func(p *planted) {
		p.pod.NodeSelector("tier", "fast").HostPort(8443)
		p.running("other", "front", "front", "target").HostPort(8443)
	}},
	{"a spread that leaves a full zone", "east&short of memory", func(p *planted) {
		p.pod.Obj().Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{
			MaxSkew: 1, TopologyKey: v1.LabelTopologyZone, WhenUnsatisfiable: v1.DoNotSchedule, LabelSelector: selecting("web"),
		}}
		for i := range 2 {
			p.running("default", fmt.Sprintf("web-%d", i), "web", p.others[i+1].Obj().Name)
		}
		for _, n := range append(p.others, p.target) {
			if n.Obj().Labels[v1.LabelTopologyZone] == "east" {
				p.fill(n.Obj().Name, v1.ResourceMemory, "15Gi")
			}
		}
	}},
	{"a spread over a label that no node has", "example.com/rack", func(p *planted) {
		p.pod.Obj().Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{
			MaxSkew: 1, TopologyKey: "example.com/rack", WhenUnsatisfiable: v1.DoNotSchedule, LabelSelector: selecting("web"),
		}}
	}},
	{"an affinity to a pod that is not there", "app=cache", func(p *planted) { p.pod.Affinity(near("cache", v1.LabelHostname, false)) }},
	{"an affinity to a pod of another namespace", "app=cache&data/cache", func(p *planted) {
		p.pod.Affinity(near("cache", v1.LabelHostname, false))
		p.running("data", "cache", "cache", "target")
	}},
	{"an affinity to a pod on a cordoned node", "target&default/cache&cordoned", func(p *planted) {
		p.pod.Affinity(near("cache", v1.LabelHostname, false))
		p.running("default", "cache", "cache", "target")
		p.target.Unschedulable()
	}},
	{"an anti-affinity", "default/rival", func(p *planted) {
		p.pod.Affinity(near("rival", v1.LabelHostname, true))
		p.running("default", "rival", "rival", "target")
	}},
	{"the anti-affinity of another", "default/rival", func(p *planted) {
		p.running("default", "rival", "rival", "target").Affinity(near("web", v1.LabelHostname, true))
	}},
	{"a claim that does not exist", "claim data", func(p *planted) { p.pod.PVC("data") }},
	{"a claim without its class", "class fats", func(p *planted) {
		p.pod.PVC("data")
		p.more = append(p.more, mk.Claim("data").Size("10Gi").Class("fats").Obj())
	}},
	{"a volume elsewhere", "pv-data&west", func(p *planted) {
		_, v := p.claim("data", v1.ReadWriteOnce)
		v.On(v1.LabelTopologyZone, "west")
	}},
	{"a claim that another pod uses", "claim data&default/old", func(p *planted) {
		p.claim("data", v1.ReadWriteOncePod)
		p.running("default", "old", "old", p.others[0].Obj().Name).PVC("data")
	}},
	{"a driver at its limit", "target&csi.example.com", func(p *planted) {
		p.claim("data", v1.ReadWriteOnce)
		p.more = append(p.more, mk.CSINode("target").Limit("csi.example.com", 0).Obj())
	}},
	{"a class of devices that does not exist", "gpus", func(p *planted) {
		p.pod.ResourceClaim("gpu")
		p.more = append(p.more, mk.DeviceClass("gpu"), mk.ResourceClaim("gpu").Request("r", "gpus", 1).Obj())
	}},
	{"a class without devices", "gpu", func(p *planted) {
		p.pod.ResourceClaim("gpu")
		p.more = append(p.more, mk.DeviceClass("gpu"), mk.ResourceClaim("gpu").Request("r", "gpu", 1).Obj())
	}},
	{"a device that another pod has", "target&default/holder", func(p *planted) {
		p.requestDevices(1)
		p.running("default", "holder", "holder", "target").ResourceClaim("held")
		p.more = append(p.more, mk.ResourceClaim("held").Request("r", "gpu", 2).Allocated("target", "r", gpuDriver, "target", "gpu-0").ReservedFor("holder").Obj(),
			mk.ResourceSlice("target", gpuDriver, "target").Node("target").Devices("gpu-0").Obj())
	}},
	{"fewer devices than requested", "target&3 are needed", func(p *planted) {
		p.requestDevices(3)
		p.more = append(p.more, mk.ResourceSlice("target", gpuDriver, "target").Node("target").Devices("gpu-0", "gpu-1").Obj())
	}},
	{"a mistyped model of a device", `model == "H1O0"&its selectors match`, func(p *planted) {
		p.requestDevices(1, `device.attributes["gpu.example.com"].model == "H1O0"`)
		p.more = append(p.more, mk.ResourceSlice("target", gpuDriver, "target").Node("target").Devices("gpu-0").Attribute("model", "H100").Obj())
	}},
	{"devices that are on two cards", "target&matchAttribute gpu.example.com/card", func(p *planted) {
		p.requestDevices(2).Matching(gpuDriver + "/card")
		p.more = append(p.more, mk.ResourceSlice("target", gpuDriver, "target").Node("target").Devices("gpu-0").Attribute("card", "x").Devices("gpu-1").Attribute("card", "y").Obj())
	}},
	{"a device of another node", "node-0&gpu-0 of claim gpu", func(p *planted) {
		p.requestDevices(1).Allocated("node-0", "r", gpuDriver, "node-0", "gpu-0")
		p.more = append(p.more, mk.ResourceSlice("node-0", gpuDriver, "node-0").Node("node-0").Devices("gpu-0").Obj())
	}},
	{"a disk that another pod uses", "default/old", func(p *planted) {
		disk := v1.VolumeSource{GCEPersistentDisk: &v1.GCEPersistentDiskVolumeSource{PDName: "disk-1"}}
		p.pod.Volume("data", disk)
		p.running("default", "old", "old", "target").Volume("data", disk)
	}},
	{"names of nodes that exclude each other", "exclude each other", func(p *planted) {
		in := func(name string) v1.NodeSelectorRequirement {
			return v1.NodeSelectorRequirement{Key: "metadata.name", Operator: v1.NodeSelectorOpIn, Values: []string{name}}
		}
		p.pod.Affinity(requiring(v1.NodeSelectorTerm{MatchFields: []v1.NodeSelectorRequirement{in("target"), in("node-0")}}))
	}},
	{"a scheduling gate", "example.com/quota", func(p *planted) { p.pod.Gate("example.com/quota") }},
	{"another scheduler", "my-scheduler", func(p *planted) { p.pod.Scheduler("my-scheduler") }},
}

// background are the things in the way on the other nodes, by the word that names them, each with what takes all of them away.
var background = []struct {
	word   string
	remove func(p *planted)
}{
	{"team=red", func(p *planted) {
		for _, n := range p.others {
			n.Obj().Spec.Taints = slices.DeleteFunc(n.Obj().Spec.Taints, func(t v1.Taint) bool { return t.Key == "team" })
		}
	}},
	{"cordoned", func(p *planted) {
		for _, n := range p.others {
			n.Obj().Spec.Unschedulable = false
		}
	}},
	{"short of cpu", func(p *planted) {
		p.more = slices.DeleteFunc(p.more, func(o world.Object) bool {
			return o.GetNamespace() == "other" && strings.HasPrefix(o.GetName(), "filler")
		})
	}},
}

// clusters returns for how many generated clusters a property is tested: ORRERY_CASES, or a few.
func clusters(t *testing.T, few int) int {
	text := os.Getenv("ORRERY_CASES")
	if text == "" {
		return few
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("ORRERY_CASES: %v", err)
	}
	return n
}

// TestCause_NamesPlantedThing plants one cause at a time in generated clusters where the pod has a node without it. The first line of at
// least 95 of 100 clusters of each cause names what was planted, and none names a thing without which the pod would be where it is. All
// reason codes occur.
func TestCause_NamesPlantedThing(t *testing.T) {
	each := max(clusters(t, 200)/len(plants), 1)
	var lock sync.Mutex
	codes, named, all := map[string]bool{}, 0, 0
	t.Run("causes", func(t *testing.T) {
		for _, tt := range plants {
			t.Run(tt.name, func(t *testing.T) {
				t.Parallel()
				missed := 0
				for seed := range uint64(each) {
					p := newPlanted(seed)
					if node := placedOn(t, p.engine(t)); node != "target" {
						t.Fatalf("seed %d: without a cause the pod goes to %q", seed, node)
					}
					tt.plant(p)
					d, err := diagnose.Ask(p.engine(t), world.PodRefOf(p.pod.Obj()), diagnose.Question{})
					if err != nil {
						t.Fatal(err)
					}
					line := d.Headline
					if !strings.HasPrefix(line, "Pending: ") || strings.Contains(line, "queued") {
						t.Fatalf("seed %d: the answer is %q", seed, line)
					}
					if word := unnamed(tt.words, line); word != "" {
						missed++
						t.Logf("seed %d names no %q: %s", seed, word, line)
					}
					without, others := newPlanted(seed), 0
					tt.plant(without)
					for _, b := range background {
						if strings.Contains(line, b.word) && !strings.Contains(tt.words, b.word) {
							b.remove(without)
							others++
						}
					}
					if others > 0 && placedOn(t, without.engine(t)) == "" {
						t.Errorf("seed %d: without all that it names the pod has no node either: %s", seed, line)
					}
					lock.Lock()
					for _, s := range d.Statuses {
						for _, e := range d.Explanation.Evidence(s.Plugin, nil) {
							codes[e.Code] = true
						}
					}
					for _, n := range d.Nodes {
						for _, s := range n.Statuses {
							for _, e := range d.AllEvidence(s.Plugin) {
								codes[e.Code] = true
							}
						}
					}
					lock.Unlock()
				}
				lock.Lock()
				named, all = named+each-missed, all+each
				lock.Unlock()
				if missed*100 > each*5 {
					t.Errorf("%d of %d do not name what was planted", missed, each)
				}
			})
		}
	})
	t.Logf("%d of %d first lines name what was planted", named, all)
	// A pending pod has no spec.nodeName, and the default profile no addedAffinity.
	for _, c := range slices.Concat(interpodaffinity.ReasonCodes, nodeaffinity.ReasonCodes, nodeports.ReasonCodes, noderesources.ReasonCodes,
		nodeunschedulable.ReasonCodes, nodevolumelimits.ReasonCodes, podtopologyspread.ReasonCodes, tainttoleration.ReasonCodes, volumerestrictions.ReasonCodes) {
		if !codes[c.Code] && c.Code != nodeaffinity.Enforced {
			t.Errorf("no planted cause has the reason code %s", c.Code)
		}
	}
	for _, code := range []string{dynamicresources.Elsewhere, shortage.None, shortage.TooFew, shortage.NotFree, shortage.NotAll} {
		if !codes[code] {
			t.Errorf("no planted cause has the reason code %s", code)
		}
	}
}

// unnamed is the first of the words, separated by "&", that a line does not have.
func unnamed(words, line string) string {
	for word := range strings.SplitSeq(words, "&") {
		if !strings.Contains(line, word) {
			return word
		}
	}
	return ""
}

func placedOn(t *testing.T, e *engine.Engine) string {
	t.Helper()
	d, err := diagnose.Pod(e, world.PodRef{Namespace: "default", Name: "web"})
	if err != nil {
		t.Fatal(err)
	}
	return d.Decision.Node
}
