package cache

import (
	"fmt"
	"maps"
	"testing"

	"github.com/go-logr/logr"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ndf "k8s.io/component-helpers/nodedeclaredfeatures"
	fwk "k8s.io/kube-scheduler/framework"
	"pgregory.net/rapid"

	"orrery/core/testing/mk"
)

var log = logr.Discard()

func TestResource_CountedNames(t *testing.T) {
	same(t, "amounts", amounts{
		CPU: 1500, Memory: 2 * mib, Ephemeral: 1000, Pods: 110,
		Scalars: map[v1.ResourceName]int64{
			"example.com/gpu": 2, "hugepages-2Mi": 3, "x.kubernetes.io/y": 4, "attachable-volumes-csi": 5,
		},
	}, amountsOf(NewResource(mk.Resources(
		"cpu", "1500m", "memory", "2Mi", "ephemeral-storage", "1k", "pods", "110",
		"example.com/gpu", "2", "hugepages-2Mi", "3", "x.kubernetes.io/y", "4", "attachable-volumes-csi", "5",
		"bananas", "6", "requests.example.com/gpu", "7", "-bad-/name", "8",
	))))
}

func TestResource_SetMaxResource(t *testing.T) {
	r := NewResource(mk.Resources("cpu", "1", "memory", "5", "pods", "3", "example.com/gpu", "1"))
	r.SetMaxResource(mk.Resources("cpu", "2", "memory", "4", "ephemeral-storage", "9", "pods", "8", "example.com/gpu", "4", "bananas", "1"))
	same(t, "amounts", amounts{
		CPU: 2000, Memory: 5, Ephemeral: 9, Pods: 3, Scalars: map[v1.ResourceName]int64{"example.com/gpu": 4},
	}, amountsOf(r))
}

func TestResource_CloneIsIndependent(t *testing.T) {
	r := NewResource(mk.Resources("example.com/gpu", "1"))
	clone := r.Clone()
	r.AddScalar("example.com/gpu", 10)
	clone.AddScalar("example.com/gpu", 100)
	same(t, "original", int64(11), r.GetScalarResources()["example.com/gpu"])
	same(t, "clone", int64(101), clone.GetScalarResources()["example.com/gpu"])
}

func TestNodeInfo_CopyAllocatableIsIndependent(t *testing.T) {
	n := NewNodeInfo()
	n.SetNode(mk.Node("n").Resource("example.com/gpu", "1").Obj())
	n.Copy().GetAllocatable().SetMaxResource(mk.Resources("example.com/gpu", "5"))
	same(t, "original", int64(1), n.GetAllocatable().GetScalarResources()["example.com/gpu"])
}

// Shows CACHE-07 and CACHE-10.
func TestNodeInfo_AddRemovePods(t *testing.T) {
	n := NewNodeInfo(
		mk.Pod("a").CPU("1").HostPort(80).Obj(),
		mk.Pod("b").Memory("1Mi").Request("example.com/gpu", "1").PVC("v").Obj(),
		mk.Pod("c").PVC("v").Obj(),
	)
	n.SetNode(mk.Node("n").CPU("4").Memory("8Mi").Obj())
	want := state{
		Node: n.node, Pods: []string{"a", "b", "c"}, Affine: []string{}, RequiredAnti: []string{},
		Requested:   amounts{CPU: 1000, Memory: mib, Scalars: map[v1.ResourceName]int64{"example.com/gpu": 1}},
		NonZero:     amounts{CPU: 1200, Memory: 401 * mib, Scalars: map[v1.ResourceName]int64{}},
		Allocatable: amounts{CPU: 4000, Memory: 8 * mib, Pods: 110, Scalars: map[v1.ResourceName]int64{}},
		Ports:       []string{"TCP 0.0.0.0:80"}, Claims: map[string]int{"default/v": 2},
		Images: map[string]fwk.ImageStateSummary{},
	}
	same(t, "three pods", want, stateOf(n))

	for _, name := range []string{"a", "b"} {
		if err := n.RemovePod(log, mk.Pod(name).Obj()); err != nil {
			t.Fatal(err)
		}
	}
	want.Pods, want.Ports, want.Claims = []string{"c"}, nil, map[string]int{"default/v": 1}
	want.Requested = amounts{Scalars: map[v1.ResourceName]int64{"example.com/gpu": 0}}
	want.NonZero = amounts{CPU: 100, Memory: 200 * mib, Scalars: map[v1.ResourceName]int64{}}
	same(t, "one pod", want, stateOf(n))
	same(t, "a pod that is not there", "no corresponding pod x in pods of node n", errorText(n.RemovePod(log, mk.Pod("x").Obj())))
}

// Shows CACHE-11 and CACHE-15.
func TestNodeInfo_AllocatableIsNotCapacity(t *testing.T) {
	node := mk.Node("n").CPU("3500m").Memory("6Mi").Obj()
	node.Status.Capacity = mk.Resources("cpu", "4", "memory", "8Mi", "pods", "200")
	n := NewNodeInfo()
	n.SetNode(node)
	same(t, "allocatable", amounts{CPU: 3500, Memory: 6 * mib, Pods: 110, Scalars: map[v1.ResourceName]int64{}}, amountsOf(n.GetAllocatable()))
	n.SetNode(mk.Node("n").CPU("2").Memory("6Mi").Obj())
	same(t, "of the next version", int64(2000), n.GetAllocatable().GetMilliCPU())
}

func TestNodeInfo_RemoveMovesLastPod(t *testing.T) {
	n := NewNodeInfo(mk.Pod("a").Obj(), mk.Pod("b").Obj(), mk.Pod("c").Obj(), mk.Pod("d").Obj())
	if err := n.RemovePod(log, mk.Pod("a").Obj()); err != nil {
		t.Fatal(err)
	}
	same(t, "order", []string{"d", "b", "c"}, podNames(n.GetPods()))
}

func TestNodeInfo_WithoutNode(t *testing.T) {
	n := NewNodeInfo()
	same(t, "error", "no corresponding pod x in pods of node <no node>", errorText(n.RemovePod(log, mk.Pod("x").Obj())))
	same(t, "text", "NodeInfo{node <no node>, pods [], requested {cpu 0m, memory 0, ephemeral-storage 0, pods 0}, "+
		"nonZeroRequested {cpu 0m, memory 0, ephemeral-storage 0, pods 0}, allocatable {cpu 0m, memory 0, ephemeral-storage 0, pods 0}, ports map[]}", n.String())
	if (*NodeInfo)(nil).Node() != nil {
		t.Error("no NodeInfo has a node")
	}
}

func TestNodeInfo_DeclaredFeatures(t *testing.T) {
	node := mk.Node("n").Obj()
	node.Status.DeclaredFeatures = []string{"UserNamespacesHostNetworkSupport", "Other"}
	n := NewNodeInfo()
	n.SetNode(node)
	known, err := ndf.DefaultFramework.Unmap(n.GetNodeDeclaredFeatures())
	same(t, "declared", nil, err)
	same(t, "declared", "[UserNamespacesHostNetworkSupport]", fmt.Sprint(known))
	n.SetNode(mk.Node("n").Obj())
	same(t, "declared no more", true, n.GetNodeDeclaredFeatures().IsEmpty())
}

// Shows CACHE-12.
func TestNodeInfo_HostPorts(t *testing.T) {
	always, never := v1.ContainerRestartPolicyAlways, v1.ContainerRestartPolicyNever
	claim := func(ip string, protocol v1.Protocol) v1.Container {
		return v1.Container{Ports: []v1.ContainerPort{{HostPort: 80, HostIP: ip, Protocol: protocol}, {ContainerPort: 81}}}
	}
	sidecar, once := claim("10.0.0.1", v1.ProtocolUDP), claim("10.0.0.2", v1.ProtocolTCP)
	sidecar.RestartPolicy, once.RestartPolicy = &always, &never
	p := mk.Pod("p").Obj()
	p.Spec.Containers = []v1.Container{claim("", "")}
	p.Spec.InitContainers = []v1.Container{sidecar, once}
	same(t, "ports", []string{"TCP 0.0.0.0:80", "UDP 10.0.0.1:80"}, stateOf(NewNodeInfo(p)).Ports)

	two := NewNodeInfo(mk.Pod("a").HostPort(80).Obj(), mk.Pod("b").HostPort(80).Obj())
	if err := two.RemovePod(log, mk.Pod("a").Obj()); err != nil {
		t.Fatal(err)
	}
	same(t, "the first of two pods with one port frees it", 0, two.GetUsedPorts().Len())
}

// A NodeInfo takes any implementation of the plugin API's PodInfo.
func TestNodeInfo_ForeignPodInfo(t *testing.T) {
	p := mk.Pod("p").CPU("1").PVC("v").HostPort(80).Affinity(&v1.Affinity{PodAffinity: &v1.PodAffinity{}}).Obj()
	info, err := NewPodInfo(p)
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := NewNodeInfo(), NewNodeInfo()
	ours.AddPodInfo(info)
	theirs.AddPodInfo(struct{ fwk.PodInfo }{info})
	same(t, "added", stateOf(ours), stateOf(theirs))
	if err := theirs.RemovePod(log, p); err != nil {
		t.Fatal(err)
	}
	same(t, "removed", stateOf(NewNodeInfo()), stateOf(theirs))
}

func TestNodeInfo_CopyChangedOutsideCache(t *testing.T) {
	c := New()
	c.AddNode(mk.Node("n").Obj())
	mustAdd(t, c, mk.Pod("p").Node("n").Obj())
	cached, _ := refreshed(t, c, NewSnapshot()).Get("n")
	for name, change := range map[string]func(fwk.NodeInfo){
		"a pod added":   func(n fwk.NodeInfo) { info, _ := NewPodInfo(mk.Pod("q").Obj()); n.AddPodInfo(info) },
		"a pod removed": func(n fwk.NodeInfo) { _ = n.RemovePod(log, mk.Pod("p").Obj()) },
		"another node":  func(n fwk.NodeInfo) { n.SetNode(mk.Node("n").Obj()) },
	} {
		copied := cached.Snapshot()
		same(t, name+": before", cached.GetGeneration(), copied.GetGeneration())
		change(copied)
		same(t, name+": once", int64(-1), copied.GetGeneration())
		change(copied)
		if name != "a pod removed" {
			same(t, name+": twice", int64(-2), copied.GetGeneration())
		}
	}
	same(t, "the original", int64(2), cached.GetGeneration())
	same(t, "one made from nothing", int64(0), NewNodeInfo().GetGeneration())
}

func TestNodeInfo_CopiesAreIndependent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		copies := []*NodeInfo{NewNodeInfo()}
		expected := [][]string{{}} // the pods of each copy, in any order
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			i := rapid.IntRange(0, len(copies)-1).Draw(t, "copy")
			switch p := anyPod(t); rapid.IntRange(0, 2).Draw(t, "act") {
			case 0:
				copies = append(copies, copies[i].Copy())
				expected = append(expected, append([]string{}, expected[i]...))
			case 1:
				copies[i].AddPod(p)
				expected[i] = append(expected[i], p.Name)
			case 2:
				if copies[i].RemovePod(log, p) == nil {
					for at, name := range expected[i] {
						if name == p.Name {
							last := len(expected[i]) - 1
							expected[i][at] = expected[i][last]
							expected[i] = expected[i][:last]
							break
						}
					}
				}
			}
			for k, n := range copies {
				same(t, "pods", expected[k], podNames(n.GetPods()))
				if err := n.checkSums(); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

func TestNodeInfo_CopyIsOneAllocation(t *testing.T) {
	c := New()
	c.AddNode(mk.Node("n").Image(1, "a").Image(1, "b").Obj())
	for _, name := range []string{"a", "b", "c"} {
		mustAdd(t, c, mk.Pod(name).Node("n").CPU("1").Request("example.com/gpu", "1").PVC(name).Obj())
	}
	same(t, "allocations", 1.0, testing.AllocsPerRun(10, func() { copied = c.newest.info.Copy() }))
}

func TestPodInfo_ParsesAffinityOnce(t *testing.T) {
	good := v1.PodAffinityTerm{TopologyKey: "zone", LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "x"}}}
	bad := v1.PodAffinityTerm{LabelSelector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "k", Operator: "Near"}}}}
	with := func(required, apart v1.PodAffinityTerm) *v1.Pod {
		return mk.Pod("p").Affinity(&v1.Affinity{
			PodAffinity: &v1.PodAffinity{
				RequiredDuringSchedulingIgnoredDuringExecution:  []v1.PodAffinityTerm{required},
				PreferredDuringSchedulingIgnoredDuringExecution: []v1.WeightedPodAffinityTerm{{Weight: 7, PodAffinityTerm: good}},
			},
			PodAntiAffinity: &v1.PodAntiAffinity{
				RequiredDuringSchedulingIgnoredDuringExecution:  []v1.PodAffinityTerm{apart},
				PreferredDuringSchedulingIgnoredDuringExecution: []v1.WeightedPodAffinityTerm{{Weight: 9, PodAffinityTerm: good}},
			},
		}).Obj()
	}
	info, err := NewPodInfo(with(good, good))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "required", "app=x", info.GetRequiredAffinityTerms()[0].Selector.String())
	same(t, "required apart", "zone", info.GetRequiredAntiAffinityTerms()[0].TopologyKey)
	same(t, "preferred", int32(7), info.GetPreferredAffinityTerms()[0].Weight)
	same(t, "preferred apart", int32(9), info.GetPreferredAntiAffinityTerms()[0].Weight)
	same(t, "namespace", true, info.GetRequiredAffinityTerms()[0].Matches(mk.Pod("q").Label("app", "x").Obj(), nil))

	info, err = NewPodInfo(with(bad, good))
	same(t, "error", `requiredAffinityTerms: "Near" is not a valid label selector operator`, errorText(err))
	same(t, "a list with a bad term is left out", 0, len(info.GetRequiredAffinityTerms()))
	same(t, "the others are there", 1, len(info.GetRequiredAntiAffinityTerms()))

	plain, _ := NewPodInfo(mk.Pod("p").HostPort(0).Obj())
	same(t, "a pod without terms shares nothing", true, plain.details == nil && plain.GetRequiredAffinityTerms() == nil &&
		plain.GetRequiredAntiAffinityTerms() == nil && plain.GetPreferredAffinityTerms() == nil && plain.GetPreferredAntiAffinityTerms() == nil)
}

func TestPodInfo_UpdateKeepsParsedTerms(t *testing.T) {
	first := mk.Pod("p").CPU("1").PVC("v").Obj()
	info, _ := NewPodInfo(first)
	info.CalculateResource()
	newer := mk.Pod("p").CPU("2").Label("new", "yes").Obj()
	if err := info.Update(newer); err != nil {
		t.Fatal(err)
	}
	same(t, "pod", newer, info.GetPod())
	same(t, "cpu of the first version", int64(1000), info.CalculateResource().Resource.GetMilliCPU())
	same(t, "claims of the first version", []string{"default/v"}, info.details.claims)

	other := mk.Pod("q").CPU("3").Obj()
	if err := info.Update(other); err != nil {
		t.Fatal(err)
	}
	same(t, "cpu of another pod", int64(3000), info.CalculateResource().Resource.GetMilliCPU())
	same(t, "details of another pod", true, info.details == nil)
}

// Shows CACHE-05.
func TestDump_IsFullCopy(t *testing.T) {
	c := New()
	c.AddNode(mk.Node("n").Image(1, "app").Obj())
	if err := assumePod(c, mk.Pod("p").Node("imaginary").Obj()); err != nil {
		t.Fatal(err)
	}
	d := c.Dump()
	d.Nodes["n"].AddPod(mk.Pod("q").Obj())
	same(t, "assumed", true, d.AssumedPods.Has("pod/default/p") && d.AssumedPods.Len() == 1)
	same(t, "nodes", map[string]bool{"n": true, "imaginary": true}, func() map[string]bool {
		names := map[string]bool{}
		for name := range maps.Keys(d.Nodes) {
			names[name] = true
		}
		return names
	}())
	same(t, "the cache", "", errorText(c.Check()))
	same(t, "pods", 1, c.PodCount())
}
