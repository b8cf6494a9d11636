package attach_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"orrery/core/trace/attach"
	"orrery/core/trace/play"
	"orrery/core/trace/stream"
)

// drip is a stream of which a byte comes every ten seconds, which is often enough not to be lost.
type drip struct {
	from   io.Reader
	closed chan struct{}
}

func newDrip(from io.Reader) *drip { return &drip{from, make(chan struct{}, 1)} }

func (d *drip) Read(p []byte) (int, error) {
	select {
	case <-time.After(10 * time.Second):
		return d.from.Read(p[:1])
	case <-d.closed:
		return 0, errors.New("closed")
	}
}

func (d *drip) Close() error {
	select {
	case d.closed <- struct{}{}:
	default:
	}
	return nil
}

func (d *drip) connection() *attach.Connection {
	return &attach.Connection{ReadCloser: d, Where: "pod kube-system/a", EndReason: func() string { return "" }, Speaker: stream.Speaker{Identity: "a"}}
}

func TestSnapshot_EndsWhenStateComesTooSlowly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScheduler(t, "a")
		s.schedule("p1")
		began := time.Now()
		_, err := attach.Snapshot(newDrip(&s.sent).connection(), play.Options{})
		if err == nil || !strings.Contains(err.Error(), "reading the stream of pod kube-system/a: the state of the scheduler has not come whole within 5m0s") {
			t.Errorf("the error is %v", err)
		}
		if took := time.Since(began); took != 5*time.Minute {
			t.Errorf("it took %v", took)
		}
	})
}

func TestSession_BeginsInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScheduler(t, "a")
		s.schedule("p1")
		_, err := attach.Open(t.Context(), attach.Options{
			Connect: func(context.Context, time.Duration) (*attach.Connection, error) {
				return newDrip(&s.sent).connection(), nil
			},
			Play: func() play.Options { return play.Options{} },
		})
		if err == nil || !strings.Contains(err.Error(), "has not come whole within 5m0s") {
			t.Errorf("the error is %v", err)
		}
	})
}
