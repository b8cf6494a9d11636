package memory

import (
	"fmt"
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"orrery/core/podapi"
	"orrery/core/world"
)

// admitPod completes or rejects a new pod in the order of the API server: defaults, the plugins that change pods, derived
// fields, validation.
func (c *Cluster) admitPod(pod *v1.Pod) error {
	podapi.Default(pod)
	defaultSpreads(pod)
	c.defaultFromLimitRanges(pod)
	if err := c.admitPriority(pod); err != nil {
		return err
	}
	addNodeProblemTolerations(pod)
	if err := c.admitRuntimeClass(pod); err != nil {
		return err
	}
	if pod.Spec.NodeName != "" {
		pod.Labels = c.withTopology(pod.Labels, pod.Spec.NodeName)
	}
	if podapi.QOS(pod) != v1.PodQOSBestEffort {
		addToleration(pod, v1.Toleration{
			Key: v1.TaintNodeMemoryPressure, Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoSchedule,
		})
	}
	podapi.Prepare(pod, c.timestamp())
	return invalidUnless(world.Pod, pod, c.podRules().Create(pod))
}

// podRules are the gates that decide which pods are valid.
func (c *Cluster) podRules() podapi.Options {
	return podapi.Options{ComparisonOperators: c.options.ComparisonOperators}
}

// admitPodUpdate is admitPod for an update.
func (c *Cluster) admitPodUpdate(changed, old *v1.Pod) error {
	podapi.Default(changed)
	defaultSpreads(changed)
	keepPriority(changed, old)
	return invalidUnless(world.Pod, changed, c.podRules().Update(changed, old))
}

func invalidPod(pod *v1.Pod, wrong ...*field.Error) error {
	return apierrors.NewInvalid(groupKind(world.Pod), pod.Name, wrong)
}

func forbiddenPod(pod *v1.Pod, format string, args ...any) error {
	return apierrors.NewForbidden(groupResource(world.Pod), pod.Name, fmt.Errorf(format, args...))
}

// admitPriority resolves the priority class. A priority in the pod must equal the resolved one.
func (c *Cluster) admitPriority(pod *v1.Pod) error {
	var value int32
	policy := preemptLower()
	if name := pod.Spec.PriorityClassName; name != "" {
		class, _ := c.objects[world.PriorityClass][types.NamespacedName{Name: name}].(*schedulingv1.PriorityClass)
		if class == nil {
			return forbiddenPod(pod, "no PriorityClass with name %v was found", name)
		}
		value, policy = class.Value, class.PreemptionPolicy
	} else if class := c.defaultPriorityClass(); class != nil {
		pod.Spec.PriorityClassName, value, policy = class.Name, class.Value, class.PreemptionPolicy
	}
	if given := pod.Spec.Priority; given != nil && *given != value {
		return forbiddenPod(pod, "the integer value of priority (%d) must not be provided in pod spec; "+
			"priority admission controller computed %d from the given PriorityClass name", *given, value)
	}
	pod.Spec.Priority = &value
	if policy == nil {
		return nil
	}
	if given := pod.Spec.PreemptionPolicy; given != nil && *given != *policy {
		return forbiddenPod(pod, "the string value of PreemptionPolicy (%s) must not be provided in pod spec; "+
			"priority admission controller computed %s from the given PriorityClass name", *given, *policy)
	}
	own := *policy
	pod.Spec.PreemptionPolicy = &own
	return nil
}

// nodeProblemSeconds is how long a pod stays on a node that is not ready or unreachable, without tolerations of its
// own.
const nodeProblemSeconds = 300

func addNodeProblemTolerations(pod *v1.Pod) {
	for _, key := range []string{v1.TaintNodeNotReady, v1.TaintNodeUnreachable} {
		said := slices.ContainsFunc(pod.Spec.Tolerations, func(t v1.Toleration) bool {
			return (t.Key == key || t.Key == "") && (t.Effect == v1.TaintEffectNoExecute || t.Effect == "")
		})
		if said {
			continue
		}
		seconds := int64(nodeProblemSeconds)
		pod.Spec.Tolerations = append(pod.Spec.Tolerations, v1.Toleration{
			Key: key, Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoExecute, TolerationSeconds: &seconds,
		})
	}
}

// addToleration adds a toleration unless the pod has it.
func addToleration(pod *v1.Pod, t v1.Toleration) {
	has := slices.ContainsFunc(pod.Spec.Tolerations, func(had v1.Toleration) bool {
		return equality.Semantic.DeepEqual(had, t)
	})
	if !has {
		pod.Spec.Tolerations = append(pod.Spec.Tolerations, t)
	}
}

// admitRuntimeClass adds the overhead and scheduling constraints of the pod's runtime class.
func (c *Cluster) admitRuntimeClass(pod *v1.Pod) error {
	var class *nodev1.RuntimeClass
	if name := pod.Spec.RuntimeClassName; name != nil {
		class, _ = c.objects[world.RuntimeClass][types.NamespacedName{Name: *name}].(*nodev1.RuntimeClass)
		if class == nil {
			return forbiddenPod(pod, "pod rejected: RuntimeClass %q not found", *name)
		}
	}
	if class == nil || class.Overhead == nil {
		if pod.Spec.Overhead != nil {
			return forbiddenPod(pod,
				"pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead")
		}
	} else {
		if len(pod.Spec.Overhead) > 0 && !equality.Semantic.DeepEqual(pod.Spec.Overhead, class.Overhead.PodFixed) {
			return forbiddenPod(pod, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead")
		}
		pod.Spec.Overhead = class.Overhead.PodFixed.DeepCopy()
	}
	if class == nil || class.Scheduling == nil {
		return nil
	}
	return mergeRuntimeScheduling(pod, class.Scheduling)
}

func mergeRuntimeScheduling(pod *v1.Pod, s *nodev1.Scheduling) error {
	if pod.Spec.NodeSelector == nil && len(s.NodeSelector) > 0 {
		pod.Spec.NodeSelector = map[string]string{}
	}
	for _, key := range slices.Sorted(maps.Keys(s.NodeSelector)) {
		value := s.NodeSelector[key]
		if own, ok := pod.Spec.NodeSelector[key]; ok && own != value {
			return forbiddenPod(pod, "conflict: runtimeClass.scheduling.nodeSelector[%s] = %s; "+
				"pod.spec.nodeSelector[%s] = %s", key, value, key, own)
		}
		pod.Spec.NodeSelector[key] = value
	}
	for i := range s.Tolerations {
		addToleration(pod, *s.Tolerations[i].DeepCopy())
	}
	return nil
}
