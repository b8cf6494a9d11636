package podapi

import (
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"orrery/core/deviceapi"
)

// Options are the feature gates that decide about pods and are off by default.
type Options struct {
	// ComparisonOperators is the gate TaintTolerationComparisonOperators: tolerations may use Gt and Lt.
	ComparisonOperators bool
}

// Create checks a new pod, which is complete and prepared.
func (o Options) Create(pod *v1.Pod) field.ErrorList {
	wrong := o.whole(pod)
	if pod.Spec.NodeName != "" && len(pod.Spec.SchedulingGates) > 0 {
		wrong = append(wrong, field.Forbidden(field.NewPath("spec", "nodeName"), "cannot be set until all schedulingGates have been cleared"))
	}
	return wrong
}

// whole checks what holds for new and for changed pods.
func (o Options) whole(pod *v1.Pod) field.ErrorList {
	wrong := Meta(&pod.ObjectMeta, true, validation.NameIsDNSSubdomain)
	wrong = append(wrong, o.spec(&pod.Spec, field.NewPath("spec"))...)
	return append(wrong, deviceapi.Pod(pod)...)
}

// Meta checks the metadata of an object of the core group.
func Meta(m *metav1.ObjectMeta, namespaced bool, name validation.ValidateNameFunc) field.ErrorList {
	path := field.NewPath("metadata")
	return append(validation.ValidateObjectMeta(m, namespaced, name, path), finalizers(m.Finalizers, path.Child("finalizers"))...)
}

// ChangedMeta checks a change of the metadata of an object of the core group.
func ChangedMeta(changed, old *metav1.ObjectMeta) field.ErrorList {
	path := field.NewPath("metadata")
	return append(validation.ValidateObjectMetaUpdate(changed, old, path), finalizers(changed.Finalizers, path.Child("finalizers"))...)
}

// finalizers checks that names without a domain are the ones that Kubernetes has.
func finalizers(names []string, path *field.Path) field.ErrorList {
	standard := []string{string(v1.FinalizerKubernetes), metav1.FinalizerOrphanDependents, metav1.FinalizerDeleteDependents}
	var wrong field.ErrorList
	for i, name := range names {
		if !strings.Contains(name, "/") && !slices.Contains(standard, name) {
			wrong = append(wrong, field.Invalid(path.Index(i), name, "name is neither a standard finalizer name nor is it fully qualified"))
		}
	}
	return wrong
}
