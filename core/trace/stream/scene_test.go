package stream_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"

	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/trace/play"
	"orrery/core/trace/stream"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// scheduler is a scheduler in a simulated cluster, in the virtual time of a test. It is a stream.Source.
type scheduler struct {
	t       testing.TB
	now     time.Time // of the cluster
	cluster *memory.Cluster
	mu      sync.Mutex // held while the engine is driven, as by the loop
	engine  *engine.Engine
	feed    *play.Feed
	driven  *drive.Scheduler
	pods    int
	stopped bool // its loop takes no subscription
}

func newScheduler(t testing.TB, nodes int) *scheduler {
	t.Helper()
	s := &scheduler{t: t, now: time.Now()}
	s.cluster = memory.New(memory.Options{Start: s.now, Seed: 1, Latency: memory.TypicalLatency()})
	o := engine.Options{Seed: 1, Start: s.now}
	e, err := engine.New(o)
	if err != nil {
		t.Fatal(err)
	}
	flight, err := play.NewFlightRecorder(e, o, 0)
	if err != nil {
		t.Fatal(err)
	}
	s.engine, s.feed = e, play.NewFeed(e, o, flight)
	s.driven = drive.NewScheduler(e, flight, s.feed)
	for i := range nodes {
		s.create(mk.Node(fmt.Sprintf("node-%d", i)).CPU("64").Memory("256Gi").Pods("200").Obj())
	}
	s.drive(0, time.Second)
	return s
}

func (s *scheduler) create(o world.Object) {
	if _, err := s.cluster.Create(o); err != nil {
		s.t.Error(err)
	}
}

// drive lets the cluster's time pass, in which so many pods come; some of them leave again.
func (s *scheduler) drive(pods int, d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = s.now.Add(d)
	for range pods {
		s.create(mk.Pod(fmt.Sprintf("pod-%d", s.pods)).UID("").CPU("10m").Memory("1Mi").Obj())
		if s.pods++; s.pods > 100 {
			_ = s.cluster.Delete(world.Pod, metav1.NamespaceDefault, fmt.Sprintf("pod-%d", s.pods-100), metav1.DeleteOptions{})
		}
	}
	drive.Run(s.cluster, s.now, s.driven)
	s.feed.Checkpoint()
}

// run lets both the test's time and the cluster's pass for some seconds.
func (s *scheduler) run(seconds, podsPerSecond int) {
	for range seconds {
		s.drive(podsPerSecond, time.Second)
		<-time.After(time.Second)
	}
}

// Subscribe implements stream.Source.
func (s *scheduler) Subscribe(ctx context.Context, o play.SubscriptionOptions) (*play.Subscriber, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return s.feed.Subscribe(o), nil
}

// Identity implements stream.Source.
func (s *scheduler) Identity() string { return "scheduler-0_7" }

// Leading implements stream.Source.
func (s *scheduler) Leading() bool   { return true }
func (s *scheduler) Observing() bool { return false }

func (s *scheduler) digest() engine.Digest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.engine.Digest()
}

// pipes is a network in memory, on which tests wait in virtual time.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

// Close ends Accept.
func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipes"} }

func (p *pipes) dial(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	p.conns <- server
	return client, nil
}

// host serves a scheduler's stream on a network in memory, and returns a client. HTTP/2 is without TLS here.
func host(t testing.TB, of http.Handler, http2 bool) *http.Client {
	t.Helper()
	p := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
	protocols := &http.Protocols{}
	protocols.SetHTTP1(!http2)
	protocols.SetUnencryptedHTTP2(http2)
	mux := http.NewServeMux()
	mux.Handle(stream.Path, of)
	server := &http.Server{Handler: mux, Protocols: protocols}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(p)
	}()
	transport := &http.Transport{DialContext: p.dial, Protocols: protocols}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		_ = server.Close()
		<-served
	})
	return &http.Client{Transport: transport}
}

func serverOf(s *scheduler, readers int) *stream.Server {
	return stream.NewServer(s, "v1.2.3", readers, klog.Background())
}

// attach opens a stream, which the test closes.
func attach(t testing.TB, client *http.Client, since time.Duration) *stream.Stream {
	t.Helper()
	s, err := stream.Open(t.Context(), client, "http://scheduler", since)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// replayed is what a reader made of a stream.
type replayed struct {
	engine *engine.Engine
	report *play.Report
	err    error
}

// follow replays a stream as it comes, on a goroutine of its own.
func follow(from io.Reader) <-chan replayed {
	done := make(chan replayed, 1)
	go func() {
		e, report, err := play.Replay(from, play.Options{})
		done <- replayed{e, report, err}
	}()
	return done
}

// checkExact checks that a reader made the decisions of the scheduler, up to where that ended.
func checkExact(t testing.TB, got replayed, s *scheduler) {
	t.Helper()
	if got.err != nil {
		t.Fatal(got.err)
	}
	if r := got.report; !r.Exact || !r.OK() || r.Damage != nil || r.Decisions == 0 || got.engine.Digest() != s.digest() {
		t.Errorf("the reader ends with %v, the scheduler with %v: %+v", got.engine.Digest(), s.digest(), *got.report)
	}
}
