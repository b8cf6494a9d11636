package diagnose_test

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	schedulingv1alpha1 "k8s.io/api/scheduling/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/diagnose"
	"orrery/core/mk"
	"orrery/core/world"
)

// Two pods of a gang of three have a place, and wait for the third.
func TestPod_WaitsForItsGang(t *testing.T) {
	member := func(name string) *v1.Pod {
		pod := mk.Pod(name).CPU("1").Obj()
		pod.Spec.WorkloadRef = &v1.WorkloadReference{Name: "train", PodGroup: "workers", PodGroupReplicaKey: "0"}
		return pod
	}
	gang := &schedulingv1alpha1.Workload{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "train"}, Spec: schedulingv1alpha1.WorkloadSpec{
		PodGroups: []schedulingv1alpha1.PodGroup{{Name: "workers", Policy: schedulingv1alpha1.PodGroupPolicy{Gang: &schedulingv1alpha1.GangSchedulingPolicy{MinCount: 3}}}},
	}}
	e := engineWithGates(t, "GenericWorkload=true GangScheduling=true", mk.Node("n").CPU("2").Pods("10").Obj(), gang, member("a"), member("b"), member("c"))
	for more := true; more; {
		_, more = e.Step()
	}
	waits := "waits for its gang train/workers/0 until 2026-03-01T06:05:00Z: of at least 3 pods 2 have a place, and c has none"
	for name, want := range map[string]string{"a": waits, "b": waits, "c": ""} {
		d, err := diagnose.Pod(e, world.PodRefOf(member(name)))
		if err != nil {
			t.Fatal(err)
		}
		if d.Waiting != want {
			t.Errorf("pod %s: %q, want %q", name, d.Waiting, want)
		}
	}
}
