package podtopologyspread

import (
	"testing"

	v1 "k8s.io/api/core/v1"

	"orrery/core/testing/mk"
)

// The examples of the Kubernetes documentation, "Pod Topology Spread Constraints". Example 1 has nodes n1 and n2 in zoneA,
// n3 and n4 in zoneB, and pods foo=bar on n1, n2 and n3. Shows SPREAD-18, SPREAD-19, SPREAD-20, SPREAD-21, SPREAD-22, SPREAD-23,
// SPREAD-24, SPREAD-25, SPREAD-26, SPREAD-27, A-10 and C-11.
func TestFilter_DocumentationExamples(t *testing.T) {
	fourNodes, threePods := zoned("A", "A", "B", "B"), running("n1", "n2", "n3")
	conflict, fivePods := zoned("A", "A", "B"), running("n1", "n1", "n2", "n3", "n3")
	withC := zoned("A", "A", "B", "B", "C")
	notC := &v1.Affinity{NodeAffinity: &v1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{
		NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchExpressions: []v1.NodeSelectorRequirement{
			{Key: zone, Operator: v1.NodeSelectorOpNotIn, Values: []string{"C"}},
		}}},
	}}}
	typo := append(zoned("A", "A", "B", "B"), mk.Node("n5").Label("node", "n5").Label("zone-typo", "C").Obj())
	unlabelled := testPod(hard(zone, 1))
	unlabelled.Labels = nil
	avoidingC := testPod(hard(zone, 1))
	avoidingC.Spec.Affinity = notC
	selecting := testPod(hard(zone, 1))
	selecting.Spec.NodeSelector = map[string]string{"pool": "ab"}
	pooled := zoned("A", "A", "B", "B", "C")
	for _, node := range pooled[:4] {
		node.Labels["pool"] = "ab"
	}

	for _, example := range []struct {
		name  string
		nodes []*v1.Node
		pods  []*v1.Pod
		pod   *v1.Pod
		want  string
	}{
		{"1: one constraint on zones allows only zoneB", fourNodes, threePods, testPod(hard(zone, 1)), "n3 n4"},
		{"1: with maxSkew 2 zoneA is allowed too", fourNodes, threePods, testPod(hard(zone, 2)), "n1 n2 n3 n4"},
		{"1: a constraint on nodes allows only the empty one", fourNodes, threePods, testPod(hard(host, 1)), "n4"},
		{"1: ScheduleAnyway rejects nothing", fourNodes, threePods, testPod(soft(zone, 1)), "n1 n2 n3 n4"},
		{"2: constraints on zones and nodes allow only n4", fourNodes, threePods, testPod(hard(zone, 1), hard(host, 1)), "n4"},
		{"3: the constraint on zones allows only zoneB", conflict, fivePods, testPod(hard(zone, 1)), "n3"},
		{"3: the constraint on nodes allows only n2", conflict, fivePods, testPod(hard(host, 1)), "n2"},
		{"3: both conflict and the pod stays pending", conflict, fivePods, testPod(hard(zone, 1), hard(host, 1)), ""},
		{"3: a larger maxSkew resolves the conflict", conflict, fivePods, testPod(hard(zone, 2), hard(host, 1)), "n2"},
		{"3: ScheduleAnyway resolves the conflict", conflict, fivePods, testPod(soft(zone, 1), hard(host, 1)), "n2"},
		{"4: only the empty zoneC is allowed", withC, threePods, testPod(hard(zone, 1)), "n5"},
		{"4: node affinity excludes zoneC from the count", withC, threePods, avoidingC, "n3 n4 n5"},
		{"4: a nodeSelector excludes zoneC from the count", pooled, threePods, selecting, "n3 n4 n5"},
		{"a node with a misspelled key is rejected", typo, threePods, testPod(hard(zone, 1)), "n3 n4"},
		{"pods on a node without the key do not count", zoned("-", "A", "B"), fivePods, testPod(hard(zone, 1)), "n2"},
		{"a pod that does not match its own selector does not change the counts", fourNodes, threePods, unlabelled, "n1 n2 n3 n4"},
	} {
		t.Run(example.name, func(t *testing.T) {
			s := newFixture(t, example.nodes, example.pods)
			if got := s.FeasibleNodes(t, example.pod); got != example.want {
				t.Errorf("allowed nodes: %q, want %q", got, example.want)
			}
		})
	}
}
