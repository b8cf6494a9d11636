package console

import (
	"context"
	"time"

	"orrery/core/engine"
	"orrery/core/replica"
	"orrery/core/trace/play"
	"orrery/core/world"
)

// beReplica has the session stand for the scheduler's lease.
func (s *Session) beReplica(ctx context.Context) error {
	r, err := replica.New(replica.Options{
		Config: s.options.Config, Plugins: s.options.Plugins, KubeConfig: s.options.KubeConfig, Identity: s.options.Identity,
		Seed: s.options.Seed, Logger: quiet(), Kinds: func(e *engine.Engine) (kinds []world.Kind, err error) {
			s.engine = e
			if kinds, err = wanted(e); err != nil {
				return nil, err
			}
			kinds, s.missing, err = Reachable(ctx, s.client, kinds)
			return kinds, err
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
