package console

import (
	"context"
	"fmt"
	"slices"
	"time"

	"orrery/core/engine"
	"orrery/core/replica"
	"orrery/core/trace/play"
	"orrery/core/world"
	"orrery/core/world/live"
)

// beReplica has the session stand for the scheduler's lease.
func (s *Session) beReplica(ctx context.Context) error {
	r, err := replica.New(replica.Options{
		Config: s.options.Config, Plugins: s.options.Plugins, KubeConfig: s.options.KubeConfig, Identity: s.options.Identity,
		Seed: s.options.Seed, Logger: quiet(), Kinds: func(e *engine.Engine) (kinds []world.Kind, err error) {
			s.engine = e
			return s.mayDecide(ctx, e)
		},
		Instruments: replica.Instruments{
			Prepare: func(o *engine.Options) { o.Observer, o.Start = s.options.Observer, time.Now().Round(0) },
			Witness: func(e *engine.Engine) engine.Witness {
				if s.options.Witness == nil {
					return waker{s}
				}
				return play.Witnesses{s.options.Witness(e), waker{s}}
			},
		},
	})
	if err != nil {
		return err
	}
	s.look, s.leading, s.awaits = r.Look, r.Leading, r.Missing
	s.hand.Activate = r.Ask
	until, over := context.WithCancel(context.Background())
	running, cancel := context.WithCancel(context.Background())
	s.until, s.stop = until, cancel
	go func() {
		err := r.Run(running)
		over()
		s.finish(err)
	}()
	go s.watchSync(until, r)
	return nil
}

// mayDecide finds out what may be read. Who decides has to read all that the plugins ask for: with part of the pods nodes
// would be filled beyond what they have, and without budgets preemption would not heed them.
func (s *Session) mayDecide(ctx context.Context, e *engine.Engine) ([]world.Kind, error) {
	kinds, err := wanted(e)
	if err != nil {
		return nil, err
	}
	if s.sight, err = look(ctx, s.client, kinds, ""); err != nil {
		return nil, err
	}
	needed, err := live.Watched(e)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(s.sight.unseen, func(k world.Kind) bool { return slices.Contains(needed, k) }) {
		return nil, fmt.Errorf("--schedule takes rights that you have not, to read %s; without --schedule the console shows what may be seen",
			brief(s.sight.missing))
	}
	return s.sight.kinds, nil
}

// watchSync notices when everything was listed once.
func (s *Session) watchSync(ctx context.Context, r *replica.Replica) {
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

// waker is a witness that only says that something has happened.
type waker struct{ *Session }

func (w waker) Applied(world.Input, error) { w.wake() }
func (w waker) Stepped(*engine.Decision)   {}
func (w waker) Wanted(world.Effect)        {}
