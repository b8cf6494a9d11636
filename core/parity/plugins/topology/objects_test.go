package topology

import (
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"orrery/core/parity/difftest"
	"orrery/core/testing/mk"
)

var (
	topologyKeys = []string{v1.LabelHostname, v1.LabelTopologyZone, v1.LabelTopologyRegion, "rack"}
	namespaces   = []string{"default", "other", "third"}
	podKeys      = []string{"app", "tier", "version"}
	podValues    = []string{"a", "b", ""}
	zoneValues   = []string{"a", "b", "c", ""}
)

func pick[T any](t *difftest.Source, from []T) T { return difftest.Pick(t, from...) }

func someNode(t *difftest.Source, name string) *v1.Node {
	b := mk.Node(name)
	for _, key := range topologyKeys[1:] {
		if !t.OneIn(5) {
			b.Label(key, pick(t, zoneValues))
		}
	}
	if t.OneIn(4) {
		b.Label("pool", pick(t, podValues))
	}
	if t.OneIn(4) {
		effect := pick(t, []v1.TaintEffect{v1.TaintEffectNoSchedule, v1.TaintEffectNoExecute, v1.TaintEffectPreferNoSchedule})
		b.Taint("t", pick(t, []string{"a", "5"}), effect)
	}
	node := b.Obj()
	switch t.Range(0, 9) {
	case 0:
		delete(node.Labels, v1.LabelHostname)
	case 1:
		node.Labels[v1.LabelHostname] = "shared"
	}
	return node
}

// somePod draws an assigned pod, with labels and sometimes affinity terms.
func somePod(t *difftest.Source, name string) *v1.Pod {
	b := mk.Pod(name).Namespace(pick(t, namespaces))
	for _, key := range podKeys {
		if t.Bool() {
			b.Label(key, pick(t, podValues))
		}
	}
	if t.OneIn(3) {
		b.Affinity(someAffinity(t))
	}
	if t.OneIn(8) {
		b.Deleting(time.Unix(1, 0))
	}
	return b.Obj()
}

// someWaitingPod draws a pending pod.
func someWaitingPod(t *difftest.Source, name string) *v1.Pod {
	pod := somePod(t, name)
	pod.DeletionTimestamp = nil
	for range t.Range(0, 3) {
		pod.Spec.TopologySpreadConstraints = append(pod.Spec.TopologySpreadConstraints, someConstraint(t))
	}
	if t.OneIn(6) {
		pod.Spec.NodeSelector = map[string]string{pick(t, []string{"pool", v1.LabelTopologyZone}): "a"}
	}
	if t.OneIn(4) {
		requireNodes(t, pod)
	}
	if t.OneIn(3) {
		pod.Spec.Tolerations = []v1.Toleration{{
			Key: "t", Value: pick(t, []string{"a", "7"}),
			Operator: pick(t, []v1.TolerationOperator{v1.TolerationOpEqual, v1.TolerationOpExists, v1.TolerationOpLt, v1.TolerationOpGt}),
			Effect:   pick(t, []v1.TaintEffect{"", v1.TaintEffectNoSchedule}),
		}}
		if op := pod.Spec.Tolerations[0].Operator; op == v1.TolerationOpLt || op == v1.TolerationOpGt {
			pod.Spec.Tolerations[0].Value = "7" // no API server admits anything but a number
		}
	}
	if t.OneIn(2) {
		kind := pick(t, []string{"ReplicaSet", "StatefulSet", "ReplicationController", "Job"})
		version := map[string]string{"ReplicaSet": "apps/v1", "StatefulSet": "apps/v1", "ReplicationController": "v1", "Job": "batch/v1"}[kind]
		pod.OwnerReferences = []metav1.OwnerReference{{
			APIVersion: pick(t, []string{version, version, version, "a/b/c"}), Kind: kind,
			Name: pick(t, []string{"o1", "o2"}), Controller: ptr.To(true),
		}}
	}
	return pod
}

func requireNodes(t *difftest.Source, pod *v1.Pod) {
	operator := pick(t, []v1.NodeSelectorOperator{v1.NodeSelectorOpIn, v1.NodeSelectorOpNotIn, v1.NodeSelectorOpExists, "Bogus"})
	requirement := v1.NodeSelectorRequirement{Key: pick(t, topologyKeys), Operator: operator}
	if operator != v1.NodeSelectorOpExists {
		requirement.Values = []string{pick(t, zoneValues)}
	}
	if pod.Spec.Affinity == nil {
		pod.Spec.Affinity = &v1.Affinity{}
	}
	pod.Spec.Affinity.NodeAffinity = &v1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{
		NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchExpressions: []v1.NodeSelectorRequirement{requirement}}},
	}}
}

func someConstraint(t *difftest.Source) v1.TopologySpreadConstraint {
	policies := []*v1.NodeInclusionPolicy{nil, ptr.To(v1.NodeInclusionPolicyHonor), ptr.To(v1.NodeInclusionPolicyIgnore)}
	c := v1.TopologySpreadConstraint{
		MaxSkew:            int32(t.Range(1, 3)),
		TopologyKey:        pick(t, topologyKeys),
		WhenUnsatisfiable:  pick(t, []v1.UnsatisfiableConstraintAction{v1.DoNotSchedule, v1.ScheduleAnyway}),
		LabelSelector:      someSelector(t),
		NodeAffinityPolicy: pick(t, policies),
		NodeTaintsPolicy:   pick(t, policies),
	}
	if t.OneIn(3) {
		c.MinDomains = ptr.To(int32(t.Range(1, 6)))
	}
	if t.OneIn(3) {
		c.MatchLabelKeys = []string{pick(t, podKeys), "version"}
	}
	return c
}

func someSelector(t *difftest.Source) *metav1.LabelSelector {
	switch t.Range(0, 9) {
	case 0:
		return nil
	case 1:
		return &metav1.LabelSelector{}
	case 2:
		return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{someRequirement(t), someRequirement(t)}}
	case 3, 4:
		return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{someRequirement(t)}}
	default:
		return &metav1.LabelSelector{MatchLabels: map[string]string{"app": pick(t, podValues)}}
	}
}

func someRequirement(t *difftest.Source) metav1.LabelSelectorRequirement {
	r := metav1.LabelSelectorRequirement{Key: pick(t, podKeys)}
	switch t.Range(0, 20) {
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

func someAffinity(t *difftest.Source) *v1.Affinity {
	a := &v1.Affinity{}
	if t.Bool() {
		a.PodAffinity = &v1.PodAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution:  someTerms(t),
			PreferredDuringSchedulingIgnoredDuringExecution: someWeightedTerms(t),
		}
	}
	if t.Bool() {
		a.PodAntiAffinity = &v1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution:  someTerms(t),
			PreferredDuringSchedulingIgnoredDuringExecution: someWeightedTerms(t),
		}
	}
	return a
}

func someTerms(t *difftest.Source) (terms []v1.PodAffinityTerm) {
	for range difftest.Pick(t, 0, 0, 1, 1, 2) {
		terms = append(terms, someTerm(t))
	}
	return terms
}

func someWeightedTerms(t *difftest.Source) (terms []v1.WeightedPodAffinityTerm) {
	for range difftest.Pick(t, 0, 0, 1, 2) {
		terms = append(terms, v1.WeightedPodAffinityTerm{
			Weight: int32(difftest.Pick(t, 1, 1, 5, 100)), PodAffinityTerm: someTerm(t),
		})
	}
	return terms
}

func someTerm(t *difftest.Source) v1.PodAffinityTerm {
	term := v1.PodAffinityTerm{TopologyKey: pick(t, topologyKeys), LabelSelector: someSelector(t)}
	if t.OneIn(4) {
		term.Namespaces = []string{pick(t, namespaces)}
	}
	switch t.Range(0, 11) {
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

// another returns a copy of a pending pod under a new name, as a controller creates it.
func another(pod *v1.Pod, number int) *v1.Pod {
	c := pod.DeepCopy()
	c.Name = fmt.Sprintf("p%d", number)
	c.UID = mk.Pod(c.Name).Namespace(c.Namespace).Obj().UID
	return c
}
