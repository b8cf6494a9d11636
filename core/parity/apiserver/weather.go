package apiserver

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/cert"
)

// Sky says how bad the weather is. Shares are between 0, never, and 1.
type Sky struct {
	// Busy is the share of requests that are turned away: 429, and again in a second.
	Busy float64
	// Slow is by how much a request may be late.
	Slow time.Duration
	// Lost is the share of writes that are carried out and not answered: instead there is a 500, a 503, a 504, or the
	// connection breaks, in turn.
	Lost float64
	// WatchMost is how long a watch lasts at most; zero is for ever.
	WatchMost time.Duration
	// Expired is the share of watches that are told that what they go on from is too old.
	Expired float64
	// Blind has nothing listed and nothing watched: 503.
	Blind bool
}

// Weather is a way to a server on which things go wrong. It looks like the server itself.
type Weather struct {
	http    *http.Server
	to      *httputil.ReverseProxy
	address string
	ca      []byte

	mu      sync.Mutex
	sky     Sky
	chance  *rand.Rand
	turn    int // of the ways to lose an answer
	watches map[*context.CancelFunc]bool
	spoilt  Spoilt
}

// Spoilt counts what went wrong.
type Spoilt struct{ Busy, Slow, Lost, Cut, Expired, Blind int }

// Weather makes a way to the server, with fair weather. Close it before the server.
func (s *Server) Weather(seed uint64) (*Weather, error) {
	host, err := url.Parse(s.Config("").Host)
	if err != nil {
		return nil, fmt.Errorf("making a way to the API server: %w", err)
	}
	// The way there is that of a client without a name: each request brings its own.
	transport, err := rest.TransportFor(&rest.Config{Host: host.String(), TLSClientConfig: s.Config("").TLSClientConfig})
	if err != nil {
		return nil, fmt.Errorf("making a way to the API server: %w", err)
	}
	authority, key, err := cert.GenerateSelfSignedCertKey("127.0.0.1", []net.IP{net.IPv4(127, 0, 0, 1)}, nil)
	if err != nil {
		return nil, fmt.Errorf("making a certificate: %w", err)
	}
	pair, err := tls.X509KeyPair(authority, key)
	if err != nil {
		return nil, fmt.Errorf("reading a certificate: %w", err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listening before the API server: %w", err)
	}
	silent := log.New(io.Discard, "", 0)
	w := &Weather{
		address: "https://" + listener.Addr().String(), ca: authority, chance: rand.New(rand.NewPCG(seed, seed)),
		watches: map[*context.CancelFunc]bool{},
		to:      &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(host) }, Transport: transport, FlushInterval: -1, ErrorLog: silent},
	}
	w.http = &http.Server{Handler: w, TLSConfig: &tls.Config{Certificates: []tls.Certificate{pair}}, ErrorLog: silent}
	go func() { _ = w.http.ServeTLS(listener, "", "") }()
	return w, nil
}

// Close ends everything under way.
func (w *Weather) Close() error { return w.http.Close() }

// Config is how a user reaches the server this way.
func (w *Weather) Config(user string) *rest.Config {
	return &rest.Config{Host: w.address, BearerToken: user, QPS: -1, TLSClientConfig: rest.TLSClientConfig{CAData: w.ca}}
}

// Turn changes the weather. Watches end that began before.
func (w *Weather) Turn(sky Sky) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sky = sky
	for end := range w.watches {
		(*end)()
	}
}

// Spoilt counts what has gone wrong so far.
func (w *Weather) Spoilt() Spoilt {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.spoilt
}

// fate is what becomes of a request.
type fate struct {
	busy, expired, blind bool
	late                 time.Duration
	lost                 int // one of the ways, from 1; zero if it is answered
}

func (w *Weather) fateOf(r *http.Request) (f fate) {
	watches, reads := r.URL.Query().Get("watch") != "", r.Method == http.MethodGet
	lists := r.URL.Query().Get("sendInitialEvents") != "" // as a stream
	w.mu.Lock()
	defer w.mu.Unlock()
	hits := func(share float64, count *int) bool {
		hit := share > 0 && w.chance.Float64() < share
		if hit {
			*count++
		}
		return hit
	}
	switch {
	case w.sky.Blind && reads:
		f.blind = true
		w.spoilt.Blind++
		return f
	case hits(w.sky.Busy, &w.spoilt.Busy):
		f.busy = true
		return f
	case watches && !lists && hits(w.sky.Expired, &w.spoilt.Expired):
		f.expired = true
		return f
	case !reads && hits(w.sky.Lost, &w.spoilt.Lost):
		w.turn++
		f.lost = 1 + w.turn%len(waysToLose)
	}
	if w.sky.Slow > 0 {
		f.late = time.Duration(w.chance.Int64N(int64(w.sky.Slow)))
		w.spoilt.Slow++
	}
	return f
}

// ServeHTTP passes a request on, as well as the weather lets it.
func (w *Weather) ServeHTTP(to http.ResponseWriter, r *http.Request) {
	f := w.fateOf(r)
	switch {
	case f.blind:
		refuse(to, http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable, "nothing can be seen in this weather")
		return
	case f.busy:
		to.Header().Set("Retry-After", "1")
		refuse(to, http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests, "too many requests in this weather")
		return
	case f.expired:
		refuse(to, http.StatusGone, metav1.StatusReasonExpired, "too old resource version in this weather")
		return
	}
	if f.late > 0 {
		select {
		case <-time.After(f.late):
		case <-r.Context().Done():
			return
		}
	}
	if f.lost > 0 {
		w.to.ServeHTTP(httptest.NewRecorder(), r)
		waysToLose[f.lost-1](to)
		return
	}
	if r.URL.Query().Get("watch") != "" {
		ctx, end := w.watching(r.Context())
		defer end()
		r = r.WithContext(ctx)
	}
	w.to.ServeHTTP(to, r)
}

// watching ends with the request, when the weather turns, or when a watch has lasted for long enough.
func (w *Weather) watching(ctx context.Context) (watching context.Context, end func()) {
	watching, cancel := context.WithCancel(ctx)
	cut := context.CancelFunc(func() {
		w.spoilt.Cut++ // whoever calls it holds the lock
		cancel()
	})
	w.mu.Lock()
	defer w.mu.Unlock()
	w.watches[&cut] = true
	var timer *time.Timer
	if w.sky.WatchMost > 0 {
		timer = time.AfterFunc(w.sky.WatchMost, func() {
			w.mu.Lock()
			defer w.mu.Unlock()
			cut()
		})
	}
	return watching, func() {
		if timer != nil {
			timer.Stop()
		}
		cancel()
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.watches, &cut)
	}
}

// waysToLose are the answers to requests that were carried out.
var waysToLose = []func(http.ResponseWriter){
	func(w http.ResponseWriter) {
		refuse(w, http.StatusInternalServerError, metav1.StatusReasonInternalError, "the answer was lost")
	},
	func(w http.ResponseWriter) {
		refuse(w, http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable, "the answer was lost")
	},
	func(w http.ResponseWriter) {
		refuse(w, http.StatusGatewayTimeout, metav1.StatusReasonTimeout, "the answer was lost")
	},
	func(http.ResponseWriter) { panic(http.ErrAbortHandler) },
}

func refuse(w http.ResponseWriter, code int, reason metav1.StatusReason, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusFailure, Code: int32(code), Reason: reason, Message: message,
	})
}
