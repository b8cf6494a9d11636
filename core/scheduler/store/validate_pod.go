package store

import (
	"fmt"
	"strconv"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validate/content"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/scheduler/release"
)

func validatePod(pod *v1.Pod) *fieldError {
	if f := validateSpec(&pod.Spec); f != nil {
		return f
	}
	status := &pod.Status
	if f := validateRequirements(status.Resources); f != nil {
		return f.below("status.resources")
	}
	if f := validateQuantities(status.AllocatedResources); f != nil {
		return f.below("status.allocatedResources")
	}
	if f := validateStatuses("status.initContainerStatuses", status.InitContainerStatuses); f != nil {
		return f
	}
	return validateStatuses("status.containerStatuses", status.ContainerStatuses)
}

func validateSpec(spec *v1.PodSpec) *fieldError {
	if f := validateContainers("spec.initContainers", spec.InitContainers); f != nil {
		return f
	}
	if f := validateContainers("spec.containers", spec.Containers); f != nil {
		return f
	}
	if f := validateQuantities(spec.Overhead); f != nil {
		return f.below("spec.overhead")
	}
	if f := validateRequirements(spec.Resources); f != nil {
		return f.below("spec.resources")
	}
	if f := validateTolerations(spec.Tolerations); f != nil {
		return f.below("spec")
	}
	if f := validateSpreadConstraints(spec.TopologySpreadConstraints); f != nil {
		return f.below("spec")
	}
	return validateAffinity(spec.Affinity).below("spec.affinity")
}

func validateContainers(field string, containers []v1.Container) *fieldError {
	for i := range containers {
		c := &containers[i]
		if f := validateRequirements(&c.Resources); f != nil {
			return f.below("%s[%d].resources", field, i)
		}
		for j := range c.Ports {
			if port := c.Ports[j].HostPort; port < 0 || port > 65535 {
				return (&fieldError{"hostPort", fmt.Sprintf("is %d, and a port is between 0 and 65535", port)}).
					below("%s[%d].ports[%d]", field, i, j)
			}
		}
	}
	return nil
}

func validateStatuses(field string, statuses []v1.ContainerStatus) *fieldError {
	for i := range statuses {
		if f := validateRequirements(statuses[i].Resources); f != nil {
			return f.below("%s[%d].resources", field, i)
		}
		if f := validateQuantities(statuses[i].AllocatedResources); f != nil {
			return f.below("%s[%d].allocatedResources", field, i)
		}
	}
	return nil
}

func validateRequirements(r *v1.ResourceRequirements) *fieldError {
	if r == nil {
		return nil
	}
	if f := validateQuantities(r.Requests); f != nil {
		return f.below("requests")
	}
	return nil
}

func validateTolerations(tolerations []v1.Toleration) *fieldError {
	for i := range tolerations {
		switch op := tolerations[i].Operator; op {
		case "", v1.TolerationOpEqual, v1.TolerationOpExists:
		case v1.TolerationOpLt, v1.TolerationOpGt: // whatever the gate: without it they match no taint
			if !isWholeNumber(tolerations[i].Value) {
				return (&fieldError{"value", "is not a whole number, which the operator " + string(op) + " needs"}).below("tolerations[%d]", i)
			}
		default:
			return unknownValue("operator", string(op)).below("tolerations[%d]", i)
		}
		if effect := tolerations[i].Effect; effect != "" && !isTaintEffect(effect) {
			return unknownValue("effect", string(effect)).below("tolerations[%d]", i)
		}
	}
	return nil
}

// isWholeNumber reports whether the API takes a text as a number to compare with: an int64, without leading zeros or a plus.
func isWholeNumber(text string) bool {
	_, err := strconv.ParseInt(text, 10, 64)
	return err == nil && len(content.IsDecimalInteger(text)) == 0
}

func validateSpreadConstraints(constraints []v1.TopologySpreadConstraint) *fieldError {
	for i := range constraints {
		if f := validateSpreadConstraint(&constraints[i]); f != nil {
			return f.below("topologySpreadConstraints[%d]", i)
		}
	}
	return nil
}

func validateSpreadConstraint(c *v1.TopologySpreadConstraint) *fieldError {
	switch {
	case c.MaxSkew < 1:
		return &fieldError{"maxSkew", fmt.Sprintf("is %d, and must be at least 1", c.MaxSkew)}
	case c.MinDomains != nil && *c.MinDomains < 1:
		return &fieldError{"minDomains", fmt.Sprintf("is %d, and must be at least 1", *c.MinDomains)}
	case c.WhenUnsatisfiable != v1.DoNotSchedule && c.WhenUnsatisfiable != v1.ScheduleAnyway:
		return unknownValue("whenUnsatisfiable", string(c.WhenUnsatisfiable))
	}
	if f := validateLabelSelector(c.LabelSelector); f != nil {
		return f.below("labelSelector")
	}
	return nil
}

func validateAffinity(a *v1.Affinity) *fieldError {
	if a == nil {
		return nil
	}
	if f := validateNodeAffinity(a.NodeAffinity); f != nil {
		return f.below("nodeAffinity")
	}
	if in := a.PodAffinity; in != nil {
		f := validatePodTerms(in.RequiredDuringSchedulingIgnoredDuringExecution, in.PreferredDuringSchedulingIgnoredDuringExecution)
		if f != nil {
			return f.below("podAffinity")
		}
	}
	if anti := a.PodAntiAffinity; anti != nil {
		f := validatePodTerms(anti.RequiredDuringSchedulingIgnoredDuringExecution, anti.PreferredDuringSchedulingIgnoredDuringExecution)
		if f != nil {
			return f.below("podAntiAffinity")
		}
	}
	return nil
}

const (
	requiredField  = "requiredDuringSchedulingIgnoredDuringExecution"
	preferredField = "preferredDuringSchedulingIgnoredDuringExecution"
)

func validatePodTerms(required []v1.PodAffinityTerm, preferred []v1.WeightedPodAffinityTerm) *fieldError {
	for i := range required {
		if f := validatePodTerm(&required[i]); f != nil {
			return f.below(requiredField+"[%d]", i)
		}
	}
	for i := range preferred {
		if f := validateWeight(preferred[i].Weight); f != nil {
			return f.below(preferredField+"[%d]", i)
		}
		if f := validatePodTerm(&preferred[i].PodAffinityTerm); f != nil {
			return f.below(preferredField+"[%d].podAffinityTerm", i)
		}
	}
	return nil
}

func validatePodTerm(term *v1.PodAffinityTerm) *fieldError {
	if f := validateLabelSelector(term.LabelSelector); f != nil {
		return f.below("labelSelector")
	}
	return validateLabelSelector(term.NamespaceSelector).below("namespaceSelector")
}

func validateNodeAffinity(a *v1.NodeAffinity) *fieldError {
	if a == nil {
		return nil
	}
	if required := a.RequiredDuringSchedulingIgnoredDuringExecution; required != nil {
		for i := range required.NodeSelectorTerms {
			if f := validateNodeTerm(&required.NodeSelectorTerms[i]); f != nil {
				return f.below(requiredField+".nodeSelectorTerms[%d]", i)
			}
		}
	}
	for i := range a.PreferredDuringSchedulingIgnoredDuringExecution {
		term := &a.PreferredDuringSchedulingIgnoredDuringExecution[i]
		if f := validateWeight(term.Weight); f != nil {
			return f.below(preferredField+"[%d]", i)
		}
		if f := validateNodeTerm(&term.Preference); f != nil {
			return f.below(preferredField+"[%d].preference", i)
		}
	}
	return nil
}

func validateNodeTerm(term *v1.NodeSelectorTerm) *fieldError {
	for i := range term.MatchExpressions {
		if f := validateNodeOperator(term.MatchExpressions[i].Operator); f != nil {
			return f.below("matchExpressions[%d]", i)
		}
	}
	for i := range term.MatchFields {
		if f := validateNodeOperator(term.MatchFields[i].Operator); f != nil {
			return f.below("matchFields[%d]", i)
		}
	}
	return nil
}

func validateNodeOperator(op v1.NodeSelectorOperator) *fieldError {
	switch op {
	case v1.NodeSelectorOpIn, v1.NodeSelectorOpNotIn, v1.NodeSelectorOpExists, v1.NodeSelectorOpDoesNotExist,
		v1.NodeSelectorOpGt, v1.NodeSelectorOpLt:
		return nil
	}
	return unknownValue("operator", string(op))
}

func validateLabelSelector(s *metav1.LabelSelector) *fieldError {
	if s == nil {
		return nil
	}
	for i := range s.MatchExpressions {
		switch op := s.MatchExpressions[i].Operator; op {
		case metav1.LabelSelectorOpIn, metav1.LabelSelectorOpNotIn, metav1.LabelSelectorOpExists, metav1.LabelSelectorOpDoesNotExist:
		default:
			return unknownValue("operator", string(op)).below("matchExpressions[%d]", i)
		}
	}
	return nil
}

// validateWeight lets 0 pass, which plugins skip.
func validateWeight(weight int32) *fieldError {
	if weight < 0 || weight > 100 {
		return &fieldError{"weight", fmt.Sprintf("is %d, and a weight is at most 100 and not negative", weight)}
	}
	return nil
}

func unknownValue(field, value string) *fieldError {
	return &fieldError{field, "is " + quoted(value) + ", which Kubernetes " + release.Newest.String() + " does not know"}
}
