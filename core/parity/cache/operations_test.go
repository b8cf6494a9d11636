package cache

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/testing/mk"
)

type verb string

const (
	addNode    verb = "add node"
	updateNode verb = "update node"
	removeNode verb = "remove node"
	assumePod  verb = "assume pod"
	forgetPod  verb = "forget pod"
	addPod     verb = "add pod"
	updatePod  verb = "update pod"
	removePod  verb = "remove pod"
	refresh    verb = "refresh"
)

// verbs repeats frequent verbs.
var verbs = []verb{
	addNode, addNode, updateNode, updateNode, removeNode,
	assumePod, assumePod, forgetPod, addPod, addPod, addPod, updatePod, updatePod, removePod, removePod,
	refresh, refresh, refresh,
}

var (
	nodeNames = []string{"n0", "n1", "n2", "n3", "n4", "n5"}
	imageList = []string{"app", "db", "app:1", "pause", "log"}
	claimList = []string{"a", "b", "c"}
	podCount  = 12
)

// operation is one call on both caches. It holds choices, not objects, which are resolved when the operation runs, so that a
// sequence stays valid when operations are removed.
type operation struct {
	verb verb
	node *v1.Node
	pod  *v1.Pod
	odd  bool // pass the generated pod where a correct caller would pass the version in the cache
}

func (o operation) String() string {
	switch {
	case o.node != nil:
		return fmt.Sprintf("%s %s labels %v images %v", o.verb, o.node.Name, o.node.Labels, o.node.Status.Images)
	case o.pod != nil:
		pod, _ := json.Marshal(o.pod)
		return fmt.Sprintf("%s %s on %q odd=%v %s", o.verb, o.pod.UID, o.pod.Spec.NodeName, o.odd, pod)
	}
	return string(o.verb)
}

func generate(r *rand.Rand) []operation {
	ops := make([]operation, 5+r.IntN(60))
	for i := range ops {
		op := operation{verb: pick(r, verbs), odd: r.IntN(4) == 0}
		switch op.verb {
		case addNode, updateNode, removeNode:
			op.node = anyNode(r)
		case refresh:
		default:
			op.pod = anyPod(r)
		}
		ops[i] = op
	}
	return append(ops, operation{verb: refresh})
}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

func anyNode(r *rand.Rand) *v1.Node {
	b := mk.Node(pick(r, nodeNames)).CPU(pick(r, []string{"1", "2", "3500m"})).Memory(pick(r, []string{"1Gi", "64Mi"}))
	if r.IntN(3) > 0 {
		b.Zone(pick(r, []string{"z1", "z2", ""}))
	}
	if r.IntN(3) == 0 {
		b.Region(pick(r, []string{"r1", "r2"}))
	}
	if r.IntN(8) == 0 {
		b.Label(v1.LabelFailureDomainBetaZone, pick(r, []string{"z1", "z9"}))
	}
	if r.IntN(3) == 0 {
		b.Resource(pick(r, []v1.ResourceName{"example.com/gpu", "hugepages-2Mi", "attachable-volumes-x", "odd", "ephemeral-storage"}), "4")
	}
	for range r.IntN(4) {
		b.Image(int64(10*(1+r.IntN(3))), pick(r, imageList), pick(r, imageList))
	}
	return b.Obj()
}

func anyPod(r *rand.Rand) *v1.Pod {
	b := mk.Pod(fmt.Sprint("p", r.IntN(podCount))).Node(pick(r, append(nodeNames, "gone")))
	if r.IntN(40) == 0 {
		b.UID("")
	}
	if r.IntN(30) == 0 {
		b.Node("")
	}
	requests(r, b)
	for range r.IntN(3) {
		switch r.IntN(4) {
		case 0:
			b.PVC(pick(r, claimList))
		case 1:
			b.HostPort(int32(80 + r.IntN(3)))
		case 2:
			b.Affinity(anyAffinity(r))
		}
	}
	return b.Obj()
}

func requests(r *rand.Rand, b *mk.PodBuilder) {
	if r.IntN(3) > 0 {
		b.CPU(pick(r, []string{"0", "100m", "250m", "1", "1u"}))
	}
	if r.IntN(3) > 0 {
		b.Memory(pick(r, []string{"0", "1", "64Mi", "1.5Gi", "100m"}))
	}
	if r.IntN(4) == 0 {
		b.Request(pick(r, []v1.ResourceName{"example.com/gpu", "hugepages-2Mi", "kubernetes.io/x", "ephemeral-storage", "nonsense", "requests.x/y", "-bad-/name"}), "2")
	}
	if r.IntN(5) == 0 {
		b.Container("second", "db", mk.Resources("cpu", "200m"))
	}
	if r.IntN(5) == 0 {
		b.Init("init", mk.Resources("memory", "300Mi"))
	}
	if r.IntN(5) == 0 {
		b.Sidecar("side", mk.Resources("cpu", "50m", "example.com/gpu", "1"))
	}
	if r.IntN(6) == 0 {
		b.Overhead("cpu", "10m")
	}
	pod := b.Obj()
	if r.IntN(6) == 0 {
		pod.Spec.Resources = &v1.ResourceRequirements{Requests: mk.Resources(pick(r, []string{"cpu", "memory", "hugepages-2Mi"}), "700")}
	}
	if r.IntN(6) == 0 {
		pod.Status.ContainerStatuses = []v1.ContainerStatus{{
			Name: "main", AllocatedResources: mk.Resources("cpu", "2"),
			Resources: &v1.ResourceRequirements{Requests: mk.Resources("cpu", "3", "memory", "10Mi")},
		}}
		if r.IntN(2) == 0 {
			pod.Status.Conditions = []v1.PodCondition{{Type: v1.PodResizePending, Reason: v1.PodReasonInfeasible}}
		}
	}
}

func anyAffinity(r *rand.Rand) *v1.Affinity {
	term := v1.PodAffinityTerm{TopologyKey: "zone", LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "x"}}}
	if r.IntN(4) == 0 {
		term.Namespaces = []string{"other"}
	}
	if r.IntN(4) == 0 {
		term.NamespaceSelector = &metav1.LabelSelector{}
	}
	if r.IntN(6) == 0 {
		term.LabelSelector.MatchExpressions = []metav1.LabelSelectorRequirement{{Key: "k", Operator: "NoSuchOperator"}}
	}
	weighted := []v1.WeightedPodAffinityTerm{{Weight: 5, PodAffinityTerm: term}}
	switch r.IntN(6) {
	case 0:
		return &v1.Affinity{PodAffinity: &v1.PodAffinity{}}
	case 1:
		return &v1.Affinity{PodAffinity: &v1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{term}}}
	case 2:
		return &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{PreferredDuringSchedulingIgnoredDuringExecution: weighted}}
	case 3:
		return &v1.Affinity{NodeAffinity: &v1.NodeAffinity{}}
	case 4:
		return &v1.Affinity{
			PodAffinity:     &v1.PodAffinity{PreferredDuringSchedulingIgnoredDuringExecution: weighted},
			PodAntiAffinity: &v1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{term, term}},
		}
	}
	return &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{term}}}
}
