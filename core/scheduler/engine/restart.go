package engine

import (
	"fmt"

	"orrery/core/scheduler/config"
	"orrery/core/world"
)

// Restarted returns a scheduler with the same configuration under other features that has just started on the same cluster: pods without a node
// are in activeQ, and bindings in flight are forgotten. It changes no cluster, as a fork does not, and draws ties as the original does.
func (e *Engine) Restarted(features config.Features) (*Engine, error) {
	c, err := e.config.In(features)
	if err != nil {
		return nil, err
	}
	o := e.options
	o.Config, o.Start = c, e.now
	o.Listener, o.OnTiming, o.Client, o.KubeConfig = nil, nil, nil, nil
	f, err := New(o)
	if err != nil {
		return nil, fmt.Errorf("restarting the scheduler: %w", err)
	}
	f.lastEffect = e.lastEffect // a late outcome of an effect of the original is none of this one's
	rng := *e.rng
	f.rng = &rng
	for _, kind := range e.store.Kinds() {
		list := world.Listed{Kind: kind}
		for object := range e.store.Objects(kind) {
			list.Objects = append(list.Objects, object)
		}
		_ = f.Apply(world.Input{At: e.now, Event: list}) // objects that are refused are in its refusals, as in the original's
	}
	return f, nil
}
