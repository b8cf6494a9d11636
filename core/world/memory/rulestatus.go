package memory

import (
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"orrery/core/world"
)

// setRuleCondition carries out an effect of the controller of device taints.
func (c *Cluster) setRuleCondition(act world.SetRuleCondition) error {
	if err := c.reachable(); err != nil {
		return err
	}
	object, err := c.Get(world.DeviceTaintRule, "", act.Rule.Name)
	if err != nil {
		return err
	}
	written, same := act.Apply(object.(*resourcev1alpha3.DeviceTaintRule))
	if !same {
		return apierrors.NewNotFound(world.DeviceTaintRule.Resource().GroupResource(), act.Rule.Name)
	}
	_, err = c.UpdateStatus(written)
	return err
}
