package app_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"

	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/trace/play"
	"orrery/core/trace/stream"
	"orrery/core/world"
)

// schedulerStub is a scheduler that leads and serves its stream. It has a node for two pods, a pod that fits nowhere, and a new pod of the
// namespace shop at every beat, of which each takes the place of the last.
type schedulerStub struct {
	mu        sync.Mutex
	engine    *engine.Engine
	scheduler *drive.Scheduler
	feed      *play.Feed
	beats     int
}

// newSchedulerStub starts one, and returns its address.
func newSchedulerStub(t *testing.T) string {
	t.Helper()
	o := engine.Options{Start: time.Now().Add(-time.Minute).UTC().Truncate(time.Second)}
	e, err := engine.New(o)
	if err != nil {
		t.Fatal(err)
	}
	s := &schedulerStub{engine: e, feed: play.NewFeed(e, o, nil)}
	s.scheduler = drive.NewScheduler(e, s.feed)
	s.feed.SetOutage("nothing is recorded on disk since 09:12:30: no space left on device")
	huge := mk.Pod("huge").UID("huge").Namespace("shop").CPU("20").Obj()
	huge.Status.Conditions = []v1.PodCondition{{Type: v1.PodScheduled, Status: v1.ConditionFalse, Message: "0/1 nodes are available: 1 Insufficient cpu."}}
	s.apply(world.Added, mk.Node("node-1").CPU("2").Memory("8Gi").Pods("10").Obj(), huge)
	server := httptest.NewServer(stream.NewServer(s, "v1.2.3", 8, klog.Logger{}))
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(func() {
		stop()
		server.CloseClientConnections()
		server.Close()
	})
	go s.beat(ctx)
	return server.URL
}

func (s *schedulerStub) apply(op world.Op, objects ...world.Object) {
	for _, o := range objects {
		s.scheduler.Apply(world.Input{At: s.engine.Now().Add(100 * time.Millisecond), Event: world.Changed{Op: op, Object: o}})
		s.scheduler.Effects()
	}
}

// beat goes on until the context ends.
func (s *schedulerStub) beat(ctx context.Context) {
	each := time.NewTicker(20 * time.Millisecond)
	defer each.Stop()
	for {
		select {
		case <-each.C:
		case <-ctx.Done():
			return
		}
		s.mu.Lock()
		pod := mk.Pod(fmt.Sprintf("web-%d", s.beats)).UID(fmt.Sprint("web", s.beats)).Namespace("shop").CPU("1").Obj()
		s.apply(world.Added, pod)
		s.apply(world.Deleted, pod)
		s.beats++
		s.feed.Checkpoint()
		s.mu.Unlock()
	}
}

func (s *schedulerStub) Subscribe(_ context.Context, o play.SubscriptionOptions) (*play.Subscriber, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.feed.Subscribe(o), nil
}

func (s *schedulerStub) Identity() string { return "orrery-7d4f9c-x2x9p_5b1f0c9e" }
func (s *schedulerStub) Leading() bool    { return true }
func (s *schedulerStub) Observing() bool  { return false }
