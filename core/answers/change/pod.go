package change

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/safe/printable"
)

func nameOf(pod *v1.Pod) types.NamespacedName {
	return types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}
}

// PriorityClassLookup returns a priority class; nil if there is none.
type PriorityClassLookup func(name string) *schedulingv1.PriorityClass

// AlterPod makes the change to a pod, which must be the caller's own copy. Comparisons is the feature gate
// TaintTolerationComparisonOperators.
func (c Change) AlterPod(pod *v1.Pod, classes PriorityClassLookup, profiles []string, comparisons bool) error {
	switch c.Verb {
	case SetRequests:
		return setRequests(pod, c.Requests)
	case SetPriority:
		return setPriority(pod, c.Value, classes)
	case SetProfile:
		if !slices.Contains(profiles, c.Value) {
			return fmt.Errorf("there is no profile %q: they are %s", printable.Line(c.Value, 80), strings.Join(profiles, ", "))
		}
		pod.Spec.SchedulerName = c.Value
	case Ungate:
		if len(pod.Spec.SchedulingGates) == 0 {
			return fmt.Errorf("pod %q has no scheduling gates", nameOf(pod))
		}
		pod.Spec.SchedulingGates = nil
	case Tolerate:
		t, err := parseToleration(c.Value)
		if err != nil {
			return err
		}
		if compares(t) && !comparisons {
			return errors.New("tolerations compare numbers only with the feature gate TaintTolerationComparisonOperators")
		}
		pod.Spec.Tolerations = append(pod.Spec.Tolerations, t)
	case Select:
		return c.selectNodes(pod)
	case Unselect:
		return unselect(pod, c.Value)
	case SetSpread:
		return c.spread(pod)
	}
	return nil
}

func setPriority(pod *v1.Pod, value string, classes PriorityClassLookup) error {
	policy := v1.PreemptLowerPriority
	n, err := strconv.ParseInt(value, 10, 32)
	priority := int32(n)
	pod.Spec.PriorityClassName = ""
	if err != nil {
		class := classes(value)
		if class == nil {
			return fmt.Errorf("there is no priority class %q, and it is not a number from -2147483648 to 2147483647", printable.Line(value, 80))
		}
		priority, pod.Spec.PriorityClassName = class.Value, class.Name
		if class.PreemptionPolicy != nil {
			policy = *class.PreemptionPolicy
		}
	}
	pod.Spec.Priority, pod.Spec.PreemptionPolicy = &priority, &policy
	return nil
}

// setRequests sets a pod's total requests: the first container requests the whole, the others nothing, and init
// containers at most as much. It removes limits of these resources. The pod's overhead is added to the total.
func setRequests(pod *v1.Pod, amounts []Request) error {
	if len(pod.Spec.Containers) == 0 {
		return fmt.Errorf("pod %q has no containers", nameOf(pod))
	}
	for _, a := range amounts {
		q, err := resource.ParseQuantity(a.Amount)
		if err != nil {
			return fmt.Errorf("%s=%s: %w", a.Resource, a.Amount, err)
		}
		for i := range pod.Spec.Containers {
			need := &pod.Spec.Containers[i].Resources
			delete(need.Limits, a.Resource)
			delete(need.Requests, a.Resource)
		}
		first := &pod.Spec.Containers[0].Resources
		if first.Requests == nil {
			first.Requests = v1.ResourceList{}
		}
		first.Requests[a.Resource] = q
		for i := range pod.Spec.InitContainers {
			limitInitContainer(&pod.Spec.InitContainers[i], a.Resource, q)
		}
		if whole := pod.Spec.Resources; whole != nil {
			delete(whole.Limits, a.Resource)
			if _, ok := whole.Requests[a.Resource]; ok {
				whole.Requests[a.Resource] = q
			}
		}
	}
	return nil
}

// limitInitContainer lowers an init container's request to the amount; a sidecar, which runs with the first container,
// requests nothing.
func limitInitContainer(c *v1.Container, name v1.ResourceName, most resource.Quantity) {
	delete(c.Resources.Limits, name)
	own, asks := c.Resources.Requests[name]
	switch {
	case c.RestartPolicy != nil && *c.RestartPolicy == v1.ContainerRestartPolicyAlways:
		delete(c.Resources.Requests, name)
	case asks && own.Cmp(most) > 0:
		c.Resources.Requests[name] = most
	}
}
