package live

import (
	"context"
	"sync/atomic"

	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"

	"orrery/core/world"
)

// ruleVersions are the versions in which API servers serve DeviceTaintRules, the newest first: v1 since Kubernetes 1.37, v1beta2 since 1.36, v1alpha3
// before. What is read of a rule has the same fields in each.
var ruleVersions = [...]string{"v1", "v1beta2", "v1alpha3"}

// servedVersion is the number of the version in which rules were served last.
type servedVersion struct{ last atomic.Int32 }

// servedRules reads and writes DeviceTaintRules in the newest version that the API server serves.
type servedRules struct {
	client  dynamic.Interface
	version *servedVersion
}

// try asks in the version that was served last, and then in the others while there is nothing in it.
func (r servedRules) try(ask func(dynamic.NamespaceableResourceInterface) error) error {
	resource := world.DeviceTaintRule.Resource()
	in := func(i int32) error {
		resource.Version = ruleVersions[i]
		return ask(r.client.Resource(resource))
	}
	last := r.version.last.Load()
	err := in(last)
	for i := range int32(len(ruleVersions)) {
		if !apierrors.IsNotFound(err) {
			return err
		}
		if i == last {
			continue
		}
		if err = in(i); err == nil {
			r.version.last.Store(i)
		}
	}
	return err
}

// List lists the rules.
func (r servedRules) List(ctx context.Context, o metav1.ListOptions) (*objectList, error) {
	var found *unstructured.UnstructuredList
	err := r.try(func(in dynamic.NamespaceableResourceInterface) (err error) {
		found, err = in.List(ctx, o)
		return err
	})
	if err != nil {
		return nil, err
	}
	return conversion(anyRule).list(found)
}

// Watch watches the rules.
func (r servedRules) Watch(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
	var events watch.Interface
	err := r.try(func(in dynamic.NamespaceableResourceInterface) (err error) {
		events, err = in.Watch(ctx, o)
		return err
	})
	if err != nil {
		return nil, err
	}
	return conversion(anyRule).watch(events), nil
}

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
	return r.try(func(in dynamic.NamespaceableResourceInterface) error {
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
