package podapi

import (
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"orrery/core/world/deviceapi"
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
	spec := field.NewPath("spec")
	wrong = append(wrong, o.spec(&pod.Spec, spec)...)
	wrong = append(wrong, images(pod.Spec.Containers, spec.Child("containers"))...)
	wrong = append(wrong, images(pod.Spec.InitContainers, spec.Child("initContainers"))...)
	return append(wrong, deviceapi.Pod(pod, spec)...)
}

// Template checks the template of pods with its defaults. Only pods themselves are checked for their images.
func (o Options) Template(t *v1.PodTemplateSpec, path *field.Path) field.ErrorList {
	pod := &v1.Pod{ObjectMeta: t.ObjectMeta, Spec: *t.Spec.DeepCopy()}
	defaultSpec(&pod.Spec)
	wrong := metav1validation.ValidateLabels(t.Labels, path.Child("labels"))
	wrong = append(wrong, o.spec(&pod.Spec, path.Child("spec"))...)
	return append(wrong, deviceapi.Pod(pod, path.Child("spec"))...)
}

// Meta checks the metadata of an object of the core group, or of one that is checked like those.
func Meta(m metav1.Object, namespaced bool, name validation.ValidateNameFunc) field.ErrorList {
	path := field.NewPath("metadata")
	return append(validation.ValidateObjectMetaAccessor(m, namespaced, name, path), finalizers(m.GetFinalizers(), path.Child("finalizers"))...)
}

// ChangedMeta checks a change of the metadata of an object of the core group.
func ChangedMeta(changed, old metav1.Object) field.ErrorList {
	path := field.NewPath("metadata")
	return append(validation.ValidateObjectMetaAccessorUpdate(changed, old, path), finalizers(changed.GetFinalizers(), path.Child("finalizers"))...)
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
