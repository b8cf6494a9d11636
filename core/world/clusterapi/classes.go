package clusterapi

import (
	"fmt"
	"strings"

	v1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"orrery/core/world/podapi"
)

// The built-in priority classes, and the highest value of a user's class.
const (
	SystemNodeCritical     = "system-node-critical"
	SystemClusterCritical  = "system-cluster-critical"
	highestUserPriority    = int32(1_000_000_000)
	SystemClusterPriority  = 2 * highestUserPriority
	SystemNodePriority     = SystemClusterPriority + 1000
	reservedPriorityPrefix = "system-"
)

func priorityClass(c *schedulingv1.PriorityClass) field.ErrorList {
	wrong := podapi.Meta(&c.ObjectMeta, false, validation.NameIsDNSSubdomain)
	if strings.HasPrefix(c.Name, reservedPriorityPrefix) {
		if why := unlikeSystem(c); why != "" {
			wrong = append(wrong, field.Forbidden(field.NewPath("metadata", "name"),
				"priority class names with 'system-' prefix are reserved for system use only. error: "+why))
		}
	} else if c.Value > highestUserPriority {
		wrong = append(wrong, field.Forbidden(field.NewPath("value"), fmt.Sprintf("maximum allowed value of a user defined priority is %d", highestUserPriority)))
	}
	if c.PreemptionPolicy != nil {
		wrong = append(wrong, podapi.PreemptionPolicy(*c.PreemptionPolicy, field.NewPath("preemptionPolicy"))...)
	}
	return wrong
}

// unlikeSystem says how a class differs from the built-in one of its name.
func unlikeSystem(c *schedulingv1.PriorityClass) string {
	value, known := map[string]int32{SystemNodeCritical: SystemNodePriority, SystemClusterCritical: SystemClusterPriority}[c.Name]
	switch {
	case !known:
		return c.Name + " is not a known system priority class"
	case c.Value != value:
		return fmt.Sprintf("value of %s PriorityClass must be %d", c.Name, value)
	case c.GlobalDefault:
		return fmt.Sprintf("globalDefault of %s PriorityClass must be false", c.Name)
	}
	return ""
}

func changedPriorityClass(c, old *schedulingv1.PriorityClass) field.ErrorList {
	wrong := podapi.ChangedMeta(&c.ObjectMeta, &old.ObjectMeta)
	if c.Value != old.Value {
		wrong = append(wrong, field.Forbidden(field.NewPath("value"), "may not be changed in an update."))
	}
	return append(wrong, validation.ValidateImmutableField(c.PreemptionPolicy, old.PreemptionPolicy, field.NewPath("preemptionPolicy"))...)
}

func runtimeClass(c *nodev1.RuntimeClass) field.ErrorList {
	wrong := validation.ValidateObjectMeta(&c.ObjectMeta, false, validation.NameIsDNSSubdomain, field.NewPath("metadata"))
	for _, message := range utilvalidation.IsDNS1123Label(c.Handler) {
		wrong = append(wrong, field.Invalid(field.NewPath("handler"), c.Handler, message))
	}
	if c.Overhead != nil {
		wrong = append(wrong, podapi.Overhead(c.Overhead.PodFixed, field.NewPath("overhead"))...)
	}
	if s := c.Scheduling; s != nil {
		path := field.NewPath("scheduling")
		wrong = append(wrong, metav1validation.ValidateLabels(s.NodeSelector, path.Child("nodeSelector"))...)
		wrong = append(wrong, classTolerations(s.Tolerations, path.Child("tolerations"))...)
	}
	return wrong
}

// classTolerations checks the tolerations of a runtime class, of which none comes twice.
func classTolerations(list []v1.Toleration, path *field.Path) field.ErrorList {
	wrong := podapi.Options{}.Tolerations(list, path)
	seen := map[v1.Toleration]bool{}
	for i, t := range list {
		key := t
		key.TolerationSeconds = nil
		if seen[key] {
			wrong = append(wrong, field.Duplicate(path.Index(i), t))
		}
		seen[key] = true
	}
	return wrong
}

func changedRuntimeClass(c, old *nodev1.RuntimeClass) field.ErrorList {
	wrong := validation.ValidateObjectMetaUpdate(&c.ObjectMeta, &old.ObjectMeta, field.NewPath("metadata"))
	return append(wrong, validation.ValidateImmutableField(c.Handler, old.Handler, field.NewPath("handler"))...)
}
