package live

import (
	"context"

	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"

	"orrery/core/world"
)

// ruleVersions are the versions in which API servers serve DeviceTaintRules, the newest first: v1 since Kubernetes 1.37, v1beta2 since 1.36, v1alpha3
// before. What is read of a rule has the same fields in each.
var ruleVersions = []string{"v1", "v1beta2", "v1alpha3"}

// servedRules reads and writes DeviceTaintRules in the newest version that the API server serves.
type servedRules struct{ served }

func anyRule(whole *unstructured.Unstructured) (runtime.Object, error) { return ruleOf(whole) }

// ruleOf decodes a rule of any version.
func ruleOf(whole *unstructured.Unstructured) (*resourcev1alpha3.DeviceTaintRule, error) {
	rule := &resourcev1alpha3.DeviceTaintRule{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(whole.Object, rule); err != nil {
		return nil, err
	}
	rule.TypeMeta = metav1.TypeMeta{} // as client-go decodes objects of kinds that it knows
	return rule, nil
}

// setCondition writes a condition into the status of a rule, and leaves what it does not know of the rule as it is.
func (r servedRules) setCondition(ctx context.Context, act world.SetRuleCondition) error {
	return r.try(func(in dynamic.ResourceInterface) error {
		whole, err := in.Get(ctx, act.Rule.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		rule, err := ruleOf(whole)
		if err != nil {
			return err
		}
		written, same := act.Apply(rule)
		if !same {
			return apierrors.NewNotFound(world.DeviceTaintRule.Resource().GroupResource(), act.Rule.Name)
		}
		status, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&written.Status)
		if err != nil {
			return err
		}
		whole.Object["status"] = status
		_, err = in.UpdateStatus(ctx, whole, metav1.UpdateOptions{})
		return err
	})
}
