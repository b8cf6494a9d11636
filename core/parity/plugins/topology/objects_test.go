package topology

import (
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"orrery/core/mk"
	"pgregory.net/rapid"
)

var (
	topologyKeys = []string{v1.LabelHostname, v1.LabelTopologyZone, v1.LabelTopologyRegion, "rack"}
	namespaces   = []string{"default", "other", "third"}
	podKeys      = []string{"app", "tier", "version"}
	podValues    = []string{"a", "b", ""}
	zoneValues   = []string{"a", "b", "c", ""}
)

func oneIn(t *rapid.T, n int, label string) bool { return rapid.IntRange(1, n).Draw(t, label) == n }

func pick[T any](t *rapid.T, from []T, label string) T {
	return from[rapid.IntRange(0, len(from)-1).Draw(t, label)]
}

func someNode(t *rapid.T, name string) *v1.Node {
	b := mk.Node(name)
	for _, key := range topologyKeys[1:] {
		if !oneIn(t, 5, "node lacks "+key) {
			b.Label(key, pick(t, zoneValues, key))
		}
	}
	if oneIn(t, 4, "node has a pool") {
		b.Label("pool", pick(t, podValues, "pool"))
	}
	if oneIn(t, 4, "node is tainted") {
		effect := pick(t, []v1.TaintEffect{v1.TaintEffectNoSchedule, v1.TaintEffectNoExecute, v1.TaintEffectPreferNoSchedule}, "effect")
		b.Taint("t", pick(t, []string{"a", "5"}, "taint value"), effect)
	}
	node := b.Obj()
	switch rapid.IntRange(0, 9).Draw(t, "hostname") {
	case 0:
		delete(node.Labels, v1.LabelHostname)
	case 1:
		node.Labels[v1.LabelHostname] = "shared"
	}
	return node
}

// somePod is a pod with labels and, now and then, affinity terms: what pods that run are asked about.
func somePod(t *rapid.T, name string) *v1.Pod {
	b := mk.Pod(name).Namespace(pick(t, namespaces, "namespace"))
	for _, key := range podKeys {
		if rapid.Bool().Draw(t, "pod has "+key) {
			b.Label(key, pick(t, podValues, key))
		}
	}
	if oneIn(t, 3, "pod has affinity") {
		b.Affinity(someAffinity(t))
	}
	if oneIn(t, 8, "pod is terminating") {
		b.Deleting(time.Unix(1, 0))
	}
	return b.Obj()
}

// someWaitingPod is a pod that is to be placed.
func someWaitingPod(t *rapid.T, name string) *v1.Pod {
	pod := somePod(t, name)
	pod.DeletionTimestamp = nil
	for range rapid.IntRange(0, 3).Draw(t, "constraints") {
		pod.Spec.TopologySpreadConstraints = append(pod.Spec.TopologySpreadConstraints, someConstraint(t))
	}
	if oneIn(t, 6, "pod selects nodes") {
		pod.Spec.NodeSelector = map[string]string{pick(t, []string{"pool", v1.LabelTopologyZone}, "selected key"): "a"}
	}
	if oneIn(t, 4, "pod requires nodes") {
		requireNodes(t, pod)
	}
	if oneIn(t, 3, "pod tolerates") {
		pod.Spec.Tolerations = []v1.Toleration{{
			Key: "t", Value: pick(t, []string{"a", "7"}, "tolerated value"),
			Operator: pick(t, []v1.TolerationOperator{v1.TolerationOpEqual, v1.TolerationOpExists, v1.TolerationOpLt, v1.TolerationOpGt}, "toleration operator"),
			Effect:   pick(t, []v1.TaintEffect{"", v1.TaintEffectNoSchedule}, "tolerated effect"),
		}}
	}
	if oneIn(t, 2, "pod is owned") {
		kind := pick(t, []string{"ReplicaSet", "StatefulSet", "ReplicationController", "Job"}, "owner")
		version := map[string]string{"ReplicaSet": "apps/v1", "StatefulSet": "apps/v1", "ReplicationController": "v1", "Job": "batch/v1"}[kind]
		pod.OwnerReferences = []metav1.OwnerReference{{
			APIVersion: pick(t, []string{version, version, version, "a/b/c"}, "owner version"), Kind: kind,
			Name: pick(t, []string{"o1", "o2"}, "owner name"), Controller: ptr.To(true),
		}}
	}
	return pod
}

func requireNodes(t *rapid.T, pod *v1.Pod) {
	operator := pick(t, []v1.NodeSelectorOperator{v1.NodeSelectorOpIn, v1.NodeSelectorOpNotIn, v1.NodeSelectorOpExists, "Bogus"}, "node operator")
	requirement := v1.NodeSelectorRequirement{Key: pick(t, topologyKeys, "required key"), Operator: operator}
	if operator != v1.NodeSelectorOpExists {
		requirement.Values = []string{pick(t, zoneValues, "required value")}
	}
	if pod.Spec.Affinity == nil {
		pod.Spec.Affinity = &v1.Affinity{}
	}
	pod.Spec.Affinity.NodeAffinity = &v1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{
		NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchExpressions: []v1.NodeSelectorRequirement{requirement}}},
	}}
}

func someConstraint(t *rapid.T) v1.TopologySpreadConstraint {
	policies := []*v1.NodeInclusionPolicy{nil, ptr.To(v1.NodeInclusionPolicyHonor), ptr.To(v1.NodeInclusionPolicyIgnore)}
	c := v1.TopologySpreadConstraint{
		MaxSkew:            int32(rapid.IntRange(1, 3).Draw(t, "max skew")),
		TopologyKey:        pick(t, topologyKeys, "topology key"),
		WhenUnsatisfiable:  pick(t, []v1.UnsatisfiableConstraintAction{v1.DoNotSchedule, v1.ScheduleAnyway}, "when unsatisfiable"),
		LabelSelector:      someSelector(t),
		NodeAffinityPolicy: pick(t, policies, "affinity policy"),
		NodeTaintsPolicy:   pick(t, policies, "taints policy"),
	}
	if oneIn(t, 3, "min domains") {
		c.MinDomains = ptr.To(int32(rapid.IntRange(1, 6).Draw(t, "domains")))
	}
	if oneIn(t, 3, "match label keys") {
		c.MatchLabelKeys = []string{pick(t, podKeys, "matched key"), "version"}
	}
	return c
}

func someSelector(t *rapid.T) *metav1.LabelSelector {
	switch rapid.IntRange(0, 9).Draw(t, "selector") {
	case 0:
		return nil
	case 1:
		return &metav1.LabelSelector{}
	case 2:
		return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{someRequirement(t), someRequirement(t)}}
	case 3, 4:
		return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{someRequirement(t)}}
	default:
		return &metav1.LabelSelector{MatchLabels: map[string]string{"app": pick(t, podValues, "selected value")}}
	}
}

func someRequirement(t *rapid.T) metav1.LabelSelectorRequirement {
	r := metav1.LabelSelectorRequirement{Key: pick(t, podKeys, "expression key")}
	switch rapid.IntRange(0, 20).Draw(t, "operator") {
	case 0:
		r.Operator = "Bogus"
	case 1, 2, 3, 4:
		r.Operator = metav1.LabelSelectorOpExists
	case 5, 6, 7, 8:
		r.Operator = metav1.LabelSelectorOpDoesNotExist
	case 9, 10, 11, 12:
		r.Operator, r.Values = metav1.LabelSelectorOpNotIn, []string{"a"}
	default:
		r.Operator, r.Values = metav1.LabelSelectorOpIn, []string{"a", "b"}
	}
	return r
}

func someAffinity(t *rapid.T) *v1.Affinity {
	a := &v1.Affinity{}
	if rapid.Bool().Draw(t, "pod affinity") {
		a.PodAffinity = &v1.PodAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution:  someTerms(t),
			PreferredDuringSchedulingIgnoredDuringExecution: someWeightedTerms(t),
		}
	}
	if rapid.Bool().Draw(t, "pod anti-affinity") {
		a.PodAntiAffinity = &v1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution:  someTerms(t),
			PreferredDuringSchedulingIgnoredDuringExecution: someWeightedTerms(t),
		}
	}
	return a
}

func someTerms(t *rapid.T) (terms []v1.PodAffinityTerm) {
	for range rapid.SampledFrom([]int{0, 0, 1, 1, 2}).Draw(t, "required terms") {
		terms = append(terms, someTerm(t))
	}
	return terms
}

func someWeightedTerms(t *rapid.T) (terms []v1.WeightedPodAffinityTerm) {
	for range rapid.SampledFrom([]int{0, 0, 1, 2}).Draw(t, "preferred terms") {
		terms = append(terms, v1.WeightedPodAffinityTerm{
			Weight: int32(rapid.SampledFrom([]int{1, 1, 5, 100}).Draw(t, "weight")), PodAffinityTerm: someTerm(t),
		})
	}
	return terms
}

func someTerm(t *rapid.T) v1.PodAffinityTerm {
	term := v1.PodAffinityTerm{TopologyKey: pick(t, topologyKeys, "term key"), LabelSelector: someSelector(t)}
	if oneIn(t, 4, "term names namespaces") {
		term.Namespaces = []string{pick(t, namespaces, "named namespace")}
	}
	switch rapid.IntRange(0, 11).Draw(t, "namespace selector") {
	case 0:
		term.NamespaceSelector = &metav1.LabelSelector{}
	case 1:
		term.NamespaceSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"team": "x"}}
	case 2:
		term.NamespaceSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
			{Key: "team", Operator: metav1.LabelSelectorOpNotIn, Values: []string{"x"}},
		}}
	}
	return term
}

// another is a copy of a waiting pod under a new name, as a controller makes them.
func another(pod *v1.Pod, number int) *v1.Pod {
	c := pod.DeepCopy()
	c.Name = fmt.Sprintf("p%d", number)
	c.UID = mk.Pod(c.Name).Namespace(c.Namespace).Obj().UID
	return c
}
