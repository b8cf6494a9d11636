package memory_test

import (
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

func slowToStop(*v1.Pod) memory.PodBehavior { return memory.PodBehavior{Stop: 20 * time.Second} }

func TestDelete_GracePeriod(t *testing.T) {
	s := newScene(t, memory.Options{Kinds: []world.Kind{world.Pod}, PodBehavior: slowToStop})
	create(s, node("n1"))
	victim := create(s, mk.Pod("victim").Node("n1").Obj())
	s.wants(time.Minute, `
		0s listed Pod: victim
		0s modified pod victim Running on n1 PodScheduled=True Ready=True`)
	s.do(world.PatchStatus{Pod: world.PodRefOf(victim), Condition: &v1.PodCondition{
		Type: v1.DisruptionTarget, Status: v1.ConditionTrue, Reason: "PreemptionByScheduler",
	}})
	s.do(world.Delete{Pod: world.PodRefOf(victim)})
	s.wants(time.Minute, `
		1m0s modified pod victim Running on n1 PodScheduled=True Ready=True DisruptionTarget=True/PreemptionByScheduler
		1m0s effect 1 ended well
		1m0s modified pod victim Running on n1 PodScheduled=True Ready=True DisruptionTarget=True/PreemptionByScheduler deleting in 30s
		1m0s effect 2 ended well
		1m20s deleted pod victim Running on n1 PodScheduled=True Ready=True DisruptionTarget=True/PreemptionByScheduler deleting in 30s`)
	s.do(world.Delete{Pod: world.PodRefOf(victim)})
	s.wants(time.Minute, `2m0.01s effect 3 failed: NotFound: pods "victim" not found`)
}

func TestDelete_Duration(t *testing.T) {
	for _, tc := range []struct {
		name   string
		pod    *mk.PodBuilder
		delete func(s *scene)
		want   time.Duration
	}{
		{"a pod stops within its grace period, however slow it is", mk.Pod("web").Node("n1"), func(s *scene) {
			_ = s.Delete(world.Pod, "default", "web", graceOf(7))
		}, 7 * time.Second},
		{"a second deletion can shorten it", mk.Pod("web").Node("n1"), func(s *scene) {
			s.mustDelete(world.Pod, "web")
			s.After(3*time.Second, func(c *memory.Cluster) {
				_ = c.Delete(world.Pod, "default", "web", graceOf(5))
			})
		}, 8 * time.Second},
		{"a second deletion cannot lengthen it", mk.Pod("web").Node("n1"), func(s *scene) {
			_ = s.Delete(world.Pod, "default", "web", graceOf(7))
			s.After(time.Second, func(c *memory.Cluster) {
				_ = c.Delete(world.Pod, "default", "web", graceOf(60))
			})
		}, 7 * time.Second},
		{"a grace period of zero is no grace", mk.Pod("web").Node("n1"), func(s *scene) {
			_ = s.Delete(world.Pod, "default", "web", graceOf(0))
		}, 0},
		{"a negative grace period is one second", mk.Pod("web").Node("n1"), func(s *scene) {
			_ = s.Delete(world.Pod, "default", "web", graceOf(-1))
		}, time.Second},
		{"a pod that is not bound goes at once", mk.Pod("web"), func(s *scene) {
			s.mustDelete(world.Pod, "web")
		}, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newScene(t, memory.Options{Kinds: []world.Kind{world.Pod}, PodBehavior: slowToStop})
			create(s, node("n1"))
			create(s, tc.pod.Obj())
			s.pass(time.Minute)
			began := s.Now()
			tc.delete(s)
			for _, in := range s.Advance(time.Hour) {
				if e := in.Event.(world.Changed); e.Op == world.Deleted {
					if got := in.At.Sub(began); got != tc.want {
						t.Errorf("it took %v, want %v", got, tc.want)
					}
					return
				}
			}
			t.Error("the pod was never gone")
		})
	}
}

func TestDelete_Finalizer(t *testing.T) {
	s := newScene(t, memory.Options{Kinds: []world.Kind{world.Pod}})
	pod := mk.Pod("web").Obj()
	pod.Finalizers = []string{"example.com/hold"}
	create(s, pod)
	s.pass(time.Second)
	s.mustDelete(world.Pod, "web")
	s.wants(time.Minute, `1s modified pod web Pending deleting in 0s`)
	free := s.Pod("default", "web").DeepCopy()
	free.Finalizers = nil
	if _, err := s.Update(free); err != nil {
		t.Fatalf("removing the finalizer: %v", err)
	}
	s.wants(time.Minute, `
		1m1s modified pod web Pending deleting in 0s
		1m1s deleted pod web Pending deleting in 0s`)
}

func TestDelete_Preconditions(t *testing.T) {
	s := newScene(t, memory.Options{})
	create(s, mk.Pod("web").Obj())
	other := "other"
	err := s.Delete(world.Pod, "default", "web", metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(other)})
	if !apierrors.IsConflict(err) {
		t.Errorf("deleting with another UID gave %v, want a conflict", err)
	}
	err = s.Delete(world.Pod, "default", "web", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{ResourceVersion: &other}})
	if !apierrors.IsConflict(err) {
		t.Errorf("deleting with another version gave %v, want a conflict", err)
	}
	if err = s.Delete(world.Namespace, "", "default", metav1.DeleteOptions{}); !apierrors.IsConflict(err) {
		t.Errorf("deleting a namespace in use gave %v, want a conflict", err)
	}
}

func TestDelete_FinalizerAfterContainers(t *testing.T) {
	s := newScene(t, memory.Options{Kinds: []world.Kind{world.Pod}})
	create(s, node("n1"))
	pod := mk.Pod("web").CPU("3").Node("n1").Obj()
	pod.Finalizers = []string{"example.com/hold"}
	create(s, pod)
	s.pass(time.Second)
	s.mustDelete(world.Pod, "web")
	s.wants(time.Minute, `
		1s modified pod web Running on n1 PodScheduled=True Ready=True deleting in 30s
		2s modified pod web Failed on n1 PodScheduled=True Ready=True deleting in 0s`)
	t.Log("its resources are free")
	create(s, mk.Pod("next").CPU("3").Obj())
	s.bind("next", "n1")
	s.pass(time.Second)
	if got := s.Pod("default", "next").Status.Phase; got != v1.PodRunning {
		t.Errorf("the next pod is %s, want it running", got)
	}
}
