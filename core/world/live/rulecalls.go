package live

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"

	"orrery/core/world"
)

// setRuleCondition writes a condition into the status of a DeviceTaintRule as it is by now: others write the status as well. A
// rule of the same name made since is another rule, and the one that was meant is gone.
func (c *Cluster) setRuleCondition(ctx context.Context, act world.SetRuleCondition) error {
	if client, able := c.options.Client.(Client); able && client.rules != nil {
		return retry.RetryOnConflict(retry.DefaultRetry, func() error { return client.taintRules().setCondition(ctx, act) })
	}
	rules := c.options.Client.ResourceV1alpha3().DeviceTaintRules()
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		rule, err := rules.Get(ctx, act.Rule.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		written, same := act.Apply(rule)
		if !same {
			return apierrors.NewNotFound(world.DeviceTaintRule.Resource().GroupResource(), act.Rule.Name)
		}
		_, err = rules.UpdateStatus(ctx, written, metav1.UpdateOptions{})
		return err
	})
}
