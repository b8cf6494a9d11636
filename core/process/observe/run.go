package observe

import (
	"context"
	"errors"
	"time"

	"orrery/core/answers/shadow"
	"orrery/core/safe/panics"
	"orrery/core/scheduler/engine"
)

// Run observes until the context ends, which is no error, or until it cannot go on: then the process is to be restarted.
func (b *Observer) Run(ctx context.Context) error {
	working, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	b.cluster.Start()
	ended, driven := make(chan error, 3), make(chan struct{})
	go func() {
		defer close(driven)
		ended <- b.loop.Run(working)
	}()
	go func() {
		if err := panics.Call("looking at what is observed", func() { ended <- b.look(working) }); err != nil {
			ended <- err
		}
	}()
	go func() {
		if err := panics.Call("listening to the API server", func() { b.monitor.Listen(working, b.askForVersion) }); err != nil {
			ended <- err
		}
	}()
	b.Recording.Start(working)
	b.options.Logger.Info("Observing", "kinds", b.access.Kinds)
	var err error
	select {
	case <-ctx.Done():
	case err = <-ended:
	}
	stop()
	<-driven
	b.Recording.End()
	b.cluster.Stop()
	if panicked := (*panics.Error)(nil); errors.As(err, &panicked) {
		b.options.Logger.Error(err, "The observer panicked", "stack", panicked.Stack)
	}
	return err
}

// look looks at everything once a second, between two inputs. It returns when the context ends.
func (b *Observer) look(ctx context.Context) error {
	each := time.NewTicker(time.Second)
	defer each.Stop()
	for {
		b.noteTrouble(time.Now())
		err := b.loop.Inspect(ctx, func(e *engine.Engine) { b.refresh(e, time.Now()) })
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		}
		select {
		case <-each.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// refresh tells the readers how it stands, and updates the figures.
func (b *Observer) refresh(e *engine.Engine, now time.Time) {
	b.process.Refresh(e)
	for _, f := range b.differences.Fresh(b.shadow.Comparator()) {
		b.Feed().AddMark(markOf(&f))
	}
	b.Feed().SetBehind(*b.trouble.Load())
	b.Recording.Refresh(now)
	if refresh := b.options.Instruments.Refresh; refresh != nil {
		refresh(e, b.shadow.Comparator())
	}
}

// Agreement calls read with what compares the two schedulers, between two inputs.
func (b *Observer) Agreement(ctx context.Context, read func(*shadow.Comparator)) error {
	return b.loop.Inspect(ctx, func(*engine.Engine) { read(b.shadow.Comparator()) })
}

// askForVersion makes a small request, for which everybody has the right.
func (b *Observer) askForVersion(ctx context.Context) {
	_, _ = b.client.Discovery().RESTClient().Get().AbsPath("/version").Do(ctx).Raw()
}
