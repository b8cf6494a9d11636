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

// Driver makes a drain's calls and passes their results back. It is driven beside an engine; see package drive.
type Driver struct {
	*Drain
	server    Server
	cordonErr error // why the node could not be cordoned
}

// StartDrain begins a drain of a server's node and makes its first calls.
func StartDrain(server Server, node, by string, o DrainOptions, record *evict.Record) *Driver {
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
	d := &Driver{Drain: NewDrain(node, by, o, view, server.Now(), record), server: server}
	d.makeCalls()
	return d
}

// Done reports whether the drain has ended. If the node could not be cordoned, it has ended with that error.
func (d *Driver) Done() (bool, error) {
	if d.cordonErr != nil {
		return true, d.cordonErr
	}
	return d.Drain.Done()
}

// Apply takes in pods, budgets and ticks.
func (d *Driver) Apply(in world.Input) {
	d.Drain.Apply(in)
	if at, waits := d.NextWake(); waits && !at.After(in.At) {
		d.Drain.Apply(world.Input{At: in.At, Event: world.Tick{}})
	}
	d.makeCalls()
}

// NextWake returns when the drain retries or times out.
func (d *Driver) NextWake() (time.Time, bool) {
	if d.cordonErr != nil {
		return time.Time{}, false
	}
	return d.Drain.NextWake()
}

// makeCalls makes the drain's calls until it requests no more.
func (d *Driver) makeCalls() {
	for calls := d.Calls(); len(calls) > 0 && d.cordonErr == nil; calls = d.Calls() {
		for _, call := range calls {
			switch call.Verb {
			case Cordon:
				d.cordonErr = d.cordon(call.Node)
			case Evict:
				d.CallDone(d.server.Now(), call.Pod.UID, d.server.Evict(call.Eviction()))
			case Delete:
				d.CallDone(d.server.Now(), call.Pod.UID,
					d.server.Delete(world.Pod, call.Pod.Namespace, call.Pod.Name, call.Options))
			}
			if d.cordonErr != nil {
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
