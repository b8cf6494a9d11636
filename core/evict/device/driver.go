package device

import (
	"slices"

	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/evict"
	"orrery/core/world"
)

// Server is the part of an API server that stores the statuses of rules, for example a simulated cluster of world/memory.
type Server interface {
	Get(kind world.Kind, namespace, name string) (world.Object, error)
	UpdateStatus(o world.Object) (world.Object, error)
}

// Driver writes the statuses of rules for a controller, since no scheduler effect does.
type Driver struct {
	*Controller
	server    Server
	unwritten []RuleStatus // failed writes
}

var _ evict.Controller = (*Driver)(nil)

// NewDriver returns a driver that writes a controller's rule statuses to a server.
func NewDriver(c *Controller, server Server) *Driver { return &Driver{Controller: c, server: server} }

// Effects returns the effects on pods since the last call and writes the statuses of rules. It retries failed writes at the
// next call.
func (d *Driver) Effects() []world.Effect {
	for _, s := range d.Statuses() {
		d.unwritten = slices.DeleteFunc(d.unwritten, func(had RuleStatus) bool { return had.UID == s.UID })
		d.unwritten = append(d.unwritten, s)
	}
	d.unwritten = slices.DeleteFunc(d.unwritten, d.write)
	return d.Controller.Effects()
}

// write writes a rule's condition and reports whether it is done with it: the rule may be deleted.
func (d *Driver) write(s RuleStatus) bool {
	object, err := d.server.Get(world.DeviceTaintRule, "", s.Rule)
	if err != nil {
		return apierrors.IsNotFound(err)
	}
	if object.GetUID() != s.UID {
		return true
	}
	rule := object.DeepCopyObject().(*resourcev1alpha3.DeviceTaintRule)
	at := slices.IndexFunc(rule.Status.Conditions, func(had metav1.Condition) bool { return had.Type == s.Condition.Type })
	if at < 0 {
		rule.Status.Conditions = append(rule.Status.Conditions, s.Condition)
	} else {
		rule.Status.Conditions[at] = s.Condition
	}
	_, err = d.server.UpdateStatus(rule)
	return err == nil
}
