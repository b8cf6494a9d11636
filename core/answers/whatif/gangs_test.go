package whatif_test

import (
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/answers/change"
	"orrery/core/answers/whatif"
	"orrery/core/scheduler/config"
	"orrery/core/testing/mk"
)

// deadlock is a cluster with room for four pods and two gangs of three. A quota held one pod of each back, so each has two places.
func deadlock(t *testing.T) *scene {
	t.Helper()
	features, err := config.ParseFeatureFlag("GenericWorkload=true", "GangScheduling=true")
	if err != nil {
		t.Fatal(err)
	}
	s := newSceneWith(t, config.Default(features), mk.Node("n").CPU("4").Memory("8Gi").Pods("20").Obj(),
		mk.Workload("train", mk.Gang("workers", 3)), mk.Workload("tune", mk.Gang("workers", 3)))
	s.create(gangJob("train", 2), gangJob("tune", 2))
	for _, gang := range []string{"train", "tune"} {
		last := mk.Pod(gang+"-last").CPU("1").InGroup(gang, "workers")
		last.Obj().Spec.SchedulingGates = []v1.PodSchedulingGate{{Name: "quota"}}
		s.create(last.Obj())
	}
	for _, gang := range []string{"train", "tune"} {
		last := s.cluster.Pod("default", gang+"-last").DeepCopy()
		last.Spec.SchedulingGates = nil
		if _, err := s.cluster.Update(last); err != nil {
			t.Fatal(err)
		}
	}
	s.pass(10 * time.Second)
	if n := s.engine.WaitingCount(); n != 4 {
		t.Fatalf("%d pods wait on Permit, want 4", n)
	}
	return s
}

func gangJob(name string, pods int32) *batchv1.Job {
	pod := mk.Pod(name).CPU("1").InGroup(name, "workers").Obj()
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
		Spec: batchv1.JobSpec{
			Parallelism: &pods, Completions: &pods,
			Template: v1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Annotations: pod.Annotations}, Spec: pod.Spec},
		},
	}
}

// When the first deadline passes one of the two goes, and the other waits on without an end: it is pending, and the run comes to rest.
func TestGangs_DeadlockAndWhatEndsIt(t *testing.T) {
	s := deadlock(t)
	for words, want := range map[string]struct{ placed, pending int }{
		"delete gang default/tune/workers": {3, 0},
		"add 1 nodes like n":               {6, 0},
		"mincount default/train/workers 1": {4, 2},
		"mincount default/train/workers 3": {3, 3},
	} {
		changes, err := change.ParseAll([]string{words})
		if err != nil {
			t.Fatal(err)
		}
		a, err := whatif.Evaluate(s.engine, changes, whatif.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if a.With.Placed != want.placed || a.With.Pending != want.pending || a.Without.Placed != 3 || a.Without.Pending != 3 || a.Truncated {
			t.Errorf("what if %s: want %+v of %+v", words, want, a)
		}
	}
}

func TestGangs_RefusedChanges(t *testing.T) {
	s := deadlock(t)
	for words, want := range map[string]string{
		"delete gang default/train/drivers": `there is no gang "default/train/drivers" with pods`,
		"mincount default/lost/workers 2":   `there is no workload "lost" in namespace "default"`,
		"mincount default/train/drivers 2":  `workload "train" has no gang "drivers"`,
	} {
		changes, err := change.ParseAll([]string{words})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := whatif.Evaluate(s.engine, changes, whatif.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("what if %s: %v, want %q", words, err, want)
		}
	}
}
