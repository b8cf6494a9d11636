package clusterapi

import (
	"strconv"
	"strings"

	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/intstr"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// budget checks a disruption budget, which has a minimum or a maximum, not both.
func budget(s *policyv1.PodDisruptionBudgetSpec, path *field.Path) field.ErrorList {
	var wrong field.ErrorList
	if s.MinAvailable != nil && s.MaxUnavailable != nil {
		wrong = append(wrong, field.Invalid(path, *s, "minAvailable and maxUnavailable cannot be both set"))
	}
	if s.MinAvailable != nil {
		wrong = append(wrong, share(*s.MinAvailable, path.Child("minAvailable"))...)
	}
	if s.MaxUnavailable != nil {
		wrong = append(wrong, share(*s.MaxUnavailable, path.Child("maxUnavailable"))...)
	}
	wrong = append(wrong, metav1validation.ValidateLabelSelector(s.Selector, metav1validation.LabelSelectorValidationOptions{}, path.Child("selector"))...)
	if p := s.UnhealthyPodEvictionPolicy; p != nil && *p != policyv1.IfHealthyBudget && *p != policyv1.AlwaysAllow {
		wrong = append(wrong, field.NotSupported(path.Child("unhealthyPodEvictionPolicy"), *p,
			[]policyv1.UnhealthyPodEvictionPolicyType{policyv1.AlwaysAllow, policyv1.IfHealthyBudget}))
	}
	return wrong
}

// share checks a number of pods, or a percentage of them.
func share(n intstr.IntOrString, path *field.Path) field.ErrorList {
	if n.Type == intstr.Int {
		return validation.ValidateNonnegativeField(int64(n.IntVal), path)
	}
	messages := utilvalidation.IsValidPercent(n.StrVal)
	if len(messages) == 0 {
		if percent, err := strconv.Atoi(strings.TrimSuffix(n.StrVal, "%")); err == nil && percent > 100 {
			messages = []string{"must not be greater than 100%"}
		}
	}
	var wrong field.ErrorList
	for _, message := range messages {
		wrong = append(wrong, field.Invalid(path, n, message))
	}
	return wrong
}
