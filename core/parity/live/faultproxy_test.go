package live_test

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

// faults are the faults that a faultProxy injects. Shares are between 0 (never) and 1 (always).
type faults struct {
	// busy is the share of requests that are answered with 429 and Retry-After of a second.
	busy float64
	// slow is the longest delay of a request.
	slow time.Duration
	// lost is the share of writes that are carried out and whose response is lost: the client gets a 500, a 503, a 504, or a
	// broken connection, in turn.
	lost float64
	// firstLost loses the response of the first write to each address.
	firstLost bool
	// watchMost limits how long a watch lasts; zero means no limit.
	watchMost time.Duration
	// expired is the share of watches that are answered with 410 Gone.
	expired float64
	// blind answers every read with 503.
	blind bool
}

// faultCounts counts the faults injected.
type faultCounts struct{ busy, slow, lost, cut, expired, blind int }

// faultProxy is a proxy in front of the API server that injects faults. To a client it looks like the server itself.
type faultProxy struct {
	http    *http.Server
	proxy   *httputil.ReverseProxy
	address string
	ca      []byte

	mu      sync.Mutex
	faults  faults
	rng     *rand.Rand
	turn    int             // of lostAnswers
	written map[string]bool // addresses whose first response was lost
	watches map[*context.CancelFunc]bool
	counts  faultCounts
}

// newFaultProxy starts a proxy without faults. Close it before the server.
func newFaultProxy(server *rest.Config, seed uint64) (*faultProxy, error) {
	host, err := url.Parse(server.Host)
	if err != nil {
		return nil, fmt.Errorf("starting a fault proxy: %w", err)
	}
	// The transport has no credentials: each request has its own.
	transport, err := rest.TransportFor(&rest.Config{Host: host.String(), TLSClientConfig: server.TLSClientConfig})
	if err != nil {
		return nil, fmt.Errorf("starting a fault proxy: %w", err)
	}
	authority, key, err := cert.GenerateSelfSignedCertKey("127.0.0.1", []net.IP{net.IPv4(127, 0, 0, 1)}, nil)
	if err != nil {
		return nil, fmt.Errorf("creating a certificate: %w", err)
	}
	pair, err := tls.X509KeyPair(authority, key)
	if err != nil {
		return nil, fmt.Errorf("reading a certificate: %w", err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listening for a fault proxy: %w", err)
	}
	silent := log.New(io.Discard, "", 0)
	p := &faultProxy{
		address: "https://" + listener.Addr().String(), ca: authority, rng: rand.New(rand.NewPCG(seed, seed)),
		written: map[string]bool{}, watches: map[*context.CancelFunc]bool{},
		proxy: &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(host) }, Transport: transport, FlushInterval: -1, ErrorLog: silent},
	}
	p.http = &http.Server{Handler: p, TLSConfig: &tls.Config{Certificates: []tls.Certificate{pair}}, ErrorLog: silent}
	go func() { _ = p.http.ServeTLS(listener, "", "") }()
	return p, nil
}

// config returns a user's client configuration for the proxy.
func (p *faultProxy) config(user string) *rest.Config {
	return &rest.Config{Host: p.address, BearerToken: user, QPS: -1, TLSClientConfig: rest.TLSClientConfig{CAData: p.ca}}
}

// set changes the faults, and ends the watches that began before.
func (p *faultProxy) set(f faults) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults = f
	for end := range p.watches {
		(*end)()
	}
}

// injected returns the counts of faults so far.
func (p *faultProxy) injected() faultCounts {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.counts
}

// outcome is the fault of a request, if any.
type outcome struct {
	busy, expired, blind bool
	delay                time.Duration
	lost                 int // one of lostAnswers, from 1; zero if the response is passed on
}

func (p *faultProxy) decide(r *http.Request) (o outcome) {
	watches, reads := r.URL.Query().Get("watch") != "", r.Method == http.MethodGet
	lists := r.URL.Query().Get("sendInitialEvents") != "" // as a stream
	p.mu.Lock()
	defer p.mu.Unlock()
	hits := func(share float64, count *int) bool {
		hit := share > 0 && p.rng.Float64() < share
		if hit {
			*count++
		}
		return hit
	}
	switch {
	case p.faults.blind && reads:
		o.blind = true
		p.counts.blind++
		return o
	case hits(p.faults.busy, &p.counts.busy):
		o.busy = true
		return o
	case watches && !lists && hits(p.faults.expired, &p.counts.expired):
		o.expired = true
		return o
	case !reads && (p.losesFirst(r.URL.Path) || hits(p.faults.lost, &p.counts.lost)):
		p.turn++
		o.lost = 1 + p.turn%len(lostAnswers)
	}
	if p.faults.slow > 0 {
		o.delay = time.Duration(p.rng.Int64N(int64(p.faults.slow)))
		p.counts.slow++
	}
	return o
}

// losesFirst reports whether a write to an address is the first one, and its response is lost. The caller holds the lock.
func (p *faultProxy) losesFirst(address string) bool {
	if !p.faults.firstLost || p.written[address] {
		return false
	}
	p.written[address] = true
	p.counts.lost++
	return true
}

// ServeHTTP passes a request on, unless a fault prevents it.
func (p *faultProxy) ServeHTTP(to http.ResponseWriter, r *http.Request) {
	o := p.decide(r)
	switch {
	case o.blind:
		reject(to, http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable, "injected fault: reads fail")
		return
	case o.busy:
		to.Header().Set("Retry-After", "1")
		reject(to, http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests, "injected fault: too many requests")
		return
	case o.expired:
		reject(to, http.StatusGone, metav1.StatusReasonExpired, "injected fault: too old resource version")
		return
	}
	if o.delay > 0 {
		select {
		case <-time.After(o.delay):
		case <-r.Context().Done():
			return
		}
	}
	if o.lost > 0 {
		p.proxy.ServeHTTP(httptest.NewRecorder(), r)
		lostAnswers[o.lost-1](to)
		return
	}
	if r.URL.Query().Get("watch") != "" {
		ctx, end := p.watch(r.Context())
		defer end()
		r = r.WithContext(ctx)
	}
	p.proxy.ServeHTTP(to, r)
}

// watch returns a context that ends with the request, when the faults change, or after watchMost.
func (p *faultProxy) watch(ctx context.Context) (watching context.Context, end func()) {
	watching, cancel := context.WithCancel(ctx)
	cut := context.CancelFunc(func() {
		p.counts.cut++ // the caller holds the lock
		cancel()
	})
	p.mu.Lock()
	defer p.mu.Unlock()
	p.watches[&cut] = true
	var timer *time.Timer
	if p.faults.watchMost > 0 {
		timer = time.AfterFunc(p.faults.watchMost, func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			cut()
		})
	}
	return watching, func() {
		if timer != nil {
			timer.Stop()
		}
		cancel()
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.watches, &cut)
	}
}

// lostAnswers are the responses to requests that were carried out.
var lostAnswers = []func(http.ResponseWriter){
	func(w http.ResponseWriter) {
		reject(w, http.StatusInternalServerError, metav1.StatusReasonInternalError, "injected fault: the response was lost")
	},
	func(w http.ResponseWriter) {
		reject(w, http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable, "injected fault: the response was lost")
	},
	func(w http.ResponseWriter) {
		reject(w, http.StatusGatewayTimeout, metav1.StatusReasonTimeout, "injected fault: the response was lost")
	},
	func(http.ResponseWriter) { panic(http.ErrAbortHandler) },
}

func reject(w http.ResponseWriter, code int, reason metav1.StatusReason, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusFailure, Code: int32(code), Reason: reason, Message: message,
	})
}
