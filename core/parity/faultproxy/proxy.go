package faultproxy

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/cert"
)

// Proxy is a proxy in front of an API server. Its methods may be called from any goroutine.
type Proxy struct {
	http    *http.Server
	proxy   *httputil.ReverseProxy
	address string
	ca      []byte

	mu      sync.Mutex
	faults  Faults
	set     int // counts the calls of Set
	rng     *rand.Rand
	turn    int             // of lostAnswers
	written map[string]bool // addresses whose first response was lost
	watches map[*context.CancelCauseFunc]string
	open    map[net.Conn]bool // the clients' connections
	counts  Counts
}

// New starts a proxy without faults. Close it before the server.
func New(server *rest.Config, seed uint64) (*Proxy, error) {
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
	p := &Proxy{
		address: "https://" + listener.Addr().String(), ca: authority, rng: rand.New(rand.NewPCG(seed, seed)),
		written: map[string]bool{}, watches: map[*context.CancelCauseFunc]string{}, open: map[net.Conn]bool{},
		proxy: &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(host) }, Transport: transport, FlushInterval: -1, ErrorLog: silent},
	}
	p.http = &http.Server{Handler: p, TLSConfig: &tls.Config{Certificates: []tls.Certificate{pair}}, ErrorLog: silent, ConnState: p.track}
	go func() { _ = p.http.ServeTLS(listener, "", "") }()
	return p, nil
}

// Close ends the proxy and its connections.
func (p *Proxy) Close() { _ = p.http.Close() }

// Config returns a user's client configuration for the proxy. The user's token is its name.
func (p *Proxy) Config(user string) *rest.Config {
	return &rest.Config{Host: p.address, BearerToken: user, QPS: -1, TLSClientConfig: rest.TLSClientConfig{CAData: p.ca}}
}

// Set changes the faults, and ends the watches that began before. What the API server sends on them afterwards reaches no
// client.
func (p *Proxy) Set(f Faults) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults = f
	p.set++
	for end := range p.watches {
		(*end)(nil)
	}
}

// Injected returns the counts of faults so far.
func (p *Proxy) Injected() Counts {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.counts
}

// Watches returns how many watches a user has open.
func (p *Proxy) Watches(user string) (open int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, of := range p.watches {
		if of == user {
			open++
		}
	}
	return open
}

func (p *Proxy) track(c net.Conn, state http.ConnState) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch state {
	case http.StateNew:
		p.open[c] = true
	case http.StateClosed, http.StateHijacked:
		delete(p.open, c)
	}
}

// BreakConnections breaks the connections of all clients, which may connect again at once.
func (p *Proxy) BreakConnections() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.open {
		_ = c.Close()
	}
}

// ServeHTTP passes a request on, unless a fault prevents it.
func (p *Proxy) ServeHTTP(to http.ResponseWriter, r *http.Request) {
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
	if isWatch(r) {
		ctx, end := p.watch(r, o.set)
		defer end()
		r, to = r.WithContext(ctx), untilEnded{to, ctx}
		defer func() {
			if context.Cause(ctx) != errGraceful {
				return
			}
			if aborted := recover(); aborted != nil && aborted != http.ErrAbortHandler {
				panic(aborted)
			}
		}()
	}
	p.proxy.ServeHTTP(to, r)
}

// errGraceful ends a watch without breaking its stream.
var errGraceful = errors.New("the watch has lasted long enough")

// untilEnded is the response of a watch. The proxy may notice only after another event that the watch has ended.
type untilEnded struct {
	http.ResponseWriter
	watching context.Context
}

func (w untilEnded) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w untilEnded) Write(event []byte) (int, error) {
	if w.watching.Err() != nil {
		return 0, context.Cause(w.watching)
	}
	return w.ResponseWriter.Write(event)
}

// watch returns a context that ends with the request, when the faults are no longer those that were set as it came, or after
// WatchMost.
func (p *Proxy) watch(r *http.Request, set int) (watching context.Context, end func()) {
	watching, cancel := context.WithCancelCause(r.Context())
	cut := context.CancelCauseFunc(func(cause error) {
		p.counts.Cut++ // the caller holds the lock
		cancel(cause)
	})
	p.mu.Lock()
	defer p.mu.Unlock()
	p.watches[&cut] = strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if set != p.set {
		cut(nil)
	}
	var timer *time.Timer
	if p.faults.WatchMost > 0 {
		var cause error
		if p.faults.Graceful {
			cause = errGraceful
		}
		timer = time.AfterFunc(p.faults.WatchMost, func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			cut(cause)
		})
	}
	return watching, func() {
		if timer != nil {
			timer.Stop()
		}
		cancel(nil)
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.watches, &cut)
	}
}
