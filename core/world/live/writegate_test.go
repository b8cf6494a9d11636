package live_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"orrery/core/testing/mk"
	"orrery/core/world/live"
)

// passing is a step of a transport in which time passes.
type passing struct {
	next http.RoundTripper
	then func()
}

func (p passing) RoundTrip(r *http.Request) (*http.Response, error) {
	p.then()
	return p.next.RoundTrip(r)
}

// waiting is a rate limiter in which time passes.
type waiting struct{ then func() }

func (w waiting) Wait(context.Context) error { w.then(); return nil }
func (w waiting) TryAccept() bool            { w.then(); return true }
func (w waiting) Accept()                    { w.then() }
func (waiting) Stop()                        {}
func (waiting) QPS() float32                 { return 0 }

// The term ends somewhere on the way of a write from the scheduler to the connection.
func TestWriteGate_IsTheLastStep(t *testing.T) {
	for name, delay := range map[string]func(c *rest.Config, ends func()){
		"in the rate limiter": func(c *rest.Config, ends func()) { c.RateLimiter = waiting{ends} },
		"in a transport that the configuration wraps": func(c *rest.Config, ends func()) {
			c.Wrap(func(next http.RoundTripper) http.RoundTripper { return passing{next, ends} })
		},
		"while the connection is made": func(c *rest.Config, ends func()) {
			c.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
				ends()
				return (&net.Dialer{}).DialContext(ctx, network, address)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			var sent atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				if _, err := io.ReadAll(r.Body); err == nil { // an API server does nothing before that
					sent.Add(1)
				}
			}))
			defer server.Close()
			var ended atomic.Bool
			gate := live.NewWriteGate(func() bool { return !ended.Load() })
			c := &rest.Config{Host: server.URL}
			delay(c, func() { ended.Store(true) })
			gate.Guard(c)
			client, err := live.NewClient(c)
			if err != nil {
				t.Fatal(err)
			}
			err = client.CoreV1().Pods("default").Bind(t.Context(), &v1.Binding{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.CreateOptions{})
			if !errors.Is(err, live.ErrNotLeading) || sent.Load() > 0 {
				t.Errorf("the write: %v; the server got %d", err, sent.Load())
			}
			if !gate.Await(0) {
				t.Error("a write that was not sent counts as under way")
			}
		})
	}
}

func TestWriteGate_CutsOffWhatIsUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t)
		gate := live.NewWriteGate(func() bool { return true })
		held := make(chan struct{})
		s.setFault(func(*http.Request) fault { return fault{wait: held} })
		c := &rest.Config{Host: "http://stub", Dial: s.dial, QPS: -1}
		gate.Guard(c)
		client, err := live.NewClient(c)
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 2)
		go func() {
			ended <- client.CoreV1().Pods("default").Bind(t.Context(), &v1.Binding{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.CreateOptions{})
		}()
		synctest.Wait()
		if gate.Await(time.Second) {
			t.Error("a write without an answer is not under way")
		}
		gate.CutOff()
		if !gate.Await(time.Second) {
			t.Error("a write that was cut off is still under way")
		}
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the write that was cut off: %v", err)
		}
		err = client.CoreV1().Pods("default").Delete(t.Context(), "a", metav1.DeleteOptions{})
		if !errors.Is(err, live.ErrNotLeading) {
			t.Errorf("a write after that: %v", err)
		}
		close(held)
	})
}

func TestAwaitVersion_WaitsForAllKindsAndTheEngine(t *testing.T) {
	play(t, func(s *harness) {
		s.listed()
		reached := make(chan error, 1)
		arrives := func() bool {
			synctest.Wait()
			select {
			case err := <-reached:
				if err != nil {
					t.Error(err)
				}
				return true
			default:
				return false
			}
		}
		ctx, cancel := context.WithTimeout(s.t.Context(), time.Hour)
		defer cancel()
		version := s.count(&s.version) + 3
		go func() { reached <- s.cluster.AwaitVersion(ctx, strconv.Itoa(version)) }()
		if arrives() {
			t.Error("reached before anything happened")
		}
		s.put(mk.Pod("c").Obj()) // version+1 of 3
		s.put(nodeX)
		s.next()
		s.next()
		if arrives() {
			t.Error("reached by an earlier version")
		}
		s.put(podA)
		s.put(nodeX)
		if arrives() {
			t.Error("reached before a node's version, or before the engine has it")
		}
		s.put(podB)
		for range 3 {
			s.next()
		}
		if !arrives() {
			t.Error("not reached, although all kinds have come so far and were handed out")
		}
	}, podA)
}

// What happens to nothing reaches no version.
func TestAwaitVersion_EndsWithItsContext(t *testing.T) {
	play(t, func(s *harness) {
		s.listed()
		ctx, cancel := context.WithTimeout(s.t.Context(), time.Second)
		defer cancel()
		var err error
		took := elapses(func() { err = s.cluster.AwaitVersion(ctx, "1000000") })
		if took != time.Second || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("it took %v: %v", took, err)
		}
	}, podA)
}

// A version that is no number is reached when the watch says anything.
func TestAwaitVersion_WithoutOrderOfVersions(t *testing.T) {
	play(t, func(s *harness) {
		s.listed()
		reached := make(chan error, 1)
		go func() { reached <- s.cluster.AwaitVersion(s.t.Context(), "green") }()
		synctest.Wait()
		s.put(podB)
		s.put(nodeX)
		s.next()
		s.next()
		if err := <-reached; err != nil {
			t.Error(err)
		}
	}, podA)
}
