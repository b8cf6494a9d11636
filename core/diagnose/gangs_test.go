package diagnose_test

import (
	"testing"

	v1 "k8s.io/api/core/v1"

	"orrery/core/diagnose"
	"orrery/core/mk"
	"orrery/core/world"
)

// Two pods of a gang of three have a place, and wait for the third.
func TestPod_WaitsForItsGang(t *testing.T) {
	member := func(name string) *v1.Pod {
		pod := mk.Pod(name).CPU("1").InGroup("train", "workers").Obj()
		pod.Spec.WorkloadRef.PodGroupReplicaKey = "0"
		return pod
	}
	gang := mk.Workload("train", mk.Gang("workers", 3))
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
