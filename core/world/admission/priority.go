package admission

import (
	v1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"

	"orrery/core/world"
)

// The built-in priority classes. Users' classes are half as high at most.
const (
	SystemNodeCritical    = "system-node-critical"
	SystemClusterCritical = "system-cluster-critical"
	SystemClusterPriority = int32(2_000_000_000)
	SystemNodePriority    = SystemClusterPriority + 1000
)

// resolvePriority gives a new pod the priority of its class, which it may state but not set. It is Priority.
func resolvePriority(r Reader, q *Request) error {
	pod := q.pod()
	switch {
	case pod == nil:
		return nil
	case q.Old != nil:
		KeepPriority(pod, q.Old.(*v1.Pod))
		return nil
	}
	class, err := classOf(r, q, pod)
	if err != nil {
		return err
	}
	if given := pod.Spec.Priority; given != nil && *given != class.Value {
		return q.forbidden("the integer value of priority (%d) must not be provided in pod spec; "+
			"priority admission controller computed %d from the given PriorityClass name", *given, class.Value)
	}
	pod.Spec.Priority = &class.Value
	if class.PreemptionPolicy == nil {
		return nil
	}
	if given := pod.Spec.PreemptionPolicy; given != nil && *given != *class.PreemptionPolicy {
		return q.forbidden("the string value of PreemptionPolicy (%s) must not be provided in pod spec; "+
			"priority admission controller computed %s from the given PriorityClass name", *given, *class.PreemptionPolicy)
	}
	pod.Spec.PreemptionPolicy = class.PreemptionPolicy
	return nil
}

// KeepPriority restores the values of admission if a writer omits them.
func KeepPriority(changed, old *v1.Pod) {
	if changed.Spec.Priority == nil {
		changed.Spec.Priority = old.Spec.Priority
	}
	if changed.Spec.PreemptionPolicy == nil {
		changed.Spec.PreemptionPolicy = old.Spec.PreemptionPolicy
	}
}

// classOf returns a copy of the class of a new pod, whose name it sets. Without a default class it is an unnamed one of
// priority 0.
func classOf(r Reader, q *Request, pod *v1.Pod) (*schedulingv1.PriorityClass, error) {
	if name := pod.Spec.PriorityClassName; name != "" {
		o, err := r.Get(world.PriorityClass, "", name)
		if err != nil {
			return nil, q.forbidden("no PriorityClass with name %v was found", name)
		}
		return o.(*schedulingv1.PriorityClass).DeepCopy(), nil
	}
	if class := defaultClass(r); class != nil {
		pod.Spec.PriorityClassName = class.Name
		return class.DeepCopy(), nil
	}
	policy := v1.PreemptLowerPriority
	return &schedulingv1.PriorityClass{PreemptionPolicy: &policy}, nil
}

// defaultClass is the lowest of the classes for pods without one; nil if there is none.
func defaultClass(r Reader) *schedulingv1.PriorityClass {
	var lowest *schedulingv1.PriorityClass
	for _, o := range r.List(world.PriorityClass) {
		if class := o.(*schedulingv1.PriorityClass); class.GlobalDefault && (lowest == nil || class.Value < lowest.Value) {
			lowest = class
		}
	}
	return lowest
}

// oneDefaultClass refuses a second default class.
func oneDefaultClass(r Reader, q *Request) error {
	class, is := q.Object.(*schedulingv1.PriorityClass)
	if !is || !class.GlobalDefault {
		return nil
	}
	if had := defaultClass(r); had != nil && (q.Old == nil || had.Name != class.Name) {
		return q.forbidden("PriorityClass %v is already marked as default. Only one default can exist", had.Name)
	}
	return nil
}
