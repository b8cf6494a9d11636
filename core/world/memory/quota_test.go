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
	"orrery/core/world/admission"
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

func TestQuota_OfDevicesAndForks(t *testing.T) {
	s := newScene(t, memory.Options{})
	s.limit(mk.Resources("count/pods", "1", "persistentvolumeclaims", "1", "gpu.deviceclass.resource.k8s.io/devices", "2"))
	twin := s.Fork()
	create(s, mk.ResourceClaim("c").Request("r", "gpu", 2).Obj())
	if _, err := s.Create(mk.ResourceClaim("d").Request("r", "gpu", 1).Obj()); !apierrors.IsForbidden(err) {
		t.Errorf("a claim for one more device: %v, want it to be forbidden", err)
	}
	if _, err := twin.Create(mk.ResourceClaim("d").Request("r", "gpu", 1).Obj()); err != nil {
		t.Errorf("the same claim in a fork from before: %v", err)
	}
}

// Shows SEL-03.
func TestNodeRestriction_LabelsOfOwnNode(t *testing.T) {
	const label = "example.com.node-restriction.kubernetes.io/fips"
	s := newScene(t, memory.Options{Admission: admission.Options{Enable: []string{"NodeRestriction"}}})
	n := create(s, node("n1")).DeepCopy()
	n.Labels = map[string]string{label: "true"}
	want := `nodes "n1" is forbidden: is not allowed to modify labels: ` + label
	if _, err := s.UpdateAs(admission.KubeletOf("n1"), n); err == nil || err.Error() != want {
		t.Errorf("its kubelet labels a node: %v, want %s", err, want)
	}
	want = `nodes "n1" is forbidden: node "n2" is not allowed to modify node "n1"`
	if _, err := s.UpdateAs(admission.KubeletOf("n2"), n); err == nil || err.Error() != want {
		t.Errorf("another kubelet labels a node: %v, want %s", err, want)
	}
	if _, err := s.Update(n); err != nil {
		t.Errorf("an administrator labels a node: %v", err)
	}
}

// Node ports and load balancers are charged when a service is created or gets another type, and are free when it loses it.
func TestQuota_NodePortsOfServices(t *testing.T) {
	s := newScene(t, memory.Options{})
	s.limit(mk.Resources("services.nodeports", "2", "services.loadbalancers", "0"))
	service := func(kind v1.ServiceType, ports ...int32) *v1.Service {
		o := &v1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"}, Spec: v1.ServiceSpec{Type: kind}}
		for _, port := range ports {
			o.Spec.Ports = append(o.Spec.Ports, v1.ServicePort{Name: fmt.Sprint("p", port), Port: port})
		}
		return o
	}
	for _, refused := range []*v1.Service{service(v1.ServiceTypeNodePort, 1, 2, 3), service(v1.ServiceTypeLoadBalancer, 1)} {
		if _, err := s.Create(refused); !apierrors.IsForbidden(err) {
			t.Errorf("%s with %d ports: %v, want it to be forbidden", refused.Spec.Type, len(refused.Spec.Ports), err)
		}
	}
	create(s, service(v1.ServiceTypeNodePort, 1, 2))
	if got := s.used("services.nodeports"); got != "2 true" {
		t.Errorf("used by two ports: %s", got)
	}
	if _, err := s.Update(service(v1.ServiceTypeClusterIP, 1, 2)); err != nil {
		t.Fatal(err)
	}
	s.pass(time.Second)
	if got := s.used("services.nodeports"); got != "0 true" {
		t.Errorf("used without node ports: %s", got)
	}
}
