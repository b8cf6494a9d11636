package device

import (
	"slices"

	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/evict"
	"orrery/core/world"
)

// Server is the part of an API server that the statuses of rules are written to. A simulated cluster of world/memory is
// one.
type Server interface {
	Get(kind world.Kind, namespace, name string) (world.Object, error)
	UpdateStatus(o world.Object) (world.Object, error)
}

// Driver is a controller together with whoever writes the statuses of rules for it: no effect of a scheduler does.
type Driver struct {
	*Controller
	server Server
	unsaid []RuleStatus // that could not be written
}

var _ evict.Controller = (*Driver)(nil)

// Drive has a server told of what a controller decides about rules.
func Drive(c *Controller, server Server) *Driver { return &Driver{Controller: c, server: server} }

// Effects hands over what is to be done about pods since the last call, and writes what was decided about rules. What
// could not be written is tried again at the next call.
func (d *Driver) Effects() []world.Effect {
	for _, s := range d.Statuses() {
		d.unsaid = slices.DeleteFunc(d.unsaid, func(had RuleStatus) bool { return had.UID == s.UID })
		d.unsaid = append(d.unsaid, s)
	}
	d.unsaid = slices.DeleteFunc(d.unsaid, d.write)
	return d.Controller.Effects()
}

// write writes a rule's condition, and says whether that is settled: there may be no such rule any more.
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

// ForkOn is a copy that goes its own way on another server, which should be a fork of this one's, and writes on the board
// given.
func (d *Driver) ForkOn(server Server, board *evict.Board) *Driver {
	return &Driver{Controller: d.Fork(board), server: server, unsaid: slices.Clone(d.unsaid)}
}
