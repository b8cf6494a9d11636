package main

import (
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
)

// fixture is an owner with a fake client.
type fixture struct {
	*testing.T
	client *fake.Clientset
	owner  *owner
}

func newFixture(t *testing.T, churn time.Duration) *fixture {
	client := fake.NewClientset()
	return &fixture{t, client, &owner{client: client, churn: churn}}
}

func (s *fixture) want(replicas int32) {
	s.Helper()
	set := workload("shop", "web", replicas, "1", "1Gi", func(*v1.PodSpec, map[string]string) {})
	set.UID = types.UID("web")
	sets := s.client.AppsV1().ReplicaSets("shop")
	if _, err := sets.Create(s.Context(), set, metav1.CreateOptions{}); err != nil {
		if _, err := sets.Update(s.Context(), set, metav1.UpdateOptions{}); err != nil {
			s.Fatal(err)
		}
	}
	s.owner.sync(s.Context())
}

func (s *fixture) pods() []v1.Pod {
	s.Helper()
	list, err := s.client.CoreV1().Pods("shop").List(s.Context(), metav1.ListOptions{})
	if err != nil {
		s.Fatal(err)
	}
	return list.Items
}

// start sets every pod to Running.
func (s *fixture) start() {
	s.Helper()
	for _, pod := range s.pods() {
		pod.Status.Phase = v1.PodRunning
		if _, err := s.client.CoreV1().Pods("shop").Update(s.Context(), &pod, metav1.UpdateOptions{}); err != nil {
			s.Fatal(err)
		}
	}
}

func TestOwner_CreatesMissingReplicas(t *testing.T) {
	s := newFixture(t, 0)
	for _, n := range []int32{3, 5, 5, 1, 0} {
		if s.want(n); len(s.pods()) != int(n) {
			t.Errorf("%d pods, want %d", len(s.pods()), n)
		}
	}
}

func TestOwner_LimitsPodsPerPass(t *testing.T) {
	s := newFixture(t, 0)
	s.want(atOnce + 1)
	if n := len(s.pods()); n != atOnce {
		t.Errorf("%d pods after one sync, want %d", n, atOnce)
	}
	s.owner.sync(t.Context())
	if n := len(s.pods()); n != atOnce+1 {
		t.Errorf("%d pods after two syncs, want %d", n, atOnce+1)
	}
}

func TestOwner_DeletesOnlyItsOwnPods(t *testing.T) {
	s := newFixture(t, 0)
	s.want(3)
	mine := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "mine"}}
	if _, err := s.client.CoreV1().Pods("shop").Create(t.Context(), mine, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := s.client.AppsV1().ReplicaSets("shop").Delete(t.Context(), "web", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	s.owner.sync(t.Context())
	if left := s.pods(); len(left) != 1 || left[0].Name != "mine" {
		t.Errorf("%d pods are left, want only the one without an owner", len(left))
	}
}

func TestOwner_ReplacesRunningPods(t *testing.T) {
	s := newFixture(t, time.Hour)
	s.want(4)
	s.owner.sync(t.Context())
	if n := len(s.pods()); n != 4 {
		t.Fatalf("%d pods, want 4: a pod that is not running yet is not replaced", n)
	}
	s.start()
	for range 2 { // within the interval of an hour
		s.owner.sync(t.Context())
	}
	var fresh int
	for _, pod := range s.pods() {
		if pod.Status.Phase != v1.PodRunning {
			fresh++
		}
	}
	if n := len(s.pods()); n != 4 || fresh != 1 {
		t.Errorf("%d pods of which %d are new, want 4 and 1", n, fresh)
	}
}

func TestWorkloads_RequestAboutTheRequestedPods(t *testing.T) {
	for _, n := range []int{1, 10, 400, 5000} {
		sum := 0
		for _, w := range workloads(n) {
			sum += int(*w.Spec.Replicas)
		}
		if sum > n+5 || sum < n-5 {
			t.Errorf("%d replicas for --pods %d", sum, n)
		}
	}
}
