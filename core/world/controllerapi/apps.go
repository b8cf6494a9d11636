package controllerapi

import (
	"cmp"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"orrery/core/world/podapi"
	"orrery/core/world/storageapi"
)

func deployment(s *appsv1.DeploymentSpec, rules podapi.Options) field.ErrorList {
	wrong := count(s.Replicas, "replicas")
	wrong = append(wrong, selected(s.Selector, &s.Template, "ReplicaSet", rules)...)
	wrong = append(wrong, strategy(&s.Strategy, spec.Child("strategy"))...)
	return append(wrong, count(&s.MinReadySeconds, "minReadySeconds")...)
}

func replicaSet(s *appsv1.ReplicaSetSpec, rules podapi.Options) field.ErrorList {
	wrong := append(count(s.Replicas, "replicas"), count(&s.MinReadySeconds, "minReadySeconds")...)
	return append(wrong, selected(s.Selector, &s.Template, "ReplicaSet", rules)...)
}

func replicationController(o *v1.ReplicationController, rules podapi.Options) field.ErrorList {
	s := &o.Spec
	wrong := append(count(s.Replicas, "replicas"), count(&s.MinReadySeconds, "minReadySeconds")...)
	path := spec.Child("template")
	if s.Template == nil {
		if len(s.Selector) == 0 {
			wrong = append(wrong, field.Required(spec.Child("selector"), ""))
		}
		return append(wrong, field.Required(path, ""))
	}
	selector := s.Selector
	if len(selector) == 0 {
		selector = s.Template.Labels
	}
	if len(selector) == 0 {
		wrong = append(wrong, field.Required(spec.Child("selector"), ""))
	}
	wrong = append(wrong, matching(labels.SelectorFromSet(selector), s.Template)...)
	wrong = append(wrong, rules.Template(s.Template, path)...)
	wrong = append(wrong, running(s.Template, "ReplicationController")...)
	return append(wrong, inherited(o.Labels, s.Template.Labels)...)
}

func statefulSet(s *appsv1.StatefulSetSpec, rules podapi.Options) field.ErrorList {
	var wrong field.ErrorList
	if p := s.PodManagementPolicy; p != "" && p != appsv1.OrderedReadyPodManagement && p != appsv1.ParallelPodManagement {
		wrong = append(wrong, field.Invalid(spec.Child("podManagementPolicy"), p, "must be 'OrderedReady' or 'Parallel'"))
	}
	wrong = append(wrong, count(s.Replicas, "replicas")...)
	wrong = append(wrong, count(&s.MinReadySeconds, "minReadySeconds")...)
	wrong = append(wrong, selected(s.Selector, &s.Template, "StatefulSet", rules)...)
	if _, err := metav1.LabelSelectorAsSelector(s.Selector); err == nil { // the API server says it twice
		wrong = append(wrong, metav1validation.ValidateLabels(s.Template.Labels, spec.Child("template", "labels"))...)
	}
	return wrong
}

// claimTemplates checks the templates of claims, which never change.
func claimTemplates(s *appsv1.StatefulSetSpec) field.ErrorList {
	var wrong field.ErrorList
	for i := range s.VolumeClaimTemplates {
		wrong = append(wrong, storageapi.ClaimSpec(&s.VolumeClaimTemplates[i].Spec, spec.Child("volumeClaimTemplates").Index(i).Child("spec"))...)
	}
	return wrong
}

// changedStatefulSet checks that what the pods of a set have for good stays.
func changedStatefulSet(s, old *appsv1.StatefulSetSpec) field.ErrorList {
	rest := s.DeepCopy()
	rest.Replicas, rest.Template, rest.UpdateStrategy, rest.MinReadySeconds = old.Replicas, old.Template, old.UpdateStrategy, old.MinReadySeconds
	rest.Ordinals, rest.RevisionHistoryLimit = old.Ordinals, old.RevisionHistoryLimit
	rest.PersistentVolumeClaimRetentionPolicy = old.PersistentVolumeClaimRetentionPolicy
	if cmp.Or(s.PodManagementPolicy, appsv1.OrderedReadyPodManagement) == cmp.Or(old.PodManagementPolicy, appsv1.OrderedReadyPodManagement) {
		rest.PodManagementPolicy = old.PodManagementPolicy
	}
	if equality.Semantic.DeepEqual(storedTemplates(s), storedTemplates(old)) {
		rest.VolumeClaimTemplates = old.VolumeClaimTemplates
	}
	if equality.Semantic.DeepEqual(rest, old) {
		return nil
	}
	return field.ErrorList{field.Forbidden(spec, "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', "+
		"'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden")}
}

// storedTemplates are the templates of claims as the API server stores them: with their defaults, and without their kind.
func storedTemplates(s *appsv1.StatefulSetSpec) []v1.PersistentVolumeClaim {
	templates := s.DeepCopy().VolumeClaimTemplates
	for i := range templates {
		templates[i].TypeMeta = metav1.TypeMeta{}
		storageapi.Default(&templates[i])
	}
	return templates
}

func daemonSet(s *appsv1.DaemonSetSpec, rules podapi.Options) field.ErrorList {
	path := spec.Child("selector")
	wrong := metav1validation.ValidateLabelSelector(s.Selector, metav1validation.LabelSelectorValidationOptions{}, path)
	if selector, err := metav1.LabelSelectorAsSelector(s.Selector); err == nil && s.Selector != nil {
		wrong = append(wrong, matching(selector, &s.Template)...)
	}
	if s.Selector != nil && isEmpty(s.Selector) {
		wrong = append(wrong, field.Invalid(path, s.Selector, "empty selector is invalid for daemonset"))
	}
	wrong = append(wrong, rules.Template(&s.Template, spec.Child("template"))...)
	wrong = append(wrong, running(&s.Template, "DaemonSet")...)
	return append(wrong, count(&s.MinReadySeconds, "minReadySeconds")...)
}

// count checks a number that is not negative; nil is a default.
func count(n *int32, name string) field.ErrorList {
	if n == nil {
		return nil
	}
	return validation.ValidateNonnegativeField(int64(*n), spec.Child(name))
}

func isEmpty(s *metav1.LabelSelector) bool { return len(s.MatchLabels)+len(s.MatchExpressions) == 0 }

// selected checks a selector and the template whose pods it has to select.
func selected(s *metav1.LabelSelector, t *v1.PodTemplateSpec, kind string, rules podapi.Options) field.ErrorList {
	path := spec.Child("selector")
	wrong := metav1validation.ValidateLabelSelector(s, metav1validation.LabelSelectorValidationOptions{}, path)
	if s != nil && isEmpty(s) {
		what := "deployment" // the API server's word for replica sets, too
		if kind == "StatefulSet" {
			what = "statefulset"
		}
		wrong = append(wrong, field.Invalid(path, s, "empty selector is invalid for "+what))
	}
	if s != nil {
		selector, err := metav1.LabelSelectorAsSelector(s)
		switch {
		case err != nil && kind == "StatefulSet":
			return append(append(wrong, field.Invalid(path, s, "")), running(t, kind)...)
		case err != nil:
			return append(wrong, field.Invalid(path, s, "invalid label selector"))
		}
		wrong = append(wrong, matching(selector, t)...)
	}
	wrong = append(wrong, rules.Template(t, spec.Child("template"))...)
	return append(wrong, running(t, kind)...)
}

// matching checks that the pods of a template are selected.
func matching(selector labels.Selector, t *v1.PodTemplateSpec) field.ErrorList {
	if selector.Matches(labels.Set(t.Labels)) {
		return nil
	}
	return field.ErrorList{field.Invalid(spec.Child("template", "metadata", "labels"), t.Labels, "`selector` does not match template `labels`")}
}

// running checks that pods run until they are deleted.
func running(t *v1.PodTemplateSpec, kind string) field.ErrorList {
	path := spec.Child("template", "spec")
	var wrong field.ErrorList
	if p := t.Spec.RestartPolicy; p != "" && p != v1.RestartPolicyAlways {
		wrong = append(wrong, field.NotSupported(path.Child("restartPolicy"), p, []v1.RestartPolicy{v1.RestartPolicyAlways}))
	}
	if t.Spec.ActiveDeadlineSeconds != nil {
		wrong = append(wrong, field.Forbidden(path.Child("activeDeadlineSeconds"), "activeDeadlineSeconds in "+kind+" is not Supported"))
	}
	return wrong
}

// strategy checks how the pods of a deployment are replaced: some have to leave first, or to come first.
func strategy(s *appsv1.DeploymentStrategy, path *field.Path) field.ErrorList {
	at, rolling := path.Child("rollingUpdate"), s.RollingUpdate
	switch s.Type {
	case appsv1.RecreateDeploymentStrategyType:
		if rolling != nil {
			return field.ErrorList{field.Forbidden(at, "may not be specified when strategy `type` is 'Recreate'")}
		}
		return nil
	case "", appsv1.RollingUpdateDeploymentStrategyType:
	default:
		return field.ErrorList{field.NotSupported(path, s, []appsv1.DeploymentStrategyType{appsv1.RecreateDeploymentStrategyType, appsv1.RollingUpdateDeploymentStrategyType})}
	}
	if rolling == nil {
		return nil
	}
	var wrong field.ErrorList
	fewer, more := at.Child("maxUnavailable"), at.Child("maxSurge")
	wrong = append(append(wrong, share(rolling.MaxUnavailable, fewer)...), share(rolling.MaxSurge, more)...)
	if isZero(rolling.MaxUnavailable) && isZero(rolling.MaxSurge) {
		wrong = append(wrong, field.Invalid(fewer, rolling.MaxUnavailable, "may not be 0 when `maxSurge` is 0"))
	}
	if rolling.MaxUnavailable != nil && percent(*rolling.MaxUnavailable) > 100 {
		wrong = append(wrong, field.Invalid(fewer, rolling.MaxUnavailable, "must not be greater than 100%"))
	}
	return wrong
}

// share checks a number of pods, or a percentage of them; nil is a default.
func share(n *intstr.IntOrString, path *field.Path) field.ErrorList {
	switch {
	case n == nil:
		return nil
	case n.Type == intstr.Int:
		return validation.ValidateNonnegativeField(int64(n.IntVal), path)
	}
	var wrong field.ErrorList
	for _, message := range utilvalidation.IsValidPercent(n.StrVal) {
		wrong = append(wrong, field.Invalid(path, *n, message))
	}
	return wrong
}

func isZero(n *intstr.IntOrString) bool {
	return n != nil && (n.Type == intstr.Int && n.IntVal == 0 || n.Type == intstr.String && percent(*n) <= 0)
}

// percent is the percentage of a share, -1 of a number of pods; 0 of what is neither.
func percent(n intstr.IntOrString) int {
	if n.Type == intstr.Int {
		return -1
	}
	value, err := intstr.GetScaledValueFromIntOrPercent(&n, 100, false)
	if err != nil {
		return 0
	}
	return value
}
