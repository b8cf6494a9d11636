package live

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"

	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"

	"orrery/core/world"
)

// deafSink is an API server that answers no event until its caller gives up.
type deafSink struct{ writing, created, patched atomic.Int64 }

func (s *deafSink) Create(ctx context.Context, _ *eventsv1.Event) (*eventsv1.Event, error) {
	s.created.Add(1)
	return s.wait(ctx)
}

func (s *deafSink) Update(ctx context.Context, _ *eventsv1.Event) (*eventsv1.Event, error) {
	return s.wait(ctx)
}

func (s *deafSink) Patch(ctx context.Context, _ *eventsv1.Event, _ []byte) (*eventsv1.Event, error) {
	s.patched.Add(1)
	return s.wait(ctx)
}

func (s *deafSink) wait(ctx context.Context) (*eventsv1.Event, error) {
	s.writing.Add(1)
	defer s.writing.Add(-1)
	<-ctx.Done()
	return nil, errors.New("gave up")
}

// However many events an API server does not answer, those of two broadcasters at most are being written.
func TestEvents_AreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(klog.NewContext(t.Context(), klog.Logger{}))
		sink := &deafSink{}
		a := &eventEmitter{ctx: ctx, core: record.NewBroadcaster(record.WithContext(ctx)), sink: sink, most: 10, logger: klog.Logger{}.V(0)}
		defer a.stop()
		defer cancel()
		emit := func(pod int) {
			a.emit(world.EmitEvent{
				Regarding: world.PodRef{Namespace: "default", Name: fmt.Sprint("pod-", pod)}, Type: "Normal", Reason: "Scheduled", Action: "Binding", Note: "x", Controller: "c",
			}, nil, nil)
			synctest.Wait()
		}
		for i := range 35 {
			emit(i)
		}
		if created, writing := sink.created.Load(), sink.writing.Load(); created != 35 || writing != 15 {
			t.Errorf("%d events are written of %d, want 15 of 35: those of the last two broadcasters", writing, created)
		}
		emit(34)
		if sink.patched.Load() != 1 {
			t.Error("an equal event of the same broadcaster does not become a series")
		}
		emit(5)
		if sink.created.Load() != 36 {
			t.Error("an event that equals a forgotten one is not written anew")
		}
	})
}
