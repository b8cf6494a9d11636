package memory_test

import (
	"fmt"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// limit creates a quota of the default namespace, and gives its controller the time to count.
func (s *scene) limit(hard v1.ResourceList) {
	create(s, &v1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "limits"}, Spec: v1.ResourceQuotaSpec{Hard: hard}})
	s.pass(time.Second)
}

// used is what the quota says is used.
func (s *scene) used(name v1.ResourceName) string {
	o, err := s.Get(memory.ResourceQuota, "default", "limits")
	if err != nil {
		s.t.Fatal(err)
	}
	q, counted := o.(*v1.ResourceQuota).Status.Used[name]
	return fmt.Sprint(q.String(), " ", counted)
}

func TestQuota_StatusFollowsPods(t *testing.T) {
	s := newScene(t, memory.Options{})
	create(s, node("n1"))
	create(s, mk.Pod("before").CPU("1").Obj())
	s.limit(mk.Resources("requests.cpu", "3"))
	if got := s.used("requests.cpu"); got != "1 true" {
		t.Fatalf("used after the first count: %s, want 1", got)
	}
	create(s, mk.Pod("running").CPU("2").Node("n1").Obj())
	if got := s.used("requests.cpu"); got != "3 true" {
		t.Errorf("used with the second pod: %s, want 3", got)
	}
	want := `pods "more" is forbidden: exceeded quota: limits, requested: requests.cpu=1, used: requests.cpu=3, limited: requests.cpu=3`
	if _, err := s.Create(mk.Pod("more").CPU("1").Obj()); err == nil || err.Error() != want {
		t.Errorf("a third pod: %v, want %s", err, want)
	}
	if err := s.Delete(world.Pod, "default", "before", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	s.pass(time.Second)
	if got := s.used("requests.cpu"); got != "2 true" {
		t.Errorf("used after a deletion: %s, want 2", got)
	}
	running := s.Pod("default", "running").DeepCopy()
	running.Status.Phase = v1.PodFailed
	if _, err := s.UpdateStatus(running); err != nil {
		t.Fatal(err)
	}
	s.pass(time.Second)
	if got := s.used("requests.cpu"); got != "0 true" {
		t.Errorf("used after a pod has failed: %s, want 0", got)
	}
}

// A pod on a node that is gone for good stays Terminating. It counts until the controller looks at all quotas.
func TestQuota_StuckPodIsForgotten(t *testing.T) {
	s := newScene(t, memory.Options{})
	create(s, node("n1"))
	create(s, mk.Pod("stuck").CPU("1").Node("n1").Obj())
	s.limit(mk.Resources("pods", "1"))
	if err := s.LoseNode("n1"); err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(world.Pod, "default", "stuck", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	s.pass(2 * time.Minute)
	if _, err := s.Create(mk.Pod("next").Obj()); !apierrors.IsForbidden(err) {
		t.Errorf("two minutes later: %v, want it to be forbidden", err)
	}
	s.pass(4 * time.Minute)
	create(s, mk.Pod("next").Obj())
}

func TestQuota_OfForks(t *testing.T) {
	s := newScene(t, memory.Options{})
	s.limit(mk.Resources("count/pods", "1"))
	twin := s.Fork()
	create(s, mk.Pod("a").Obj())
	if _, err := s.Create(mk.Pod("b").Obj()); !apierrors.IsForbidden(err) {
		t.Errorf("a second pod: %v, want it to be forbidden", err)
	}
	if _, err := twin.Create(mk.Pod("b").Obj()); err != nil {
		t.Errorf("the same pod in a fork from before: %v", err)
	}
}

// An API server would refuse such a quota. Its scope selects nothing, so that nothing is created under it, and nothing breaks.
func TestQuota_ScopeWithoutOperator(t *testing.T) {
	s := newScene(t, memory.Options{})
	q := &v1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "limits"}, Spec: v1.ResourceQuotaSpec{
		Hard:          mk.Resources("pods", "1"),
		ScopeSelector: &v1.ScopeSelector{MatchExpressions: []v1.ScopedResourceSelectorRequirement{{ScopeName: v1.ResourceQuotaScopePriorityClass, Operator: "Like"}}},
	}}
	create(s, q)
	s.pass(time.Minute)
	if _, err := s.Create(mk.Pod("a").Obj()); err == nil {
		t.Error("a pod is created under a quota whose scope has no meaning")
	}
}
