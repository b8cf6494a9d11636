package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	kube "k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// upstream is kube-scheduler's scheduler. Its scheduling loop runs on the caller's goroutine; a second goroutine is the
// watch, which applies the client's writes and calls the informers' handlers.
type upstream struct {
	sched  *kube.Scheduler
	told   *informers
	server *apiserver
	asked  *extenderServer
	client client
	cancel context.CancelFunc
	ctx    context.Context

	closeQueue func() // it panics when it is closed twice

	writes    chan write
	confirmed sync.WaitGroup // counts the pods that are still to be bound
	broken    error          // the watch's error; read after confirmed

	popped time.Time // when the last pod left the queue; zero if none did
	failed bool      // the last pod was unschedulable
}

// maxWrites is more writes than a run can have in flight.
const maxWrites = 1 << 16

func newUpstream(c testCase) (scheduler, error) {
	ctx, cancel := context.WithCancel(context.Background())
	u := &upstream{ctx: ctx, cancel: cancel, writes: make(chan write, maxWrites)}
	objects := c.cluster()
	u.server = newAPIServer(c, objects)
	storage, err := newStorageServer(objects)
	if err != nil {
		cancel()
		return nil, err
	}
	u.client = client{storage: storage, writes: u.writes}
	u.told = newInformers(u.client)
	if u.asked, err = newExtenderServer(c.row); err != nil {
		cancel()
		return nil, err
	}
	sched, err := kube.New(ctx, u.client, u.told.factory, nil,
		func(string) events.EventRecorderLogger { return discard{} }, kube.WithPercentageOfNodesToScore(&c.percentage),
		kube.WithExtenders(u.asked.upstream()...))
	if err != nil {
		cancel()
		return nil, err
	}
	u.sched, u.closeQueue = sched, sync.OnceFunc(sched.SchedulingQueue.Close)
	u.instrument()
	for _, object := range objects {
		if err := u.told.added(object); err != nil {
			cancel()
			return nil, err
		}
	}
	sched.SchedulingQueue.Run(klog.FromContext(ctx))
	go u.watch()
	return u, nil
}

// instrument wraps NextEntity and FailureHandler to record when a pod leaves the queue and whether it was unschedulable.
func (u *upstream) instrument() {
	pop, fail := u.sched.NextEntity, u.sched.FailureHandler
	u.sched.NextEntity = func(logger klog.Logger) (framework.QueuedEntityInfo, error) {
		entity, err := pop(logger)
		u.popped = time.Time{}
		if entity != nil {
			u.popped = time.Now()
		}
		return entity, err
	}
	u.sched.FailureHandler = func(ctx context.Context, f framework.Framework, pod *framework.QueuedPodInfo, status *fwk.Status, n *fwk.NominatingInfo, start time.Time) {
		u.failed = true
		fail(ctx, f, pod, status, n, start)
	}
}

func (u *upstream) schedule(b batch) ([]time.Duration, error) {
	giveUp := time.AfterFunc(batchTimeout, u.closeQueue)
	defer giveUp.Stop()
	u.server.create(b.pods)
	u.confirmed.Add(b.placeable)
	if err := u.client.storage.create(b.objects); err != nil {
		return nil, err
	}
	for _, object := range b.objects {
		if err := u.told.added(object); err != nil {
			return nil, err
		}
	}
	var took []time.Duration
	for placed := 0; placed < b.placeable; {
		u.failed = false
		u.sched.ScheduleOne(u.ctx)
		if u.popped.IsZero() {
			return nil, fmt.Errorf("%d of %d pods were scheduled, and nothing is left to do", placed, b.placeable)
		}
		took = append(took, time.Since(u.popped))
		if !u.failed {
			placed++
		}
	}
	u.confirmed.Wait()
	return took, u.broken
}

// watch applies the client's writes in order and notifies the informers of the changes.
func (u *upstream) watch() {
	for {
		select {
		case <-u.ctx.Done():
			return
		case w := <-u.writes:
			changes, err := w.to(u.server)
			u.broken = errors.Join(u.broken, err)
			changes, err = u.client.storage.withClaims(changes)
			u.broken = errors.Join(u.broken, err)
			for _, c := range changes {
				u.broken = errors.Join(u.broken, u.told.changed(c))
			}
			if w.node != "" {
				u.confirmed.Done()
			}
		}
	}
}

func (u *upstream) pending(pods []*v1.Pod) int { return u.server.pending(pods) }

func (u *upstream) answering() time.Duration { return u.asked.answering() }

func (u *upstream) close() {
	u.asked.close()
	u.cancel()
	u.closeQueue()
}

// discard is an event recorder that drops all events.
type discard struct{}

func (discard) Eventf(runtime.Object, runtime.Object, string, string, string, string, ...any) {}

func (d discard) WithLogger(klog.Logger) events.EventRecorderLogger { return d }
