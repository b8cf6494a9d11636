package store

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func podFault(pod *v1.Pod) *fault {
	spec, status := &pod.Spec, &pod.Status
	if f := containersFault("spec.initContainers", spec.InitContainers); f != nil {
		return f
	}
	if f := containersFault("spec.containers", spec.Containers); f != nil {
		return f
	}
	if f := quantityFault(spec.Overhead, boundedAmount); f != nil {
		return f.at("spec.overhead")
	}
	if f := requirementsFault(spec.Resources); f != nil {
		return f.at("spec.resources")
	}
	if f := tolerationsFault(spec.Tolerations); f != nil {
		return f.at("spec")
	}
	if f := spreadFault(spec.TopologySpreadConstraints); f != nil {
		return f.at("spec")
	}
	if f := affinityFault(spec.Affinity); f != nil {
		return f.at("spec.affinity")
	}
	if f := requirementsFault(status.Resources); f != nil {
		return f.at("status.resources")
	}
	if f := quantityFault(status.AllocatedResources, boundedAmount); f != nil {
		return f.at("status.allocatedResources")
	}
	if f := statusesFault("status.initContainerStatuses", status.InitContainerStatuses); f != nil {
		return f
	}
	return statusesFault("status.containerStatuses", status.ContainerStatuses)
}

func containersFault(field string, containers []v1.Container) *fault {
	for i := range containers {
		c := &containers[i]
		if f := requirementsFault(&c.Resources); f != nil {
			return f.at("%s[%d].resources", field, i)
		}
		for j := range c.Ports {
			if port := c.Ports[j].HostPort; port < 0 || port > 65535 {
				return (&fault{"hostPort", fmt.Sprintf("is %d, and a port is between 0 and 65535", port)}).
					at("%s[%d].ports[%d]", field, i, j)
			}
		}
	}
	return nil
}

func statusesFault(field string, statuses []v1.ContainerStatus) *fault {
	for i := range statuses {
		if f := requirementsFault(statuses[i].Resources); f != nil {
			return f.at("%s[%d].resources", field, i)
		}
		if f := quantityFault(statuses[i].AllocatedResources, boundedAmount); f != nil {
			return f.at("%s[%d].allocatedResources", field, i)
		}
	}
	return nil
}

func requirementsFault(r *v1.ResourceRequirements) *fault {
	if r == nil {
		return nil
	}
	if f := quantityFault(r.Requests, boundedAmount); f != nil {
		return f.at("requests")
	}
	return nil
}

func tolerationsFault(tolerations []v1.Toleration) *fault {
	for i := range tolerations {
		switch op := tolerations[i].Operator; op {
		case "", v1.TolerationOpEqual, v1.TolerationOpExists, v1.TolerationOpLt, v1.TolerationOpGt:
		default:
			return unknownValue("operator", string(op)).at("tolerations[%d]", i)
		}
		if effect := tolerations[i].Effect; effect != "" && !isTaintEffect(effect) {
			return unknownValue("effect", string(effect)).at("tolerations[%d]", i)
		}
	}
	return nil
}

func spreadFault(constraints []v1.TopologySpreadConstraint) *fault {
	for i := range constraints {
		if f := constraintFault(&constraints[i]); f != nil {
			return f.at("topologySpreadConstraints[%d]", i)
		}
	}
	return nil
}

func constraintFault(c *v1.TopologySpreadConstraint) *fault {
	switch {
	case c.MaxSkew < 1:
		return &fault{"maxSkew", fmt.Sprintf("is %d, and must be at least 1", c.MaxSkew)}
	case c.MinDomains != nil && *c.MinDomains < 1:
		return &fault{"minDomains", fmt.Sprintf("is %d, and must be at least 1", *c.MinDomains)}
	case c.WhenUnsatisfiable != v1.DoNotSchedule && c.WhenUnsatisfiable != v1.ScheduleAnyway:
		return unknownValue("whenUnsatisfiable", string(c.WhenUnsatisfiable))
	}
	if f := labelSelectorFault(c.LabelSelector); f != nil {
		return f.at("labelSelector")
	}
	return nil
}

func affinityFault(a *v1.Affinity) *fault {
	if a == nil {
		return nil
	}
	if f := nodeAffinityFault(a.NodeAffinity); f != nil {
		return f.at("nodeAffinity")
	}
	if in := a.PodAffinity; in != nil {
		f := podTermsFault(in.RequiredDuringSchedulingIgnoredDuringExecution, in.PreferredDuringSchedulingIgnoredDuringExecution)
		if f != nil {
			return f.at("podAffinity")
		}
	}
	if anti := a.PodAntiAffinity; anti != nil {
		f := podTermsFault(anti.RequiredDuringSchedulingIgnoredDuringExecution, anti.PreferredDuringSchedulingIgnoredDuringExecution)
		if f != nil {
			return f.at("podAntiAffinity")
		}
	}
	return nil
}

const (
	requiredField  = "requiredDuringSchedulingIgnoredDuringExecution"
	preferredField = "preferredDuringSchedulingIgnoredDuringExecution"
)

func podTermsFault(required []v1.PodAffinityTerm, preferred []v1.WeightedPodAffinityTerm) *fault {
	for i := range required {
		if f := podTermFault(&required[i]); f != nil {
			return f.at(requiredField+"[%d]", i)
		}
	}
	for i := range preferred {
		if f := weightFault(preferred[i].Weight); f != nil {
			return f.at(preferredField+"[%d]", i)
		}
		if f := podTermFault(&preferred[i].PodAffinityTerm); f != nil {
			return f.at(preferredField+"[%d].podAffinityTerm", i)
		}
	}
	return nil
}

func podTermFault(term *v1.PodAffinityTerm) *fault {
	if f := labelSelectorFault(term.LabelSelector); f != nil {
		return f.at("labelSelector")
	}
	return labelSelectorFault(term.NamespaceSelector).at("namespaceSelector")
}

func nodeAffinityFault(a *v1.NodeAffinity) *fault {
	if a == nil {
		return nil
	}
	if required := a.RequiredDuringSchedulingIgnoredDuringExecution; required != nil {
		for i := range required.NodeSelectorTerms {
			if f := nodeTermFault(&required.NodeSelectorTerms[i]); f != nil {
				return f.at(requiredField+".nodeSelectorTerms[%d]", i)
			}
		}
	}
	for i := range a.PreferredDuringSchedulingIgnoredDuringExecution {
		term := &a.PreferredDuringSchedulingIgnoredDuringExecution[i]
		if f := weightFault(term.Weight); f != nil {
			return f.at(preferredField+"[%d]", i)
		}
		if f := nodeTermFault(&term.Preference); f != nil {
			return f.at(preferredField+"[%d].preference", i)
		}
	}
	return nil
}

func nodeTermFault(term *v1.NodeSelectorTerm) *fault {
	for i := range term.MatchExpressions {
		if f := nodeOperatorFault(term.MatchExpressions[i].Operator); f != nil {
			return f.at("matchExpressions[%d]", i)
		}
	}
	for i := range term.MatchFields {
		if f := nodeOperatorFault(term.MatchFields[i].Operator); f != nil {
			return f.at("matchFields[%d]", i)
		}
	}
	return nil
}

func nodeOperatorFault(op v1.NodeSelectorOperator) *fault {
	switch op {
	case v1.NodeSelectorOpIn, v1.NodeSelectorOpNotIn, v1.NodeSelectorOpExists, v1.NodeSelectorOpDoesNotExist,
		v1.NodeSelectorOpGt, v1.NodeSelectorOpLt:
		return nil
	}
	return unknownValue("operator", string(op))
}

func labelSelectorFault(s *metav1.LabelSelector) *fault {
	if s == nil {
		return nil
	}
	for i := range s.MatchExpressions {
		switch op := s.MatchExpressions[i].Operator; op {
		case metav1.LabelSelectorOpIn, metav1.LabelSelectorOpNotIn, metav1.LabelSelectorOpExists, metav1.LabelSelectorOpDoesNotExist:
		default:
			return unknownValue("operator", string(op)).at("matchExpressions[%d]", i)
		}
	}
	return nil
}

// weightFault lets 0 pass, which plugins skip.
func weightFault(weight int32) *fault {
	if weight < 0 || weight > 100 {
		return &fault{"weight", fmt.Sprintf("is %d, and a weight is at most 100 and not negative", weight)}
	}
	return nil
}

func unknownValue(field, value string) *fault {
	return &fault{field, "is " + show(value) + ", which Kubernetes 1.35 does not know"}
}
