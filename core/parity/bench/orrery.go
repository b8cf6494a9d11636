package main

import (
	"context"
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/release"
	"orrery/core/world"
	"orrery/core/world/live"
)

// orrery is the engine, driven by one goroutine that also plays the cluster.
type orrery struct {
	engine   *engine.Engine
	server   *apiserver
	storage  *storageServer
	extender *extenderServer
	client   *live.ExtenderClient
	asked    bool // the extender, by the last step
}

func newOrrery(c testCase) (scheduler, error) {
	configuration := config.Default(config.FeaturesOf(release.Newest))
	configuration.PercentageOfNodesToScore = c.percentage
	x, err := newExtenderServer(c.row)
	if err != nil {
		return nil, err
	}
	configuration.Extenders = x.orrery()
	client, err := x.client()
	if err != nil {
		return nil, err
	}
	e, err := engine.New(engine.Options{Config: configuration, Start: time.Now()})
	if err != nil {
		return nil, err
	}
	objects := c.cluster()
	storage, err := newStorageServer(objects)
	if err != nil {
		return nil, err
	}
	o := &orrery{engine: e, server: newAPIServer(c, objects), storage: storage, extender: x, client: client}
	for _, object := range objects {
		if err := o.apply(world.Changed{Op: world.Added, Object: object}); err != nil {
			return nil, err
		}
	}
	return o, nil
}

func (o *orrery) schedule(b batch) ([]time.Duration, error) {
	until := time.Now().Add(batchTimeout)
	target := o.server.bound + b.placeable
	o.server.create(b.pods)
	if err := o.storage.create(b.objects); err != nil {
		return nil, err
	}
	for _, object := range b.objects {
		if err := o.apply(world.Changed{Op: world.Added, Object: object}); err != nil {
			return nil, err
		}
	}
	var took []time.Duration
	began := time.Now()
	for o.server.bound < target {
		if !o.asked {
			began = time.Now()
		}
		o.asked = false
		_, decided := o.engine.Step()
		if decided {
			took = append(took, time.Since(began))
		}
		did, err := o.carryOut()
		switch {
		case err != nil:
			return nil, err
		case decided || did:
		case time.Now().After(until):
			return nil, fmt.Errorf("%d of %d pods were scheduled, and nothing is left to do", b.placeable-(target-o.server.bound), b.placeable)
		default:
			if err := o.apply(world.Tick{}); err != nil {
				return nil, err
			}
		}
	}
	return took, nil
}

// carryOut carries out the engine's effects, and those that follow, until there are none.
func (o *orrery) carryOut() (did bool, err error) {
	for effects := o.engine.Effects(); len(effects) > 0; effects = o.engine.Effects() {
		did = true
		for _, effect := range effects {
			if err := o.carry(effect); err != nil {
				return did, err
			}
		}
	}
	return did, nil
}

func (o *orrery) carry(effect world.Effect) error {
	var changes []change
	var err error
	switch act := effect.Action.(type) {
	case world.Bind:
		changes, err = o.server.bind(act.Pod.Name, act.Node)
	case world.PatchStatus:
		changes = o.server.patch(act.Pod.Name, act.Condition, act.NominatedNode)
	case world.Delete:
		changes = o.server.remove(act.Pod.Name)
	case world.ClaimVolume, world.SelectNode:
		err = o.storage.carryOut(act, func(made []change) { changes = made })
	case world.ReserveResourceClaim:
		err = o.storage.reserve(act, func(made []change) { changes = append(changes, made...) })
	case world.CreateResourceClaim:
		_, err = o.storage.createClaim(act.Claim, func(made []change) { changes = made })
	case world.EmitEvent:
		return nil
	case world.CallExtender:
		o.asked = true
		answer, err := o.client.Call(context.Background(), act)
		if err != nil {
			return err
		}
		return o.apply(world.EffectDone{Effect: effect.ID, Outcome: world.Outcome{Answer: answer}})
	default:
		err = fmt.Errorf("an effect of type %T is unexpected with the default profile", act)
	}
	if err == nil {
		changes, err = o.storage.withClaims(changes)
	}
	if err != nil {
		return err
	}
	if err := o.apply(world.EffectDone{Effect: effect.ID}); err != nil {
		return err
	}
	for _, c := range changes {
		if err := o.apply(event(c)); err != nil {
			return err
		}
	}
	return nil
}

func event(c change) world.Changed {
	switch {
	case c.new == nil:
		return world.Changed{Op: world.Deleted, Object: c.old}
	case c.old == nil:
		return world.Changed{Op: world.Added, Object: c.new}
	}
	return world.Changed{Op: world.Modified, Object: c.new}
}

func (o *orrery) apply(event world.Event) error {
	return o.engine.Apply(world.Input{At: time.Now(), Event: event})
}

func (o *orrery) pending(pods []*v1.Pod) int { return o.server.pending(pods) }

func (o *orrery) answering() time.Duration { return o.extender.answering() }

func (o *orrery) close() { o.extender.close() }
