package cycle

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	configv1 "k8s.io/kube-scheduler/config/v1"

	"orrery/core/parity/difftest"
	"orrery/core/testing/mk"
)

// A preemptor takes a node from a nominated pod, whose nomination is not cleared. Its victims are evicted, and it is tried again at once.
func TestScheduler_NominationIsNotCleared(t *testing.T) {
	bound := func(name string) *v1.Pod { return mk.Pod(name).Node("node").CPU("1").Priority(1).Obj() }
	for _, tc := range []struct {
		name  string
		bound []*v1.Pod
	}{
		{"one victim", []*v1.Pod{bound("a")}},
		{"several victims", []*v1.Pod{bound("a"), bound("b"), bound("c")}},
		{"victims that stay for a while", []*v1.Pod{bound("aa"), bound("bb")}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := &clusterCase{
				Config:    &configv1.KubeSchedulerConfiguration{TypeMeta: metav1.TypeMeta{APIVersion: configv1.SchemeGroupVersion.String(), Kind: "KubeSchedulerConfiguration"}},
				Nodes:     []*v1.Node{mk.Node("node").CPU("3").Obj()},
				Bound:     tc.bound,
				Nominated: []*v1.Pod{mk.Pod("nominated").CPU("100").NeverPreempt().Nominated("node").Obj()},
				Changes:   []clusterChange{{AddPod: mk.Pod("preemptor").CPU("3").Priority(10).Obj()}},
				Uncleared: []string{"nominated"},
			}
			seen := difftest.Coverage{}
			if mismatch := compareDecisions(t, c, seen); mismatch != "" {
				t.Fatal(mismatch)
			}
			if seen["nominations that are not cleared"] != 1 || seen["pods with preemption"] == 0 {
				t.Errorf("reached: %s", seen)
			}
		})
	}
}
