package live_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/parity/apiserver"
	"orrery/core/process/replica"
)

func threeNodes() []*v1.Node {
	return []*v1.Node{
		apiserver.Node(0, "8", "16Gi", "110"), apiserver.Node(1, "8", "16Gi", "110"), apiserver.Node(2, "8", "16Gi", "110"),
	}
}

// Shows NODE-02, NODE-07 and NODE-12.
func TestScheduling_BindsAndEmitsEvents(t *testing.T) {
	s := newFixture(t, threeNodes()...)
	r := s.start(nil)
	s.pods(50, "web", "100m")
	byNode := s.bound(50)
	for node, n := range byNode {
		if n < 16 || n > 17 {
			t.Errorf("%s has %d of 50 pods", node, n)
		}
	}
	for _, pod := range s.list() {
		i := slices.IndexFunc(pod.Status.Conditions, func(c v1.PodCondition) bool { return c.Type == v1.PodScheduled })
		if i < 0 || pod.Status.Conditions[i].Status != v1.ConditionTrue {
			t.Errorf("%s is bound with the conditions %v", pod.Name, pod.Status.Conditions)
		}
	}
	s.eventually(func() error { return s.checkEvents("Scheduled", 50) })
	s.checkCache(r)
}

// checkEvents checks that n pods have an event of a reason.
func (s *fixture) checkEvents(reason string, n int) error {
	list, err := s.client.EventsV1().Events(metav1.NamespaceDefault).List(s.ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	count := 0
	for _, e := range list.Items {
		if e.Reason != reason || e.ReportingController != s.name {
			continue
		}
		count++
		unexpected := e.Type != v1.EventTypeNormal || e.Action != "Binding" || e.Regarding.Kind != "Pod" ||
			!strings.HasPrefix(e.Note, "Successfully assigned default/"+e.Regarding.Name+" to node-") ||
			!strings.HasPrefix(e.ReportingInstance, s.name+"-") || e.Regarding.UID == ""
		if unexpected {
			return fmt.Errorf("an event differs from kube-scheduler's: %+v", e)
		}
	}
	if count != n {
		return fmt.Errorf("%d pods have the event %s, want %d", count, reason, n)
	}
	return nil
}

func TestScheduling_UnschedulablePodGetsNewNode(t *testing.T) {
	s := newFixture(t, threeNodes()...)
	s.start(nil)
	s.pods(1, "big", "64")
	s.eventually(func() error {
		c := s.list()[0].Status.Conditions
		if len(c) != 1 || c[0].Reason != v1.PodReasonUnschedulable || c[0].LastTransitionTime.IsZero() {
			return fmt.Errorf("conditions: %v", c)
		}
		const want = "0/3 nodes are available: 3 Insufficient cpu."
		if !strings.HasPrefix(c[0].Message, want) {
			return fmt.Errorf("message: %s", c[0].Message)
		}
		return nil
	})
	newFixture(t, apiserver.Node(9, "128", "16Gi", "110"))
	if diff := cmp.Diff(map[string]int{"node-9": 1}, s.bound(1)); diff != "" {
		t.Error(diff)
	}
}

func TestScheduling_Preempts(t *testing.T) {
	s := newFixture(t, apiserver.Node(0, "2", "16Gi", "110"))
	go func() { _ = apiserver.Kubelet(s.ctx, s.client) }()
	s.start(nil)
	s.pods(4, "low", "500m")
	s.bound(4)
	pod := apiserver.Pod("high", "1", "16Mi")
	pod.Spec.SchedulerName, pod.Spec.PriorityClassName = s.name, "system-cluster-critical"
	if _, err := s.client.CoreV1().Pods(pod.Namespace).Create(s.ctx, pod, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	s.eventually(func() error {
		pod, err := s.client.CoreV1().Pods(pod.Namespace).Get(s.ctx, pod.Name, metav1.GetOptions{})
		if err == nil && pod.Spec.NodeName == "" {
			err = errors.New("the preemptor has no node")
		}
		return err
	})
	if left := len(s.list()); left != 3 {
		t.Errorf("%d pods are left, want 3", left)
	}
}

// Shows LEAD-02 and LEAD-34.
func TestScheduling_LeaderHandover(t *testing.T) {
	s := newFixture(t, threeNodes()...)
	first := s.start(nil)
	s.eventually(func() error { return leads(first, true) })
	second := s.start(nil)
	s.pods(10, "one", "10m")
	s.bound(10)
	if second.Leading() {
		t.Error("two lead")
	}
	first.stop()
	if err := <-first.ended; err != nil {
		t.Errorf("the first stopped with: %v", err)
	}
	first.ended <- nil
	released := time.Now()
	s.eventually(func() error { return leads(second, true) })
	if took := time.Since(released); took > longLease/2 {
		t.Errorf("the second took over after %s although the lease was released", took)
	}
	s.pods(10, "two", "10m")
	s.bound(20)
}

func leads(r *running, want bool) error {
	if got := r.Leading(); got != want {
		return fmt.Errorf("leads: %v, want %v", got, want)
	}
	return nil
}

// Shows LEAD-27.
func TestScheduling_StopsWhenLeaseIsLost(t *testing.T) {
	s := newFixture(t, threeNodes()...)
	s.leaseDuration = s.shortLease()
	r := s.start(nil)
	s.eventually(func() error { return leads(r, true) })
	leases := s.client.CoordinationV1().Leases(metav1.NamespaceSystem)
	thief := "another-holder"
	s.eventually(func() error {
		lease, err := leases.Get(s.ctx, s.name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		lease.Spec.HolderIdentity = &thief
		_, err = leases.Update(s.ctx, lease, metav1.UpdateOptions{})
		return err
	})
	select {
	case err := <-r.ended:
		if !errors.Is(err, replica.ErrLostLease) {
			t.Errorf("it stopped with: %v", err)
		}
		r.ended <- nil
	case <-time.After(patience):
		t.Fatal("it does not stop")
	}
	if r.Leading() {
		t.Error("it still reports that it leads")
	}
	lease, err := leases.Get(context.Background(), s.name, metav1.GetOptions{})
	if err != nil || *lease.Spec.HolderIdentity != thief {
		t.Errorf("the other holder's lease was changed: %v, %v", lease.Spec, err)
	}
}
