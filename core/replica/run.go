package replica

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	"orrery/core/engine"
)

// run is what one Run has going.
type run struct {
	*Replica
	work   context.Context // ends when everything has to stop at once
	cutOff context.CancelCauseFunc
	begin  func() // to follow the cluster
	driven chan error
	begun  chan struct{}
}

// Run takes part until the context ends, or something ends it; see the package comment.
func (r *Replica) Run(ctx context.Context) error {
	x := &run{Replica: r, driven: make(chan error, 1), begun: make(chan struct{})}
	x.work, x.cutOff = context.WithCancelCause(context.WithoutCancel(ctx))
	x.begin = sync.OnceFunc(func() {
		r.cluster.Start()
		go func() { x.driven <- r.drive.Run(x.work) }()
		go x.refresh()
		close(x.begun)
	})
	defer r.cluster.Stop()
	defer x.cutOff(nil)
	election := r.options.Config.LeaderElection
	if !*election.LeaderElect {
		x.begin()
		x.takeOffice()
		return x.workOn(ctx)
	}
	if !r.options.Config.DelayCacheUntilActive {
		x.begin()
	}
	return x.stand(ctx)
}

// refresh has levels read off the engine, until everything stops.
func (x *run) refresh() {
	look := x.options.Instruments.Refresh
	if look == nil {
		return
	}
	each := time.NewTicker(time.Second)
	defer each.Stop()
	for {
		select {
		case <-each.C:
			_ = x.drive.Look(x.work, func(e *engine.Engine) { look(e, x.cluster.Pending) }) // fails when all is over
		case <-x.work.Done():
			return
		}
	}
}

// takeOffice begins to act.
func (x *run) takeOffice() {
	x.begin()
	x.leading.Store(true)
	close(x.lead)
	x.options.Logger.Info("Scheduling")
}

// workOn schedules without a lease.
func (x *run) workOn(ctx context.Context) error {
	select {
	case err := <-x.driven:
		return err
	case <-ctx.Done():
		x.bringToAnEnd()
		return ErrNoElection
	}
}

// stand takes part in the election until told to stop, or until the lease is lost.
func (x *run) stand(ctx context.Context) error {
	elector, err := x.elector()
	if err != nil {
		return err
	}
	standing, resign := context.WithCancel(context.WithoutCancel(ctx))
	defer resign()
	x.candidacy.stand(standing)
	elected := make(chan struct{})
	go func() {
		defer close(elected)
		elector.Run(standing)
	}()
	select {
	case <-ctx.Done():
		x.bringToAnEnd()
		resign()
		<-elected // the lease is released
		x.options.Logger.Info("Requested to terminate, exiting")
		return nil
	case err := <-x.driven:
		x.cutOff(err)
		resign()
		<-elected
		if err == nil {
			err = context.Cause(x.work)
		}
		return err
	case <-x.term.Load().recalled:
		x.options.Logger.Info("The lease is wanted for another, which the control plane prefers")
		x.bringToAnEnd()
		resign()
		<-elected // the lease is released
	case <-x.work.Done():
	case <-elected:
	}
	x.cutOff(ErrLostLease)
	x.options.Logger.Error(nil, "Leaderelection lost")
	return ErrLostLease
}

// bringToAnEnd lets bindings under way end, for so long.
func (x *run) bringToAnEnd() {
	close(x.drain)
	select {
	case <-x.begun:
	default:
		return
	}
	patience := time.NewTimer(drainMost)
	defer patience.Stop()
	select {
	case <-x.driven:
	case <-x.work.Done():
	case <-patience.C:
		x.options.Logger.Info("Bindings are cut off that did not end in time", "waited", drainMost)
	}
	x.cutOff(errors.New("told to stop"))
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
	t := newTerm(lock, election.RenewDeadline.Duration, func() { x.cutOff(ErrLostLease) })
	x.term.Store(t)
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: t, LeaseDuration: election.LeaseDuration.Duration, RenewDeadline: election.RenewDeadline.Duration,
		RetryPeriod: election.RetryPeriod.Duration, ReleaseOnCancel: true, Name: leaseClient, WatchDog: x.health,
		Coordinated: x.coordinated(),
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) { x.takeOffice() },
			OnStoppedLeading: func() {},
		},
	})
	if err != nil {
		return nil, fmt.Errorf("couldn't create leader elector: %w", err)
	}
	x.health.SetLeaderElection(elector)
	return elector, nil
}
