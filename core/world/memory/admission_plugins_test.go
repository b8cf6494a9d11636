package memory_test

import (
	"testing"

	v1 "k8s.io/api/core/v1"

	"orrery/core/testing/mk"
	"orrery/core/world/admission"
	"orrery/core/world/memory"
)

func TestAdmission_PluginsCanBeSwitchedOff(t *testing.T) {
	off := admission.Options{Disable: []string{"DefaultTolerationSeconds", "Priority", "TaintNodesByCondition"}}
	s := newScene(t, memory.Options{Admission: off})
	pod := create(s, mk.Pod("web").Obj())
	if len(pod.Spec.Tolerations) > 0 || pod.Spec.Priority != nil {
		t.Errorf("the pod has tolerations %v and priority %v, want neither", pod.Spec.Tolerations, pod.Spec.Priority)
	}
	if n := create(s, mk.Node("n1").Condition(v1.NodeReady, v1.ConditionFalse).Obj()); len(n.Spec.Taints) > 0 {
		t.Errorf("the node has taints %v, want none", n.Spec.Taints)
	}
	for _, o := range []admission.Options{{Enable: []string{"Prioritty"}}, {Enable: []string{"Priority"}, Disable: []string{"Priority"}}} {
		if err := o.Check(); err == nil {
			t.Errorf("%+v is no error", o)
		}
	}
}

// An update restores the tolerations that a writer leaves out.
func TestAdmission_UpdateAddsTolerations(t *testing.T) {
	s := newScene(t, memory.Options{})
	pod := create(s, mk.Pod("web").Obj()).DeepCopy()
	pod.Spec.Tolerations = nil
	updated, err := s.Update(pod)
	if err != nil {
		t.Fatal(err)
	}
	if got := tolerated(updated.(*v1.Pod)); got != "node.kubernetes.io/not-ready:NoExecute for 300s, node.kubernetes.io/unreachable:NoExecute for 300s" {
		t.Errorf("the pod tolerates %s", got)
	}
}
