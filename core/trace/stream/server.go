package stream

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/klog/v2"

	"orrery/core/safe/printable"
	"orrery/core/trace/play"
)

// Source is a scheduler. Its methods may be called on any goroutine.
type Source interface {
	// Subscribe begins a subscription, on the loop that drives the engine. It fails if the context ends before that.
	Subscribe(ctx context.Context, o play.SubscriptionOptions) (*play.Subscriber, error)
	// Identity is the scheduler's in its lease; empty if there is no election.
	Identity() string
	// Leading reports whether it leads.
	Leading() bool
	// Observing reports whether it never leads, as it decides beside another scheduler.
	Observing() bool
}

// DefaultMaxReaders is how many readers may be attached at once.
//
//orrery:limit readers; readers of a scheduler's stream at once; --stream-max-readers; refused with 429
const DefaultMaxReaders = 8

const (
	// maxPendingBytes bounds the records that wait for one reader: some 5 s at 1,000 decisions a second, as long as the state of 100,000 pods
	// takes to write on a busy machine. Readers share the records.
	//
	//orrery:limit readers; records that wait for a reader, in bytes; the reader is dropped
	maxPendingBytes = 128 << 20
	// beginTimeout bounds the wait for the engine's loop, and for the end of a cycle that waits for an extender.
	//
	//orrery:limit readers; the wait for a stream's beginning; refused with 503
	beginTimeout = 10 * time.Second
	// maxSince bounds since: no flight recorder reaches further.
	//
	//orrery:limit readers; how far back a reader may ask for; refused with 400
	maxSince = 365 * 24 * time.Hour
)

// Server serves the stream of a scheduler at [Path]. It is an http.Handler, for requests that are authenticated and authorized.
//
// Each reader is written to on the goroutine of its request. The loop that drives the engine freezes its state when a reader comes, and pays
// for appending each record to its subscription. Encoding is done for one reader at a time, and so takes one core at most.
type Server struct {
	source     Source
	version    string
	maxReaders int
	maxPending int64 // bytes of records that wait for one reader
	logger     klog.Logger
	metrics    metrics
	encoding   chan struct{} // holds one value while a reader's records are encoded
	ended      chan struct{} // closed by End

	mu      sync.Mutex
	readers int
	why     string // the scheduler ended
}

// NewServer returns a server of a scheduler's stream, of a program of the given version.
func NewServer(from Source, version string, maxReaders int, logger klog.Logger) *Server {
	return &Server{
		source: from, version: version, maxReaders: maxReaders, maxPending: maxPendingBytes, logger: logger, metrics: newMetrics(),
		encoding: make(chan struct{}, 1), ended: make(chan struct{}),
	}
}

// End ends all streams for a reason, such as "the scheduler stops", and refuses others. It does not wait for the readers.
func (s *Server) End(why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.why == "" {
		s.why = why
		close(s.ended)
	}
}

func (s *Server) endReason() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.why
}

// ServeHTTP serves the stream to one reader.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		w.Header().Set("Allow", http.MethodGet)
		http.Error(w, "the stream is only read", http.StatusMethodNotAllowed)
		return
	}
	since, err := sinceOf(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if refused := s.admit(); refused != nil {
		refused.send(w)
		return
	}
	defer s.release()
	subscriber, refused := s.subscribe(r.Context(), since)
	if refused != nil {
		refused.send(w)
		return
	}
	defer subscriber.Stop()
	user := userOf(r)
	s.logger.Info("A reader attached to the stream", "user", user, "address", printable.Line(r.RemoteAddr, maxText), "since", since)
	began := time.Now()
	sent, why := s.write(w, r, subscriber)
	if why.drop != "" {
		s.metrics.dropped.WithLabelValues(why.drop).Inc()
	}
	s.logger.Info("A reader left the stream", "user", user, "why", why.text, "bytes", sent, "after", time.Since(began).Round(time.Second))
}

func sinceOf(r *http.Request) (time.Duration, error) {
	text := r.URL.Query().Get(sinceParameter)
	if text == "" {
		return 0, nil
	}
	since, err := time.ParseDuration(text)
	if err != nil || since < 0 || since > maxSince {
		return 0, fmt.Errorf("since=%q is no duration from 0 to %v, such as 10m", printable.Line(text, 40), maxSince)
	}
	return since, nil
}

func userOf(r *http.Request) string {
	if user, ok := request.UserFrom(r.Context()); ok {
		return printable.Line(user.GetName(), maxText)
	}
	return "" // without authentication
}

// admit counts a reader, or refuses it.
func (s *Server) admit() *refused {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.why != "":
		return &refused{http.StatusServiceUnavailable, s.why, 0}
	case s.maxReaders == 0:
		return &refused{http.StatusServiceUnavailable, "the stream is off (--stream-max-readers=0)", 0}
	case s.readers >= s.maxReaders:
		return &refused{http.StatusTooManyRequests, fmt.Sprintf("%d readers are attached, and no more may be", s.readers), 10 * time.Second}
	}
	s.readers++
	s.metrics.readers.Inc()
	return nil
}

func (s *Server) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.readers--
	s.metrics.readers.Dec()
}

// subscribe begins a subscription, and waits until it has something to write.
func (s *Server) subscribe(ctx context.Context, since time.Duration) (*play.Subscriber, *refused) {
	ctx, cancel := context.WithTimeout(ctx, beginTimeout)
	defer cancel()
	o := play.SubscriptionOptions{About: play.About{Program: "orrery " + s.version}, MaxBytes: s.maxPending}
	if since > 0 {
		o.Since = time.Now().Add(-since)
	}
	subscriber, err := s.source.Subscribe(ctx, o)
	if err != nil {
		return nil, &refused{http.StatusServiceUnavailable, "the scheduler is busy, or does not follow the cluster yet", time.Second}
	}
	select {
	case <-subscriber.Ready():
		return subscriber, nil
	case <-s.ended:
		subscriber.Stop()
		return nil, &refused{http.StatusServiceUnavailable, s.endReason(), 0}
	case <-ctx.Done():
		subscriber.Stop()
		return nil, &refused{http.StatusServiceUnavailable, "the scheduler waits for an extender", time.Second}
	}
}

// refused is the answer to a request that gets no stream.
type refused struct {
	status     int
	text       string
	retryAfter time.Duration
}

func (r *refused) send(w http.ResponseWriter) {
	if r.retryAfter > 0 {
		w.Header().Set("Retry-After", fmt.Sprint(int(r.retryAfter.Seconds())))
	}
	http.Error(w, r.text, r.status)
}
