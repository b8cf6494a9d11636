package console

import (
	"context"
	"fmt"
	"slices"
	"time"

	"orrery/core/process/replica"
	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// startReplica runs a replica that competes for the scheduler's lease.
func (s *Session) startReplica(ctx context.Context) error {
	r, err := replica.New(replica.Options{
		Config: s.options.Config, Plugins: s.options.Plugins, NoReuse: s.options.NoReuse, KubeConfig: s.options.KubeConfig, Identity: s.options.Identity,
		Seed: s.options.Seed, Logger: quietLogger(), Kinds: func(e *engine.Engine) (kinds []world.Kind, err error) {
			s.engine = e
			return s.checkRights(ctx, e)
		},
		Instruments: replica.Instruments{
			Prepare: func(o *engine.Options) { o.OnTiming, o.Start = s.options.OnTiming, time.Now().Round(0) },
			Observer: func(e *engine.Engine) drive.Observer {
				if s.options.Observer == nil {
					return waker{s}
				}
				return drive.Observers{s.options.Observer(e), waker{s}}
			},
		},
	})
	if err != nil {
		return err
	}
	s.inspect, s.leading, s.unsynced = r.Inspect, r.Leading, r.Unsynced
	s.executor.Activate = r.Activate
	until, over := context.WithCancel(context.Background())
	running, cancel := context.WithCancel(context.Background())
	s.until, s.stop = until, cancel
	go func() {
		err := r.Run(running)
		over()
		s.finish(err)
	}()
	go s.waitForSync(until, r)
	go s.connection.Listen(until, s.askForLease)
	return nil
}

// checkRights tries to read each kind. A scheduler has to read all kinds that the plugins read: without all pods it
// would overcommit nodes, and without budgets preemption would ignore them.
func (s *Session) checkRights(ctx context.Context, e *engine.Engine) ([]world.Kind, error) {
	kinds, watched, err := requiredKinds(e)
	if err != nil {
		return nil, err
	}
	if s.access, err = checkAccess(ctx, s.client, kinds, watched, ""); err != nil {
		return nil, err
	}
	if slices.ContainsFunc(s.access.unreadable, func(k world.Kind) bool { return slices.Contains(watched, k) }) {
		return nil, fmt.Errorf("--schedule needs permission to read %s; without --schedule the console shows what is readable",
			rulesText(s.access.missingRules))
	}
	return s.access.kinds, nil
}

// waitForSync waits until all initial lists were applied.
func (s *Session) waitForSync(ctx context.Context, r *replica.Replica) {
	const every = 100 * time.Millisecond
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for ctx.Err() == nil {
		if r.Synced() == nil {
			s.synced.Store(true)
			s.wake()
			return
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
		}
	}
}

// waker wakes the screen after every input.
type waker struct{ *Session }

func (w waker) Applied(world.Input, error) { w.wake() }
func (w waker) Stepped(d *engine.Decision) {
	if d != nil {
		w.wake()
	}
}
func (w waker) Emitted(world.Effect) {}
