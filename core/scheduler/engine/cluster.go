package engine

import (
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/queue"
	"orrery/core/scheduler/store"
	"orrery/core/world"
)

// applyDelta applies one delta of the store and notifies the listener.
func (e *Engine) applyDelta(d store.Delta) error {
	if e.options.Listener == nil {
		return e.dispatch(d)
	}
	began := e.elapsed()
	err := e.dispatch(d)
	if event := e.eventOf(d); event.Resource != "" {
		e.options.Listener.Handled(event.Label(), e.elapsed()-began)
	}
	return err
}

func (e *Engine) dispatch(d store.Delta) error {
	e.volumes.Changed(d)
	retainted := e.devices.Changed(d)
	e.gangs.Changed(d)
	e.objectWaits.changed(d)
	switch d.Kind {
	case world.Pod:
		return e.podChanged(d)
	case world.Node:
		return e.nodeChanged(d)
	}
	e.otherChanged(d)
	for _, change := range retainted {
		e.otherChanged(store.Delta{Op: world.Modified, Kind: world.ResourceSlice, Old: change.Old, New: change.New})
	}
	return nil
}

// nodeChanged updates the cache and requeues pods. On deletion the queue moves first: the hints of some plugins still
// read the node from the cache.
func (e *Engine) nodeChanged(d store.Delta) error {
	was, is := nodeOf(d.Old), nodeOf(d.New)
	switch d.Op {
	case world.Added:
		e.cache.AddNode(is)
		e.queue.Move(queue.EventNodeAdd, nil, is, e.now, nil)
	case world.Modified:
		e.cache.UpdateNode(is)
		for _, event := range queue.NodeUpdateEvents(was, is, e.gates) {
			e.queue.Move(event, was, is, e.now, nil)
		}
	case world.Deleted:
		e.queue.Move(queue.EventNodeDelete, was, nil, e.now, nil)
		return e.cache.RemoveNode(was)
	}
	return nil
}

func nodeOf(o world.Object) *v1.Node {
	node, _ := o.(*v1.Node)
	return node
}

func (e *Engine) otherChanged(d store.Delta) {
	event := fwk.ClusterEvent{Resource: resourceOf(d.Kind)}
	if event.Resource == "" {
		return
	}
	var was, is any
	switch d.Op {
	case world.Added:
		event.ActionType, is = fwk.Add, hintObject(d.New)
	case world.Modified:
		event.ActionType, was, is = fwk.Update, hintObject(d.Old), hintObject(d.New)
	case world.Deleted:
		event.ActionType, was = fwk.Delete, hintObject(d.Old)
	}
	e.queue.Move(event, was, is, e.now, nil)
}
