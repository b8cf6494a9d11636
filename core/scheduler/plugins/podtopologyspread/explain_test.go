package podtopologyspread

import (
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
)

func TestExplain(t *testing.T) {
	for _, tc := range []struct {
		name  string
		nodes []*v1.Node
		pods  []*v1.Pod
		pod   *v1.Pod
		want  string
	}{
		{
			"the domains that may have one more", zoned("east", "west", "north"), running("n1", "n2"), testPod(hard(zone, 1)),
			`spread-skew on n1 n2: are in topology.kubernetes.io/zone east, west, which have as many of its pods as maxSkew 1 allows | wants: topology.kubernetes.io/zone=north by spread with maxSkew 1 | hint: would fit on 2 nodes with maxSkew 2 over topology.kubernetes.io/zone, or ScheduleAnyway`,
		},
		{
			"nodes without the label", zoned("east", "-"), nil, testPod(hard(zone, 1)),
			`spread-label-missing on n2: has no label topology.kubernetes.io/zone, over which it must spread | wants: the label topology.kubernetes.io/zone by spread | hint: would fit on 1 node with the label topology.kubernetes.io/zone, or ScheduleAnyway`,
		},
		{
			"no node has the label", zoned("-"), nil, testPod(hard(zone, 1)),
			`spread-label-missing on n1: has no label topology.kubernetes.io/zone, over which it must spread | sentence: it must spread over topology.kubernetes.io/zone, and no node has that label | wants: the label topology.kubernetes.io/zone by spread | hint: would fit on 1 node with the label topology.kubernetes.io/zone, or ScheduleAnyway`,
		},
		{
			"label and skew", zoned("east", "west", "-"), running("n1"), testPod(hard(zone, 1)),
			`spread-label-missing on n3: has no label topology.kubernetes.io/zone, over which it must spread | wants: topology.kubernetes.io/zone=west by spread with maxSkew 1 | hint: would fit on 1 node with the label topology.kubernetes.io/zone, or ScheduleAnyway
			spread-skew on n1: is in topology.kubernetes.io/zone east, which has as many of its pods as maxSkew 1 allows | wants: topology.kubernetes.io/zone=west by spread with maxSkew 1 | hint: would fit on 1 node with maxSkew 2 over topology.kubernetes.io/zone, or ScheduleAnyway`,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got, want := newFixture(t, tc.nodes, tc.pods).Fixture.Explain(t, tc.pod), strings.ReplaceAll(tc.want, "\t", ""); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// A zone whose nodes all have a taint counts, and no pod can go there: nodeTaintsPolicy would leave it out.
func TestExplain_TaintedDomainCounts(t *testing.T) {
	nodes := zoned("east", "west")
	nodes[1].Spec.Taints = []v1.Taint{{Key: v1.TaintNodeUnreachable, Effect: v1.TaintEffectNoSchedule}}
	s := newFixture(t, nodes, running("n1"))
	state, _ := s.RunPreFilter(t, testPod(hard(zone, 1)))
	internal, err := readPreFilterState(state)
	if err != nil {
		t.Fatal(err)
	}
	all, err := s.NodeInfos().List()
	if err != nil {
		t.Fatal(err)
	}
	if got := internal.tainted(0, &internal.rules(all)[0], all); !slices.Equal(got, []string{"west"}) {
		t.Errorf("tainted domains %q, want west", got)
	}
}
