package admission

import (
	"strconv"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"orrery/core/objects/workloads"
)

// Gates are the feature gates that decide which pods are refused.
type Gates struct {
	// ComparisonOperators is the gate TaintTolerationComparisonOperators: tolerations may use Gt and Lt.
	ComparisonOperators bool
}

// RefusedPod returns why a new pod is not stored. Of all that makes a pod invalid these are the mistakes that users of scheduling
// meet, and what the simulated kubelets could not cope with: a pod without containers.
func (g Gates) RefusedPod(pod *v1.Pod) field.ErrorList {
	errs := g.refusedPodSpec(pod)
	if pod.Spec.NodeName != "" && len(pod.Spec.SchedulingGates) > 0 {
		errs = append(errs, field.Forbidden(field.NewPath("spec", "nodeName"), "cannot be set until all schedulingGates have been cleared"))
	}
	return errs
}

// refusedPodSpec checks what holds for new and for changed pods.
func (g Gates) refusedPodSpec(pod *v1.Pod) field.ErrorList {
	spec := field.NewPath("spec")
	var errs field.ErrorList
	if len(pod.Spec.Containers) == 0 {
		errs = append(errs, field.Required(spec.Child("containers"), ""))
	}
	errs = append(errs, refusedAffinity(pod.Spec.Affinity, spec.Child("affinity"))...)
	for i := range pod.Spec.TopologySpreadConstraints {
		c, at := &pod.Spec.TopologySpreadConstraints[i], spec.Child("topologySpreadConstraints").Index(i)
		if c.MaxSkew <= 0 {
			errs = append(errs, field.Invalid(at.Child("maxSkew"), int64(c.MaxSkew), "must be greater than zero"))
		}
		errs = append(errs, metav1validation.ValidateLabelSelector(c.LabelSelector, selectorRules, at.Child("labelSelector"))...)
	}
	return append(errs, g.refusedTolerations(pod.Spec.Tolerations, spec.Child("tolerations"))...)
}

var selectorRules metav1validation.LabelSelectorValidationOptions

// refusedAffinity checks that preferences weigh between 1 and 100, and that selectors of pods have operators of label selectors.
func refusedAffinity(a *v1.Affinity, path *field.Path) field.ErrorList {
	if a == nil {
		return nil
	}
	var errs field.ErrorList
	if n := a.NodeAffinity; n != nil {
		for i := range n.PreferredDuringSchedulingIgnoredDuringExecution {
			errs = append(errs, refusedWeight(n.PreferredDuringSchedulingIgnoredDuringExecution[i].Weight, path.Child("nodeAffinity", preferredField).Index(i))...)
		}
	}
	if p := a.PodAffinity; p != nil {
		errs = append(errs, refusedTerms(p.RequiredDuringSchedulingIgnoredDuringExecution, p.PreferredDuringSchedulingIgnoredDuringExecution, path.Child("podAffinity"))...)
	}
	if p := a.PodAntiAffinity; p != nil {
		errs = append(errs, refusedTerms(p.RequiredDuringSchedulingIgnoredDuringExecution, p.PreferredDuringSchedulingIgnoredDuringExecution, path.Child("podAntiAffinity"))...)
	}
	return errs
}

// The fields of an affinity, to nodes or to pods.
const (
	requiredField  = "requiredDuringSchedulingIgnoredDuringExecution"
	preferredField = "preferredDuringSchedulingIgnoredDuringExecution"
)

func refusedTerms(required []v1.PodAffinityTerm, preferred []v1.WeightedPodAffinityTerm, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i := range required {
		errs = append(errs, metav1validation.ValidateLabelSelector(required[i].LabelSelector, selectorRules, path.Child(requiredField).Index(i).Child("labelSelector"))...)
	}
	for i := range preferred {
		at := path.Child(preferredField).Index(i)
		errs = append(errs, refusedWeight(preferred[i].Weight, at)...)
		errs = append(errs, metav1validation.ValidateLabelSelector(preferred[i].PodAffinityTerm.LabelSelector, selectorRules, at.Child("podAffinityTerm", "labelSelector"))...)
	}
	return errs
}

func refusedWeight(n int32, path *field.Path) field.ErrorList {
	if n < 1 || n > 100 {
		return field.ErrorList{field.Invalid(path.Child("weight"), n, "must be in the range 1-100")}
	}
	return nil
}

// refusedTolerations checks that Gt and Lt compare whole numbers, and are allowed.
func (g Gates) refusedTolerations(list []v1.Toleration, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, t := range list {
		if t.Operator != v1.TolerationOpLt && t.Operator != v1.TolerationOpGt {
			continue
		}
		at := path.Index(i)
		if !g.ComparisonOperators {
			errs = append(errs, field.NotSupported(at.Child("operator"), t.Operator,
				[]v1.TolerationOperator{v1.TolerationOpEqual, v1.TolerationOpExists, v1.TolerationOpLt, v1.TolerationOpGt}))
			continue
		}
		for _, message := range content.IsDecimalInteger(t.Value) {
			errs = append(errs, field.Invalid(at.Child("value"), t.Value, message))
		}
		if _, err := strconv.ParseInt(t.Value, 10, 64); err != nil {
			errs = append(errs, field.Invalid(at.Child("value"), t.Value, err.Error()))
		}
	}
	return errs
}

// RefusedChange returns why a change of an object that is no pod is not stored: schedulers work by what is allocated for a claim, and
// by the groups that pods refer to, and simulated attachers by the node and the volume of an attachment, so these never change.
func RefusedChange(changed, old any) field.ErrorList {
	spec := field.NewPath("spec")
	switch o := changed.(type) {
	case *resourcev1.ResourceClaim:
		return validation.ValidateImmutableField(o.Spec, old.(*resourcev1.ResourceClaim).Spec, spec)
	case *resourcev1.ResourceClaimTemplate:
		return validation.ValidateImmutableField(o.Spec, old.(*resourcev1.ResourceClaimTemplate).Spec, spec)
	case *storagev1.VolumeAttachment:
		return validation.ValidateImmutableField(o.Spec, old.(*storagev1.VolumeAttachment).Spec, spec)
	case *workloads.Workload:
		return validation.ValidateImmutableField(o.Spec.PodGroups, old.(*workloads.Workload).Spec.PodGroups, field.NewPath("podGroups"))
	}
	return nil
}
