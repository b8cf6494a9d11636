package console

import (
	"context"
	"errors"
	"time"

	"orrery/core/cache"
	"orrery/core/engine"
	"orrery/core/shadow"
	"orrery/core/world"
	"orrery/core/world/live"
)

// beside drives a shadow: what live.Drive does for an engine that acts.
type beside struct {
	*Session
	shadow   *shadow.Shadow
	cluster  *live.Cluster
	inputs   chan world.Input
	asks     chan ask
	unlisted map[world.Kind]bool
}

// ask is a look at the engine between two inputs.
type ask struct {
	look func(*engine.Engine)
	done chan struct{}
}

const (
	inputsAtOnce = 1024                 // taken in between two decisions, at most
	inputsKept   = 4096                 // wait to be taken in
	staleAfter   = 5 * time.Millisecond // by how much the engine's time may lag behind while it decides
	restMost     = 10 * time.Second
)

func (s *Session) beShadow(ctx context.Context) error {
	began := time.Now()
	b := &beside{Session: s, inputs: make(chan world.Input, inputsKept), asks: make(chan ask), unlisted: map[world.Kind]bool{}}
	kinds, err := s.wanted()
	if err != nil {
		return err
	}
	if s.sight, err = look(ctx, s.client, kinds, s.options.Namespace); err != nil {
		return err
	}
	b.shadow, err = shadow.New(shadow.Options{Witness: s.options.Witness, Unjudged: s.sight.undecided() != "", Engine: engine.Options{
		Config: s.options.Config, Plugins: s.options.Plugins, Seed: s.options.Seed, Observer: s.options.Observer,
		Stopwatch: func() time.Duration { return time.Since(began) }, Start: began.Round(0),
	}})
	if err != nil {
		return err
	}
	s.engine, s.judge, s.look = b.shadow.Engine(), b.shadow.Judge(), b.ask
	for _, kind := range s.sight.kinds {
		b.unlisted[kind] = true
	}
	s.synced.Store(len(b.unlisted) == 0) // who may read nothing waits for nothing
	b.cluster, err = live.New(live.Options{
		Client: s.client, Kinds: s.sight.kinds, Within: s.sight.within, Logger: quiet(), Allowed: func() bool { return false },
	})
	if err != nil {
		return err
	}
	s.awaits = b.cluster.Missing
	until, cancel := context.WithCancel(context.Background())
	s.until, s.stop = until, cancel
	b.cluster.Start()
	go b.read(until)
	go func() {
		err := b.run(until)
		cancel()
		b.cluster.Stop()
		s.finish(err)
	}()
	return nil
}

// read hands on what happens.
func (b *beside) read(ctx context.Context) {
	for ctx.Err() == nil {
		in, ok := b.cluster.Next(b.cluster.Now().Add(restMost))
		if !ok {
			continue
		}
		select {
		case b.inputs <- in:
		case <-ctx.Done():
		}
	}
}

// ask has the engine looked at by the goroutine that drives it.
func (b *beside) ask(ctx context.Context, look func(*engine.Engine)) error {
	a := ask{look, make(chan struct{})}
	select {
	case b.asks <- a:
		<-a.done
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// run drives until the context ends, or until the engine cannot vouch for its state any more.
func (b *beside) run(ctx context.Context) error {
	restless, decides := true, b.sight.undecided() == ""
	for ctx.Err() == nil {
		took, err := b.takeIn(restless && decides)
		if err != nil {
			return err
		}
		if restless = restless || took; restless && decides && len(b.unlisted) == 0 {
			_, restless = b.shadow.Step()
			b.wake()
			b.glance()
			continue
		}
		if err := b.rest(ctx); err != nil {
			return err
		}
		restless = true
	}
	return nil
}

// takeIn applies what has happened, and lets time pass if nothing has, while there is something to decide.
func (b *beside) takeIn(restless bool) (took bool, err error) {
	for range inputsAtOnce {
		select {
		case in := <-b.inputs:
			took = true
			if err := b.apply(in); err != nil {
				return took, err
			}
			continue
		default:
		}
		break
	}
	if now := b.cluster.Now(); !took && restless && len(b.unlisted) == 0 && now.Sub(b.engine.Now()) >= staleAfter {
		return true, b.apply(world.Input{At: now, Event: world.Passed{}})
	}
	return took, nil
}

func (b *beside) apply(in world.Input) error {
	err := b.shadow.Apply(in)
	if list, ok := in.Event.(world.Listed); ok && len(b.unlisted) > 0 {
		delete(b.unlisted, list.Kind)
		b.synced.Store(len(b.unlisted) == 0)
	}
	if corrupt := (*cache.CorruptionError)(nil); errors.As(err, &corrupt) {
		return err
	}
	return nil // what was wrong with an input was left out, and is counted
}

// glance answers who has asked, without waiting.
func (b *beside) glance() {
	select {
	case a := <-b.asks:
		a.answer(b.engine)
	default:
	}
}

func (a ask) answer(e *engine.Engine) {
	a.look(e)
	close(a.done)
}

// rest waits until something happens, somebody asks, or a timer is due.
func (b *beside) rest(ctx context.Context) error {
	left := restMost
	if at, due := b.shadow.NextWake(); due && len(b.unlisted) == 0 {
		left = min(left, max(at.Sub(b.cluster.Now()), 0))
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	for {
		select {
		case in := <-b.inputs:
			return b.apply(in)
		case <-timer.C:
			if len(b.unlisted) > 0 {
				return nil
			}
			return b.apply(world.Input{At: b.cluster.Now(), Event: world.Passed{}})
		case a := <-b.asks:
			a.answer(b.engine)
		case <-ctx.Done():
			return nil
		}
	}
}
