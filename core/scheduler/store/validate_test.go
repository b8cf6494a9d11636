package store_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/safe/footprint"
	"orrery/core/scheduler/store"
	"orrery/core/testing/fuzz"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/trim"
)

func ptr[T any](v T) *T { return &v }

func pod(change func(*v1.Pod)) *v1.Pod {
	p := mk.Pod("p").Obj()
	change(p)
	return p
}

func node(change func(*v1.Node)) *v1.Node {
	n := mk.Node("n").Obj()
	change(n)
	return n
}

func podTerm(op metav1.LabelSelectorOperator, values ...string) v1.PodAffinityTerm {
	return v1.PodAffinityTerm{TopologyKey: "zone", LabelSelector: &metav1.LabelSelector{
		MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app", Operator: op, Values: values}},
	}}
}

func nodeTerm(op v1.NodeSelectorOperator, values ...string) v1.NodeSelectorTerm {
	return v1.NodeSelectorTerm{MatchExpressions: []v1.NodeSelectorRequirement{{Key: "zone", Operator: op, Values: values}}}
}

func required(terms ...v1.NodeSelectorTerm) *v1.Affinity {
	return &v1.Affinity{NodeAffinity: &v1.NodeAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{NodeSelectorTerms: terms},
	}}
}

func volumeOn(terms ...v1.NodeSelectorTerm) *v1.PersistentVolume {
	pv := mk.Volume("v").Obj()
	pv.Spec.NodeAffinity = &v1.VolumeNodeAffinity{Required: &v1.NodeSelector{NodeSelectorTerms: terms}}
	return pv
}

func volumeFor(ref *v1.ObjectReference) *v1.PersistentVolume {
	pv := mk.Volume("v").Obj()
	pv.Spec.ClaimRef = ref
	return pv
}

func claim(change func(*v1.PersistentVolumeClaim)) *v1.PersistentVolumeClaim {
	c := mk.Claim("c").Obj()
	change(c)
	return c
}

func bindingMode(mode storagev1.VolumeBindingMode) *storagev1.StorageClass {
	class := mk.Class("s", "d").Obj()
	class.VolumeBindingMode = &mode
	return class
}

func capacity(change func(*storagev1.CSIStorageCapacity)) *storagev1.CSIStorageCapacity {
	c := mk.StorageCapacity("c", "s", "1Gi", "zone", "a")
	change(c)
	return c
}

func spread(change func(*v1.TopologySpreadConstraint)) *v1.Pod {
	c := v1.TopologySpreadConstraint{MaxSkew: 1, TopologyKey: "zone", WhenUnsatisfiable: v1.DoNotSchedule}
	change(&c)
	return pod(func(p *v1.Pod) { p.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{c} })
}

// checkRefused checks that a store refuses an object, in events and in lists.
func checkRefused(t *testing.T, o world.Object, want string) {
	t.Helper()
	s, kind := store.New(), world.KindOf(o)
	deltas, err := s.Apply(world.Changed{Object: o})
	if err == nil || err.Error() != want {
		t.Errorf("error\n got %v\nwant %s", err, want)
	}
	listed, errs := s.Replace(world.Listed{Kind: kind, Objects: []world.Object{o}})
	if len(errs) != 1 || errs[0].Error() != want {
		t.Errorf("errors of a list\n got %v\nwant %s", errs, want)
	}
	if len(deltas)+len(listed) > 0 || s.Len(kind) > 0 {
		t.Errorf("refused, and yet the store says %v, %v and holds %d", showDeltas(deltas), showDeltas(listed), s.Len(kind))
	}
}

// checkHeld checks that a store holds an object, in events and in lists, and says once what it does without.
func checkHeld(t *testing.T, o world.Object, want string) {
	t.Helper()
	kind := world.KindOf(o)
	text := func(errs ...error) string {
		if err := errors.Join(errs...); err != nil {
			return err.Error()
		}
		return ""
	}
	s := store.New()
	deltas, err := s.Apply(world.Changed{Object: o})
	if text(err) != want || len(deltas) != 1 || s.Len(kind) != 1 {
		t.Errorf("added: %v, %d held, error\n got %v\nwant %s", showDeltas(deltas), s.Len(kind), err, want)
	}
	again := o.DeepCopyObject().(world.Object)
	again.SetResourceVersion("77")
	if deltas, err := s.Apply(world.Changed{Op: world.Modified, Object: again}); err != nil || len(deltas) != 1 {
		t.Errorf("modified: %v, %v, want no other error", showDeltas(deltas), err)
	}
	if _, errs := s.Replace(world.Listed{Kind: kind, Objects: []world.Object{again}}); len(errs) > 0 || s.Len(kind) != 1 {
		t.Errorf("listed again: %v, %d held", errs, s.Len(kind))
	}
	fresh := store.New()
	if listed, errs := fresh.Replace(world.Listed{Kind: kind, Objects: []world.Object{o}}); text(errs...) != want || len(listed) != 1 {
		t.Errorf("listed: %v, errors\n got %v\nwant %s", showDeltas(listed), errs, want)
	}
}

func TestStore_RefusesWhatIsNotIdentifiedAndHoldsWhatUsesNodes(t *testing.T) {
	const thePod = `refusing Pod "default/p": `
	tests := []struct {
		name   string
		object world.Object
		want   string
	}{
		{"a name is missing", pod(func(p *v1.Pod) { p.Name = "" }), `refusing Pod "default/": metadata.name is missing`},
		{"a namespace is missing", pod(func(p *v1.Pod) { p.Namespace = "" }), `refusing Pod "/p": metadata.namespace is missing`},
		{"a pod's UID is missing", pod(func(p *v1.Pod) { p.UID = "" }), thePod + "metadata.uid is missing"},
		{
			"a resource claim's UID is missing",
			&resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: "c", Namespace: "ns"}},
			`refusing ResourceClaim "ns/c": metadata.uid is missing`,
		},
		{
			"a node in a namespace", node(func(n *v1.Node) { n.Namespace = "ns" }),
			`refusing Node "n": metadata.namespace is set, though the kind has no namespaces`,
		},
		{
			"a name too long for Kubernetes", pod(func(p *v1.Pod) { p.Name = strings.Repeat("x", 1<<20) }),
			`refusing Pod "default/` + strings.Repeat("x", 71) + `…": metadata.name has 1048576 bytes, and at most 253 are allowed`,
		},
		{
			"a name that would clear the screen", pod(func(p *v1.Pod) { p.Name = "p\x1b[2J" }),
			`refusing Pod "default/p\x1b[2J": metadata.name holds a character that no name may hold: "p\x1b[2J"`,
		},
		{
			"a name that would be two", pod(func(p *v1.Pod) { p.Name = "a/b" }),
			`refusing Pod "default/a/b": metadata.name holds a character that no name may hold: "a/b"`,
		},
		{"a name that is a path", node(func(n *v1.Node) { n.Name = ".." }), `refusing Node "..": metadata.name is a path: ".."`},
		{"a name that is no text", node(func(n *v1.Node) { n.Name = "\xff" }), `refusing Node "\xff": metadata.name is not UTF-8: "\xff"`},
		{"a negative request", mk.Pod("p").CPU("-1m").Obj(), thePod + "spec.containers[0].resources.requests.cpu is negative"},
		{
			"of several bad requests the first by name", mk.Pod("p").Memory("-1").CPU("-1").Request("a.b/c", "-1").Obj(),
			thePod + "spec.containers[0].resources.requests.a.b/c is negative",
		},
		{
			"a negative request of an init container", mk.Pod("p").Init("i", mk.Resources("memory", "-1")).Obj(),
			thePod + "spec.initContainers[0].resources.requests.memory is negative",
		},
		{"a negative overhead", mk.Pod("p").Overhead("cpu", "-1").Obj(), thePod + "spec.overhead.cpu is negative"},
		{
			"a negative request of the whole pod",
			pod(func(p *v1.Pod) { p.Spec.Resources = &v1.ResourceRequirements{Requests: mk.Resources("cpu", "-1")} }),
			thePod + "spec.resources.requests.cpu is negative",
		},
		{
			"something allocated that is negative",
			pod(func(p *v1.Pod) {
				p.Status.ContainerStatuses = []v1.ContainerStatus{{AllocatedResources: mk.Resources("cpu", "-1")}}
			}),
			thePod + "status.containerStatuses[0].allocatedResources.cpu is negative",
		},
		{"a negative port", mk.Pod("p").HostPort(-80).Obj(), thePod + "spec.containers[0].ports[0].hostPort is -80, and a port is between 0 and 65535"},
		{"a port beyond the last", mk.Pod("p").HostPort(65536).Obj(), thePod + "spec.containers[0].ports[0].hostPort is 65536, and a port is between 0 and 65535"},
		{
			"a toleration's operator", mk.Pod("p").Toleration(v1.Toleration{Operator: "Like"}).Obj(),
			thePod + `spec.tolerations[0].operator is "Like", which Kubernetes 1.37 does not know`,
		},
		{
			"a toleration's number", mk.Pod("p").Toleration(v1.Toleration{Key: "level", Operator: v1.TolerationOpGt, Value: "high"}).Obj(),
			thePod + `spec.tolerations[0].value is not a whole number, which the operator Gt needs`,
		},
		{
			"a toleration's effect", mk.Pod("p").Toleration(v1.Toleration{Operator: "Exists", Effect: "NoFun"}).Obj(),
			thePod + `spec.tolerations[0].effect is "NoFun", which Kubernetes 1.37 does not know`,
		},
		{
			"an operator on node labels", mk.Pod("p").Affinity(required(nodeTerm("In", "a"), nodeTerm("Near", "b"))).Obj(),
			thePod + `spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[1].matchExpressions[0].operator ` +
				`is "Near", which Kubernetes 1.37 does not know`,
		},
		{
			"an operator on pod labels",
			mk.Pod("p").Affinity(&v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{
				PreferredDuringSchedulingIgnoredDuringExecution: []v1.WeightedPodAffinityTerm{{Weight: 1, PodAffinityTerm: podTerm("Gt", "1")}},
			}}).Obj(),
			thePod + `spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.labelSelector` +
				`.matchExpressions[0].operator is "Gt", which Kubernetes 1.37 does not know`,
		},
		{
			"an operator on a node's fields",
			mk.Pod("p").Affinity(required(v1.NodeSelectorTerm{MatchFields: []v1.NodeSelectorRequirement{{Key: "metadata.name", Operator: "Is"}}})).Obj(),
			thePod + "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchFields[0].operator " +
				`is "Is", which Kubernetes 1.37 does not know`,
		},
		{
			"a preference for nodes that weighs too much",
			mk.Pod("p").Affinity(&v1.Affinity{NodeAffinity: &v1.NodeAffinity{
				PreferredDuringSchedulingIgnoredDuringExecution: []v1.PreferredSchedulingTerm{{Weight: 101, Preference: nodeTerm("Exists")}},
			}}).Obj(),
			thePod + "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight is 101, and a weight is at most 100 and not negative",
		},
		{
			"an operator on namespace labels",
			mk.Pod("p").Affinity(&v1.Affinity{PodAffinity: &v1.PodAffinity{
				RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{{NamespaceSelector: podTerm("Lt").LabelSelector}},
			}}).Obj(),
			thePod + "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].namespaceSelector.matchExpressions[0].operator " +
				`is "Lt", which Kubernetes 1.37 does not know`,
		},
		{
			"an operator on the labels of what is spread", spread(func(c *v1.TopologySpreadConstraint) { c.LabelSelector = podTerm("Gt").LabelSelector }),
			thePod + `spec.topologySpreadConstraints[0].labelSelector.matchExpressions[0].operator is "Gt", which Kubernetes 1.37 does not know`,
		},
		{
			"a weight below zero",
			mk.Pod("p").Affinity(&v1.Affinity{PodAffinity: &v1.PodAffinity{
				PreferredDuringSchedulingIgnoredDuringExecution: []v1.WeightedPodAffinityTerm{{Weight: -5, PodAffinityTerm: podTerm("Exists")}},
			}}).Obj(),
			thePod + "spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight is -5, and a weight is at most 100 and not negative",
		},
		{"no skew", spread(func(c *v1.TopologySpreadConstraint) { c.MaxSkew = 0 }), thePod + "spec.topologySpreadConstraints[0].maxSkew is 0, and must be at least 1"},
		{"no domain", spread(func(c *v1.TopologySpreadConstraint) { c.MinDomains = ptr(int32(0)) }), thePod + "spec.topologySpreadConstraints[0].minDomains is 0, and must be at least 1"},
		{
			"what to do when unsatisfiable", spread(func(c *v1.TopologySpreadConstraint) { c.WhenUnsatisfiable = "Cry" }),
			thePod + `spec.topologySpreadConstraints[0].whenUnsatisfiable is "Cry", which Kubernetes 1.37 does not know`,
		},
		{"a taint's effect", mk.Node("n").Taint("k", "v", "NoFun").Obj(), `refusing Node "n": spec.taints[0].effect is "NoFun", which Kubernetes 1.37 does not know`},
		{"a negative node", mk.Node("n").CPU("-4").Obj(), `refusing Node "n": status.allocatable.cpu is negative`},
		{
			"a negative claim",
			&v1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: "c", Namespace: "ns"}, Spec: v1.PersistentVolumeClaimSpec{
				Resources: v1.VolumeResourceRequirements{Requests: mk.Resources("storage", "-1")},
			}},
			`refusing PersistentVolumeClaim "ns/c": spec.resources.requests.storage is negative`,
		},
		{
			"a negative volume",
			&v1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "v"}, Spec: v1.PersistentVolumeSpec{Capacity: mk.Resources("storage", "-1")}},
			`refusing PersistentVolume "v": spec.capacity.storage is negative`,
		},
		{
			"negative storage to be had",
			&storagev1.CSIStorageCapacity{ObjectMeta: metav1.ObjectMeta{Name: "c", Namespace: "ns"}, Capacity: ptr(resource.MustParse("-1"))},
			`refusing CSIStorageCapacity "ns/c": capacity is negative`,
		},
		{
			"a negative volume limit",
			&storagev1.CSINode{ObjectMeta: metav1.ObjectMeta{Name: "n"}, Spec: storagev1.CSINodeSpec{
				Drivers: []storagev1.CSINodeDriver{{Name: "d", Allocatable: &storagev1.VolumeNodeResources{Count: ptr(int32(-1))}}},
			}},
			`refusing CSINode "n": spec.drivers[0].allocatable.count is negative`,
		},
		{
			"an operator on the nodes of a volume", volumeOn(nodeTerm("In", "a"), nodeTerm("Near", "b")),
			`refusing PersistentVolume "v": spec.nodeAffinity.required.nodeSelectorTerms[1].matchExpressions[0].operator ` +
				`is "Near", which Kubernetes 1.37 does not know`,
		},
		{
			"an operator on the labels of volumes", claim(func(c *v1.PersistentVolumeClaim) { c.Spec.Selector = podTerm("Gt").LabelSelector }),
			`refusing PersistentVolumeClaim "default/c": spec.selector.matchExpressions[0].operator is "Gt", which Kubernetes 1.37 does not know`,
		},
		{
			"a negative size of a claim's volume", claim(func(c *v1.PersistentVolumeClaim) { c.Status.Capacity = mk.Resources("storage", "-1") }),
			`refusing PersistentVolumeClaim "default/c": status.capacity.storage is negative`,
		},
		{
			"when to bind the claims of a class", bindingMode("Sometimes"),
			`refusing StorageClass "s": volumeBindingMode is "Sometimes", which Kubernetes 1.37 does not know`,
		},
		{
			"a negative size to be had", capacity(func(c *storagev1.CSIStorageCapacity) { c.MaximumVolumeSize = ptr(resource.MustParse("-1")) }),
			`refusing CSIStorageCapacity "default/c": maximumVolumeSize is negative`,
		},
		{
			"an operator on the nodes with storage", capacity(func(c *storagev1.CSIStorageCapacity) { c.NodeTopology = podTerm("Lt").LabelSelector }),
			`refusing CSIStorageCapacity "default/c": nodeTopology.matchExpressions[0].operator is "Lt", which Kubernetes 1.37 does not know`,
		},
		{"a driver without a name", mk.CSINode("n").Driver("").Obj(), `refusing CSINode "n": spec.drivers[0].name is missing`},
		{
			"a driver that would be two", mk.CSINode("n").Driver("d").Driver("a/b").Obj(),
			`refusing CSINode "n": spec.drivers[1].name holds a character that no name may hold: "a/b"`,
		},
		{"a volume without a name", mk.Volume("").Obj(), `refusing PersistentVolume "": metadata.name is missing`},
		{"a claim without a namespace", claim(func(c *v1.PersistentVolumeClaim) { c.Namespace = "" }), `refusing PersistentVolumeClaim "/c": metadata.namespace is missing`},
		{
			"a negative number of devices",
			&resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: "c", Namespace: "ns", UID: "u"}, Spec: resourcev1.ResourceClaimSpec{
				Devices: resourcev1.DeviceClaim{Requests: []resourcev1.DeviceRequest{
					{Name: "r", FirstAvailable: []resourcev1.DeviceSubRequest{{Count: 1}, {Count: -1}}},
				}},
			}},
			`refusing ResourceClaim "ns/c": spec.devices.requests[0].firstAvailable[1].count is negative`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := store.Validate(tt.object); err == nil || err.Error() != tt.want {
				t.Errorf("Validate\n got %v\nwant %s", err, tt.want)
			}
			field, _ := strings.CutPrefix(tt.want, "refusing ")
			_, field, _ = strings.Cut(field, ": ")
			switch o := tt.object.(type) {
			case *v1.Node:
				if strings.HasPrefix(field, "metadata.") {
					checkRefused(t, o, tt.want)
				} else {
					checkHeld(t, o, `using Node "n" without a field: `+field)
				}
			case *v1.Pod:
				if strings.HasPrefix(field, "metadata.") {
					checkRefused(t, o, tt.want)
					return
				}
				checkHeld(t, o, "")
				if got := store.UnusableField(o); !strings.HasPrefix(field, "status.") && got != field {
					t.Errorf("the unusable field\n got %s\nwant %s", got, field)
				}
				placed := o.DeepCopy()
				placed.Spec.NodeName = "n"
				checkHeld(t, placed, `using Pod "default/p" on node "n" without a field: `+field)
			default:
				checkRefused(t, o, tt.want)
			}
		})
	}
}

func TestWhatAnAPIServerMayAdmitIsAccepted(t *testing.T) {
	tests := []struct {
		name   string
		object world.Object
	}{
		{"a selector value that is no label value: admitted once, so it may still be there", pod(func(p *v1.Pod) {
			p.Spec.Affinity = &v1.Affinity{PodAffinity: &v1.PodAffinity{
				RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{podTerm("In", "not a label value!")},
			}}
		})},
		{"a node selector without values, which matches nothing", mk.Pod("p").Affinity(required(nodeTerm("In"))).Obj()},
		{"a number that is none, which matches nothing", mk.Pod("p").Affinity(required(nodeTerm("Gt", "many"))).Obj()},
		{"an empty affinity", mk.Pod("p").Affinity(&v1.Affinity{}).Obj()},
		{"operators behind a feature gate", mk.Pod("p").Toleration(v1.Toleration{Key: "k", Operator: v1.TolerationOpGt, Value: "5"}).Obj()},
		{"any priority", mk.Pod("p").Priority(-1 << 31).Obj()},
		{"a pod without containers", pod(func(p *v1.Pod) { p.Spec.Containers = nil })},
		{"a request of nothing", mk.Pod("p").CPU("0").Obj()},
		{"cpu whose thousandths overflow", mk.Pod("p").CPU("9E").Node("n").Obj()},
		{"memory of which a few overflow", mk.Pod("p").Memory("4Ei").Request("example.com/none", "9100T").Node("n").Obj()},
		{"a node with more than can be added up", mk.Node("n").CPU("9E").Memory("9E").Obj()},
		{"a node with as many of something as there are numbers", mk.Node("n").Resource("example.com/any", "9223372036854775807").Obj()},
		{"a node without a UID", node(func(n *v1.Node) { n.UID = "" })},
		{"a UID in a form of its own", pod(func(p *v1.Pod) { p.UID = types.UID("pod/default/p") })},
		{"a volume as large as there are numbers", mk.Volume("v").Size("8Ei").Obj()},
		{"all the storage that a driver can say", mk.StorageCapacity("c", "s", "9223372036854775807", "zone", "a")},
		{"a class without a mode, which plugins report", &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "s"}}},
		{"a volume bound by its user to what has no name yet", volumeFor(&v1.ObjectReference{Namespace: "ns"})},
		{"a claim of a volume that cannot be", claim(func(c *v1.PersistentVolumeClaim) { c.Spec.VolumeName = "a/b" })},
		{"a volume that no node can use", volumeOn(v1.NodeSelectorTerm{})},
		{"a name of the longest", node(func(n *v1.Node) { n.Name = strings.Repeat("x", 253) })},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := store.Validate(tt.object); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestStore_RefusedStateLeavesHeldOne(t *testing.T) {
	s := store.New()
	good, bad := mk.Class("c", "d").Obj(), bindingMode("Sometimes")
	bad.Name, bad.UID = "c", good.UID
	if _, err := s.Apply(world.Changed{Object: good}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Apply(world.Changed{Op: world.Modified, Object: bad}); err == nil {
		t.Fatal("a class with an unknown mode was accepted")
	}
	if s.Object(world.StorageClass, "", "c") != world.Object(good) {
		t.Error("the refused state took the place of the one before")
	}
	if deltas, err := s.Apply(world.Changed{Op: world.Deleted, Object: bad}); err != nil || len(deltas) != 1 {
		t.Errorf("its deletion says %v, %v; want it gone, whatever else is wrong with it", showDeltas(deltas), err)
	}
}

// A pod that ends frees its node, whatever else is wrong with it.
func TestStore_TakesInEndOfPodWithUnusableField(t *testing.T) {
	s := store.New()
	if _, err := s.Apply(world.Changed{Object: mk.Pod("p").Node("n").Obj()}); err != nil {
		t.Fatal(err)
	}
	deltas, err := s.Apply(world.Changed{Op: world.Modified, Object: mk.Pod("p").Node("n").CPU("-1").Phase(v1.PodFailed).Obj()})
	if err != nil || len(deltas) != 1 || s.Len(world.Pod) != 0 {
		t.Errorf("%v, %v, %d held", showDeltas(deltas), err, s.Len(world.Pod))
	}
}

func TestCheckingCostsNothing(t *testing.T) {
	p := mk.Pod("p").CPU("100m").Memory("1Gi").HostPort(80).Affinity(required(nodeTerm("In", "a"))).Obj()
	if allocs := testing.AllocsPerRun(100, func() { _ = store.Validate(p) }); allocs != 0 {
		t.Errorf("checking a pod allocates %v times, want none", allocs)
	}
}

func TestAnEventWithoutAnObjectIsAnError(t *testing.T) {
	if _, err := store.New().Apply(world.Changed{}); err == nil {
		t.Error("got no error")
	}
}

// FuzzIngest reads objects of each kind, as every kind of event.
//
//orrery:reads core/scheduler/store core/world/trim core/world
func FuzzIngest(f *testing.F) {
	kinds := world.Kinds()
	for i, kind := range kinds {
		o, err := world.New(kind)
		if err != nil {
			f.Fatal(err)
		}
		o.SetName("it")
		o.SetUID("1")
		data, err := json.Marshal(o)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(byte(i), byte(world.Added), data)
	}
	for _, o := range []runtime.Object{mk.Pod("p").CPU("-1").Obj(), mk.Node("n").Taint("a", "b", "c").Obj()} {
		data, err := json.Marshal(o)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(byte(len(kinds)-1), byte(world.Modified), data)
	}
	f.Fuzz(func(t *testing.T, kind, op byte, data []byte) {
		k := kinds[int(kind)%len(kinds)]
		o, err := world.New(k)
		if err != nil {
			t.Fatal(err)
		}
		if footprint.Of(o).JSON(data) >= footprint.HugeQuantity || json.Unmarshal(data, o) != nil { // which no way in lets through
			return
		}
		s := store.New()
		var deltas []store.Delta
		fuzz.Cost(t, len(data), func() { deltas, err = s.Apply(world.Changed{Op: world.Op(op % 3), Object: o}) })
		if err != nil {
			fuzz.Error(t, err)
		}
		switch {
		case err != nil && strings.HasPrefix(err.Error(), "refusing ") != (s.Len(k) == 0):
			t.Fatalf("%v, and %d are held", err, s.Len(k))
		case len(deltas) != s.Len(k):
			t.Fatalf("%d deltas for %d objects held", len(deltas), s.Len(k))
		case s.Len(k) == 1 && s.Object(k, o.GetNamespace(), o.GetName()) != o:
			t.Fatal("what is held is not found")
		}
		trimmed := trim.Object(o)
		if err := store.Validate(o); err == nil && store.Validate(trimmed) != nil {
			t.Fatalf("trimming broke it: %v", store.Validate(trimmed))
		}
	})
}
