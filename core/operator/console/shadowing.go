package console

import (
	"context"
	"time"

	configv1 "k8s.io/kube-scheduler/config/v1"

	"orrery/core/answers/shadow"
	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/plugins/unreadable"
	"orrery/core/world/live"
)

// startShadow starts to shadow the cluster's scheduler. If not all pods and nodes are readable, the engine never
// decides: its Lead channel stays open.
func (s *Session) startShadow(ctx context.Context) error {
	began := time.Now()
	kinds, watched, err := s.requiredKinds()
	if err != nil {
		return err
	}
	if s.access, err = checkAccess(ctx, s.client, kinds, watched, s.options.Namespace); err != nil {
		return err
	}
	decides := s.access.whyNotDeciding() == ""
	guarded := unreadable.Guard(s.options.Config, s.access.notWholly())
	s.unevaluatedClaims = guarded != s.options.Config
	sh, err := shadow.New(shadow.Options{Observer: s.options.Observer, NoComparison: !decides, AskExtenders: s.options.AskExtenders, Engine: engine.Options{
		Config: guarded, Plugins: s.options.Plugins, NoReuse: s.options.NoReuse, KubeConfig: s.options.KubeConfig, Seed: s.options.Seed, OnTiming: s.options.OnTiming,
		Stopwatch: func() time.Duration { return time.Since(began) }, Start: began.Round(0),
	}})
	if err != nil {
		return err
	}
	var extenders []configv1.Extender
	if s.options.AskExtenders {
		extenders = guarded.Extenders
	}
	cluster, err := live.New(live.Options{
		Client: s.client, Extenders: extenders, Kinds: s.access.kinds, Namespaces: s.access.namespaces, Held: sh.Engine().Store(), Logger: quietLogger(),
		Gate: live.NewWriteGate(func() bool { return false }),
	})
	if err != nil {
		return err
	}
	loop := drive.NewRealTime(sh.Engine(), cluster)
	loop.Around, loop.Observers, loop.Logger = sh, []drive.Observer{waker{s}}, quietLogger()
	if !decides {
		loop.Lead = make(chan struct{})
	}
	s.engine, s.comparator, s.inspect, s.unsynced = sh.Engine(), sh.Comparator(), loop.Inspect, cluster.Unsynced
	s.synced.Store(len(s.access.kinds) == 0) // without a kind to read there is no list to wait for
	until, cancel := context.WithCancel(context.Background())
	s.until, s.stop = until, cancel
	cluster.Start()
	go s.awaitSync(until, cluster.Synced())
	go s.connection.Listen(until, s.askForLease)
	go func() {
		err := loop.Run(until)
		cancel()
		cluster.Stop()
		s.finish(err)
	}()
	return nil
}

// awaitSync waits until every kind was listed once.
func (s *Session) awaitSync(ctx context.Context, synced <-chan struct{}) {
	select {
	case <-synced:
		s.synced.Store(true)
		s.wake()
	case <-ctx.Done():
	}
}
