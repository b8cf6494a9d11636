package replica

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	"orrery/core/safe/panics"
	"orrery/core/scheduler/engine"
)

// run is the state of one Run.
type run struct {
	*Replica
	workCtx   context.Context // ends when everything has to stop immediately
	stop      context.CancelCauseFunc
	follow    func()     // follows the cluster
	ended     chan error // gets why the driver, or a part beside it, has ended
	following chan struct{}
	driven    chan struct{} // closed when the driver has ended, and touches the engine no more
}

// Run runs the replica until the context ends or an error; see the package comment.
func (r *Replica) Run(ctx context.Context) error {
	err := r.run(ctx)
	if panicked := (*panics.Error)(nil); errors.As(err, &panicked) {
		r.options.Logger.Error(err, "The scheduler panicked", "stack", panicked.Stack)
	}
	return err
}

func (r *Replica) run(ctx context.Context) error {
	x := &run{Replica: r, ended: make(chan error, 3), following: make(chan struct{}), driven: make(chan struct{})}
	x.workCtx, x.stop = context.WithCancelCause(context.WithoutCancel(ctx))
	x.follow = sync.OnceFunc(func() {
		r.cluster.Start()
		go func() {
			defer close(x.driven)
			x.ended <- r.driver.Run(x.workCtx)
		}()
		go func() {
			if err := x.refresh(); err != nil {
				x.ended <- err
			}
		}()
		x.Recording.Start(x.workCtx)
		close(x.following)
	})
	defer r.cluster.Stop()
	defer func() {
		x.stop(nil)
		select {
		case <-x.following:
			x.awaitDriver()
			x.Recording.End()
		default:
		}
	}()
	election := r.options.Config.LeaderElection
	if !*election.LeaderElect {
		x.follow()
		x.startLeading()
		return x.runWithoutElection(ctx)
	}
	if !r.options.Config.DelayCacheUntilActive {
		x.follow()
	}
	return x.runElection(ctx)
}

// refresh updates gauges from the engine once a second, and tells subscribers that it goes on. It returns nil when everything stops, and
// an error after a panic.
func (x *run) refresh() error {
	each := time.NewTicker(time.Second)
	defer each.Stop()
	for {
		err := x.driver.Inspect(x.workCtx, func(e *engine.Engine) {
			x.process.Refresh(e)
			x.Recording.Refresh(time.Now())
			if refresh := x.options.Instruments.Refresh; refresh != nil {
				refresh(e, x.cluster.Pending)
			}
		})
		switch {
		case x.workCtx.Err() != nil:
			return nil
		case err != nil:
			return err
		}
		select {
		case <-each.C:
		case <-x.workCtx.Done():
			return nil
		}
	}
}

// awaitDriver waits for the end of the scheduling cycle that is under way, after the end of workCtx: until then the engine is the
// driver's. A plugin may hang in there, and another replica leads by then, so that there is a bound.
func (x *run) awaitDriver() {
	timeout := time.NewTimer(cycleTimeout)
	defer timeout.Stop()
	select {
	case <-x.driven:
	case <-timeout.C:
		x.options.Logger.Info("A scheduling cycle is cut off that did not end in time", "waited", cycleTimeout)
	}
}

// startLeading starts to schedule.
func (x *run) startLeading() {
	x.follow()
	x.leading.Store(true)
	close(x.lead)
	x.options.Logger.Info("Scheduling")
}

// acquired starts to schedule under the lease that was just acquired, once the watches have brought what the leader before wrote. Without
// that its last bindings would be unknown, and their nodes would be taken for free.
func (x *run) acquired(ctx context.Context) {
	x.follow()
	select {
	case <-x.cluster.Synced():
	case <-ctx.Done():
		return
	}
	limit, cancel := context.WithTimeout(ctx, x.catchUp)
	defer cancel()
	election := x.options.Config.LeaderElection
	lease, err := x.leases.CoordinationV1().Leases(election.ResourceNamespace).Get(limit, election.ResourceName, metav1.GetOptions{})
	if err == nil {
		err = x.cluster.AwaitVersion(limit, lease.ResourceVersion)
	} else {
		<-limit.Done()
	}
	if ctx.Err() == nil {
		x.options.Logger.V(2).Info("The lease is acquired", "caughtUp", err == nil)
		x.startLeading()
	}
}

// runWithoutElection schedules without a lease.
func (x *run) runWithoutElection(ctx context.Context) error {
	select {
	case err := <-x.ended:
		return err
	case <-ctx.Done():
		x.finishBindings()
		return ErrNoElection
	}
}

// runElection takes part in the election until the context ends or the lease is lost.
func (x *run) runElection(ctx context.Context) error {
	elector, err := x.elector()
	if err != nil {
		return err
	}
	standing, resign := context.WithCancel(context.WithoutCancel(ctx))
	defer resign()
	x.candidacy.start(standing, x.ended)
	elected := make(chan struct{})
	var broken error
	go func() {
		defer close(elected)
		broken = panics.Call("leader election", func() { elector.Run(standing) })
	}()
	select {
	case <-ctx.Done():
		x.finishBindings()
		resign()
		<-elected // the lease is released
		x.options.Logger.Info("Requested to terminate, exiting")
		return nil
	case err := <-x.ended:
		x.stop(err)
		resign()
		<-elected
		if err == nil {
			err = context.Cause(x.workCtx)
		}
		return err
	case <-x.term.Load().replaced:
		x.options.Logger.Info("The lease is wanted for another, which the control plane prefers")
		x.finishBindings()
		resign()
		<-elected // the lease is released
	case <-x.workCtx.Done():
	case <-elected:
		if broken != nil {
			x.stop(broken)
			return broken
		}
	}
	x.stop(ErrLostLease)
	x.options.Logger.Error(nil, "Leaderelection lost")
	return ErrLostLease
}

// finishBindings lets bindings in flight end, for drainTimeout at most.
func (x *run) finishBindings() {
	close(x.drain)
	select {
	case <-x.following:
	default:
		return
	}
	timeout := time.NewTimer(drainTimeout)
	defer timeout.Stop()
	select {
	case <-x.ended:
	case <-x.workCtx.Done():
	case <-timeout.C:
		x.options.Logger.Info("Bindings are cut off that did not end in time", "waited", drainTimeout)
	}
	x.stop(errors.New("told to stop"))
}

// awaitCalls waits for the calls that were cut off at the end of the term.
func (x *run) awaitCalls() {
	if !x.gate.Await(cutOffTimeout) {
		x.options.Logger.Info("The lease is released while a call to the API server is under way that was cut off", "waited", cutOffTimeout)
	}
}

func (x *run) elector() (*leaderelection.LeaderElector, error) {
	election := x.options.Config.LeaderElection
	identity, err := x.identity()
	if err != nil {
		return nil, err
	}
	lock, err := resourcelock.New(election.ResourceLock, election.ResourceNamespace, election.ResourceName,
		x.leases.CoreV1(), x.leases.CoordinationV1(), resourcelock.ResourceLockConfig{
			Identity: identity, EventRecorder: x.cluster.LeaseRecorder(x.engine.Profiles()[0]),
		})
	if err != nil {
		return nil, fmt.Errorf("couldn't create resource lock: %w", err)
	}
	t := newTerm(lock, termAfterRenewal(election, x.options.StrictLease), func() {
		x.stop(ErrLostLease)
		x.gate.CutOff()
	}, x.awaitCalls)
	x.term.Store(t)
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: t, LeaseDuration: election.LeaseDuration.Duration, RenewDeadline: election.RenewDeadline.Duration,
		RetryPeriod: election.RetryPeriod.Duration, ReleaseOnCancel: true, Name: leaseClientName, WatchDog: x.health,
		Coordinated: x.coordinated(),
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: x.acquired,
			OnStoppedLeading: func() {},
		},
	})
	if err != nil {
		return nil, fmt.Errorf("couldn't create leader elector: %w", err)
	}
	x.health.SetLeaderElection(elector)
	return elector, nil
}
