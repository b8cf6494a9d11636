package budget

import (
	"time"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/evict"
	"orrery/core/world"
)

// Server is the part of an API server that a drain reads and calls. A simulated cluster of world/memory is one.
type Server interface {
	Now() time.Time
	Get(kind world.Kind, namespace, name string) (world.Object, error)
	List(kind world.Kind) []world.Object
	Update(o world.Object) (world.Object, error)
	Evict(e *policyv1.Eviction) error
	Delete(kind world.Kind, namespace, name string, o metav1.DeleteOptions) error
}

// Driver carries a drain out: it makes the drain's calls, and tells it how they ended. It is driven beside an engine; see
// engine.Drive.
type Driver struct {
	*Drain
	server Server
	begun  error // why the node could not be cordoned
}

var _ evict.Controller = (*Driver)(nil)

// Begin begins a drain of a node of a server, at somebody's wish, and makes its first calls.
func Begin(server Server, node, by string, o DrainOptions, board *evict.Board) *Driver {
	view := View{Lookup: func(kind world.Kind, namespace, name string) world.Object {
		object, err := server.Get(kind, namespace, name)
		if err != nil {
			return nil
		}
		return object
	}}
	for _, object := range server.List(world.Pod) {
		view.Pods = append(view.Pods, object.(*v1.Pod))
	}
	for _, object := range server.List(world.PodDisruptionBudget) {
		view.Budgets = append(view.Budgets, object.(*policyv1.PodDisruptionBudget))
	}
	d := &Driver{Drain: NewDrain(node, by, o, view, server.Now(), board), server: server}
	d.call()
	return d
}

// Done tells whether the drain has ended, and how. One whose node could not be cordoned has ended with that.
func (d *Driver) Done() (bool, error) {
	if d.begun != nil {
		return true, d.begun
	}
	return d.Drain.Done()
}

// Apply tells of pods and budgets, or only that time has passed.
func (d *Driver) Apply(in world.Input) {
	d.Drain.Apply(in)
	if at, waits := d.NextWake(); waits && !at.After(in.At) {
		d.Drain.Apply(world.Input{At: in.At, Event: world.Passed{}})
	}
	d.call()
}

// NextWake is when the drain asks again, or gives up.
func (d *Driver) NextWake() (time.Time, bool) {
	if d.begun != nil {
		return time.Time{}, false
	}
	return d.Drain.NextWake()
}

// call makes the calls that the drain wants made, until it wants none.
func (d *Driver) call() {
	for calls := d.Calls(); len(calls) > 0 && d.begun == nil; calls = d.Calls() {
		for _, call := range calls {
			switch call.Verb {
			case Cordon:
				d.begun = d.cordon(call.Node)
			case Evict:
				d.Answered(d.server.Now(), call.Pod.UID, d.server.Evict(call.Eviction()))
			case Delete:
				d.Answered(d.server.Now(), call.Pod.UID,
					d.server.Delete(world.Pod, call.Pod.Namespace, call.Pod.Name, call.Options))
			}
			if d.begun != nil {
				return
			}
		}
	}
}

func (d *Driver) cordon(name string) error {
	object, err := d.server.Get(world.Node, "", name)
	if err != nil {
		return err
	}
	node := object.(*v1.Node).DeepCopy()
	if node.Spec.Unschedulable {
		return nil
	}
	node.Spec.Unschedulable = true
	_, err = d.server.Update(node)
	return err
}

// ForkOn is a copy that goes its own way on another server, which should be a fork of this one's, and writes on the board
// given.
func (d *Driver) ForkOn(server Server, board *evict.Board) *Driver {
	return &Driver{Drain: d.Fork(board), server: server, begun: d.begun}
}
