package serving

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/transport"
	"k8s.io/klog/v2"

	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/trace/play"
	"orrery/core/trace/stream"
	"orrery/core/world"
)

// scheduler is an engine whose loop is the test.
type scheduler struct {
	mu     sync.Mutex
	engine *engine.Engine
	feed   *play.Feed
	nodes  int
}

func newScheduler(t *testing.T) *scheduler {
	t.Helper()
	o := engine.Options{Start: time.Unix(1e9, 0)}
	e, err := engine.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return &scheduler{engine: e, feed: play.NewFeed(e, o, nil)}
}

// addNode is one input of the engine.
func (s *scheduler) addNode() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nodes++
	in := world.Input{At: time.Unix(1e9+int64(s.nodes), 0), Event: world.Changed{Op: world.Added, Object: mk.Node(fmt.Sprintf("node-%d", s.nodes)).Obj()}}
	s.feed.Applied(in, s.engine.Apply(in))
	s.feed.Stepped(nil)
	s.feed.Checkpoint()
}

func (s *scheduler) Subscribe(_ context.Context, o play.SubscriptionOptions) (*play.Subscriber, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.feed.Subscribe(o), nil
}

func (s *scheduler) Identity() string { return "scheduler-0" }
func (s *scheduler) Leading() bool    { return true }
func (s *scheduler) Observing() bool  { return false }

// streaming serves a scheduler's stream as "orrery run" does, and returns its address and clients by token and version of HTTP.
func streaming(t *testing.T, s *scheduler) (readers *stream.Server, address string, client func(token string, http2 bool) *http.Client) {
	t.Helper()
	readers = stream.NewServer(s, "v1.2.3", stream.DefaultMaxReaders, klog.Background())
	e := endpoints(t)
	e.Stream, e.Config.EnableProfiling = readers, false
	kubeconfig := reviewer{}.kubeconfig(t)
	address = serveAt(t, e, "--authentication-kubeconfig="+kubeconfig, "--authorization-kubeconfig="+kubeconfig)
	return readers, address, func(token string, http2 bool) *http.Client {
		direct := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: http2}
		t.Cleanup(direct.CloseIdleConnections)
		return &http.Client{Transport: withToken(token, direct)}
	}
}

// withToken sends a token with every request, unless it is empty.
func withToken(token string, next http.RoundTripper) http.RoundTripper {
	if token == "" {
		return next
	}
	return transport.NewBearerAuthRoundTripper(token, next)
}

func TestStream_PassesAllFilters(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		t.Run(fmt.Sprintf("HTTP/2 %v", http2), func(t *testing.T) {
			s := newScheduler(t)
			readers, address, client := streaming(t, s)
			s.addNode()
			one, err := stream.Open(t.Context(), client("good", http2), "https://"+address, time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			defer one.Close()
			s.addNode()
			s.addNode()
			readers.End("the scheduler lost its lease")
			e, report, err := play.Replay(one, play.Options{})
			if err != nil || !report.OK() || report.Damage != nil || e.Digest() != s.engine.Digest() || e.Counters().Inputs != 3 {
				t.Errorf("replayed to %v of %v, %+v, %v", e.Digest(), s.engine.Digest(), report, err)
			}
			if one.EndReason() != "the scheduler lost its lease" || one.Identity != "scheduler-0" || !one.Leading {
				t.Errorf("it speaks as %+v and ends as %q", one.Speaker, one.EndReason())
			}
		})
	}
}

func TestStream_IsForThoseWhoMay(t *testing.T) {
	_, address, client := streaming(t, newScheduler(t))
	for token, want := range map[string]error{"bad": stream.ErrUnauthenticated, "": stream.ErrForbidden} {
		if _, err := stream.Open(t.Context(), client(token, true), "https://"+address, 0); !errors.Is(err, want) {
			t.Errorf("token %q: %v", token, err)
		}
	}
	without := serveAt(t, endpoints(t), "--authorization-always-allow-paths="+stream.Path)
	if _, err := stream.Open(t.Context(), client("", true), "https://"+without, 0); !errors.Is(err, stream.ErrNotServed) {
		t.Errorf("a server without a stream: %v", err)
	}
}

// Hostile readers keep neither the scheduler nor a reader that reads.
func TestStream_GoesOnBesideHostileReaders(t *testing.T) {
	s := newScheduler(t)
	readers, address, client := streaming(t, s)
	s.addNode()
	good, err := stream.Open(t.Context(), client("good", true), "https://"+address, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer good.Close()
	request := "GET " + stream.Path + " HTTP/1.1\r\nHost: x\r\n"
	for i := range 200 {
		conn, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true})
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		hostile := []string{
			"",                                  // opens and says nothing
			request[:20],                        // stops in the middle of its request
			"\x16\x03\x01 no HTTP \x00\r\n\r\n", // garbage
			request + "Authorization: Bearer bad\r\n\r\n",
			request + "Authorization: Bearer good\r\nX: " + strings.Repeat("x", 2<<20) + "\r\n\r\n", // giant headers
			request + "Authorization: Bearer good\r\n\r\n",                                          // reads nothing
		}[i%6]
		_, _ = io.WriteString(conn, hostile) // the server may close it meanwhile
		if i%7 == 0 {
			halfClose(conn)
		}
		s.addNode()
	}
	readers.End("it was enough")
	e, report, err := play.Replay(good, play.Options{})
	if err != nil || !report.OK() || report.Damage != nil || e.Digest() != s.engine.Digest() || e.Counters().Inputs != 201 {
		t.Errorf("replayed to %v of %v, %+v, %v", e.Digest(), s.engine.Digest(), report, err)
	}
}

// halfClose sends no more, and leaves the connection open.
func halfClose(conn *tls.Conn) {
	if tcp, ok := conn.NetConn().(*net.TCPConn); ok {
		_ = tcp.CloseWrite()
	}
}
