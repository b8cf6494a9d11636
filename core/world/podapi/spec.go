package podapi

import (
	"math"

	v1 "k8s.io/api/core/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"orrery/core/world/deviceapi"
)

// spec checks a pod's spec, in the order of the API server's errors.
func (o Options) spec(s *v1.PodSpec, path *field.Path) field.ErrorList {
	var wrong field.ErrorList
	wrong = append(wrong, containers(s, path)...)
	wrong = append(wrong, podResources(s, path.Child("resources"))...)
	wrong = append(wrong, hostNetwork(s, path.Child("containers"))...)
	wrong = append(wrong, restartPolicy(s.RestartPolicy, path.Child("restartPolicy"))...)
	wrong = append(wrong, metav1validation.ValidateLabels(s.NodeSelector, path.Child("nodeSelector"))...)
	wrong = append(wrong, affinity(s.Affinity, path.Child("affinity"))...)
	wrong = append(wrong, gates(s.SchedulingGates, path.Child("schedulingGates"))...)
	wrong = append(wrong, spread(s.TopologySpreadConstraints, path.Child("topologySpreadConstraints"))...)
	if s.NodeName != "" {
		wrong = append(wrong, subdomain(s.NodeName, path.Child("nodeName"))...)
	}
	if n := s.ActiveDeadlineSeconds; n != nil && (*n < 1 || *n > math.MaxInt32) {
		wrong = append(wrong, field.Invalid(path.Child("activeDeadlineSeconds"), *n, validation.InclusiveRangeError(1, math.MaxInt32)))
	}
	wrong = append(wrong, o.Tolerations(s.Tolerations, path.Child("tolerations"))...)
	wrong = append(wrong, classNames(s, path)...)
	if s.PreemptionPolicy != nil {
		wrong = append(wrong, PreemptionPolicy(*s.PreemptionPolicy, path.Child("preemptionPolicy"))...)
	}
	wrong = append(wrong, Overhead(s.Overhead, path.Child("overhead"))...)
	if s.WorkloadRef != nil {
		wrong = append(wrong, workloadRef(s.WorkloadRef, path.Child("workloadRef"))...)
	}
	return wrong
}

func subdomain(name string, path *field.Path) field.ErrorList {
	return deviceapi.Invalid(path, name, validation.IsDNS1123Subdomain(name))
}

func label(name string, path *field.Path) field.ErrorList {
	return deviceapi.Invalid(path, name, validation.IsDNS1123Label(name))
}

func restartPolicy(policy v1.RestartPolicy, path *field.Path) field.ErrorList {
	return oneOf(policy, path, v1.RestartPolicyAlways, v1.RestartPolicyOnFailure, v1.RestartPolicyNever)
}

// PreemptionPolicy checks the policy of a pod or of a priority class.
func PreemptionPolicy(policy v1.PreemptionPolicy, path *field.Path) field.ErrorList {
	return oneOf(policy, path, v1.PreemptLowerPriority, v1.PreemptNever)
}

// oneOf checks that a value is given and known.
func oneOf[T ~string](value T, path *field.Path, known ...T) field.ErrorList {
	if value == "" {
		return field.ErrorList{field.Required(path, "")}
	}
	for _, one := range known {
		if one == value {
			return nil
		}
	}
	return field.ErrorList{field.NotSupported(path, value, known)}
}

// gates checks the names of scheduling gates, of which none comes twice.
func gates(list []v1.PodSchedulingGate, path *field.Path) field.ErrorList {
	var wrong field.ErrorList
	seen := map[string]bool{}
	for i, gate := range list {
		wrong = append(wrong, deviceapi.Invalid(path.Index(i), gate.Name, validation.IsQualifiedName(gate.Name))...)
		if seen[gate.Name] {
			wrong = append(wrong, field.Duplicate(path.Index(i), gate.Name))
		}
		seen[gate.Name] = true
	}
	return wrong
}

// classNames checks the names of the priority class and of the runtime class.
func classNames(s *v1.PodSpec, path *field.Path) field.ErrorList {
	var wrong field.ErrorList
	if s.PriorityClassName != "" {
		wrong = append(wrong, subdomain(s.PriorityClassName, path.Child("priorityClassName"))...)
	}
	if s.RuntimeClassName != nil {
		wrong = append(wrong, subdomain(*s.RuntimeClassName, path.Child("runtimeClassName"))...)
	}
	return wrong
}

// workloadRef checks a reference to a group of pods by the rules for the names of workloads and groups.
func workloadRef(ref *v1.WorkloadReference, path *field.Path) field.ErrorList {
	wrong := subdomain(ref.Name, path.Child("name"))
	wrong = append(wrong, label(ref.PodGroup, path.Child("podGroup"))...)
	if ref.PodGroupReplicaKey != "" {
		wrong = append(wrong, label(ref.PodGroupReplicaKey, path.Child("podGroupReplicaKey"))...)
	}
	return wrong
}
