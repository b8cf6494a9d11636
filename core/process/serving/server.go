package serving

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	genericapifilters "k8s.io/apiserver/pkg/endpoints/filters"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
	genericfilters "k8s.io/apiserver/pkg/server/filters"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/klog/v2"

	"orrery/core/safe/panics"
)

// shutdownTimeout bounds the wait for running requests at the end.
//
//orrery:limit readers; the wait for running requests at the end; they are cut off
const shutdownTimeout = 5 * time.Second

// maxHeader bounds what a request takes before it is known whose it is. Tokens have some KiB.
//
//orrery:limit readers; the headers of a request, in bytes; the request fails
const maxHeader = 64 << 10

//orrery:limit readers; the time in which the headers of a request come; the connection is closed
const maxHeaderTime = 32 * time.Second

//orrery:limit readers; the time without a request; the connection is closed
const maxIdleTime = 90 * time.Second

//orrery:limit readers; the streams of one HTTP/2 connection, unless --http2-max-streams-per-connection says another number; more are refused
const http2Streams = 8

// maxFrame bounds what is read of a connection and of one HTTP/2 stream before its handler takes it: a request has less.
//
//orrery:limit readers; a frame of HTTP/2, and what waits of the bodies of a connection, in bytes; the client waits
const maxFrame = 64 << 10

// Server listens from Open on, and serves from Start on.
type Server struct {
	listener *secureListener
	conns    *connections // of listener
	reviews  *reviews
	authn    authenticator.Request
	authz    authorizer.Authorizer
	http     *http.Server
	unfollow context.CancelFunc // ends what follows the certificates
	ended    chan struct{}
}

// Start serves the endpoints until Stop.
func (s *Server) Start(e *Endpoints) {
	ctx, unfollow := context.WithCancel(context.Background())
	s.unfollow = unfollow
	s.ended = make(chan struct{})
	s.http = &http.Server{
		Handler: s.withReviews(withAuth(authorized(e.Handler()), s.authn, s.authz)), TLSConfig: s.listener.config(ctx),
		MaxHeaderBytes: maxHeader, ReadHeaderTimeout: maxHeaderTime, IdleTimeout: maxIdleTime,
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams: s.listener.streams, MaxReadFrameSize: maxFrame, MaxReceiveBufferPerStream: maxFrame, MaxReceiveBufferPerConnection: maxFrame,
		},
		ConnContext: withConnection, ConnState: onState,
		ErrorLog: log.New(connectionLog{}, "", 0),
	}
	go func() {
		defer close(s.ended)
		err := error(nil)
		panicked := panics.Call("serving HTTPS", func() { err = s.http.Serve(tls.NewListener(s.conns, s.http.TLSConfig)) })
		if err = errors.Join(panicked, err); !errors.Is(err, http.ErrServerClosed) {
			klog.ErrorS(err, "The HTTPS server ended", "address", s.Address())
		}
	}()
	klog.InfoS("Serving HTTPS", "address", s.Address())
}

// Stop closes the port, waits for running requests, and cuts off those that go on.
func (s *Server) Stop() {
	defer s.unfollow()
	ctx, cancel := context.WithTimeout(context.Background(), shutdownTimeout)
	defer cancel()
	if err := s.http.Shutdown(ctx); err != nil {
		klog.InfoS("Requests that go on are cut off", "after", shutdownTimeout)
		_ = s.http.Close()
	}
	<-s.ended
}

// Describe implements prometheus.Collector.
func (s *Server) Describe(to chan<- *prometheus.Desc) { s.conns.refused.Describe(to) }

// Collect implements prometheus.Collector.
func (s *Server) Collect(to chan<- prometheus.Metric) { s.conns.refused.Collect(to) }

// Address is the address of the listener.
func (s *Server) Address() net.Addr { return s.listener.Addr() }

// connectionLog logs what goes wrong in a connection: quietly, as any client can do that as often as it likes.
type connectionLog struct{}

func (connectionLog) Write(line []byte) (int, error) {
	klog.V(5).InfoS("A connection failed", "error", strings.TrimSpace(string(line)))
	return len(line), nil
}

// maxBody bounds the bodies of requests, of which the largest is a level of the log.
//
//orrery:limit readers; the body of a request, in bytes; the request fails
const maxBody = 64 << 10

// withAuth authenticates and authorizes requests.
func withAuth(handler http.Handler, authn authenticator.Request, authz authorizer.Authorizer) http.Handler {
	resolver := &apirequest.RequestInfoFactory{APIPrefixes: sets.NewString(), GrouplessAPIPrefixes: sets.NewString()}
	handler = http.MaxBytesHandler(handler, maxBody)
	handler = genericapifilters.WithAuthorization(handler, authz, scheme.Codecs)
	handler = genericapifilters.WithAuthentication(handler, authn, genericapifilters.Unauthorized(scheme.Codecs), nil, nil)
	handler = genericapifilters.WithRequestInfo(handler, resolver)
	handler = genericapifilters.WithCacheControl(handler)
	handler = genericfilters.WithHTTPLogging(handler)
	return genericfilters.WithPanicRecovery(handler, resolver)
}

// Check is a health check by a function.
type Check struct {
	CheckName string
	Func      func() error
}

// Name implements healthz.HealthChecker.
func (c Check) Name() string { return c.CheckName }

// Check implements healthz.HealthChecker.
func (c Check) Check(*http.Request) error { return c.Func() }

// ShutdownCheck fails once the context has ended, so that the process gets no more requests.
func ShutdownCheck(ctx context.Context) Check {
	return Check{"shutdown", func() error {
		if ctx.Err() != nil {
			return fmt.Errorf("process is shutting down")
		}
		return nil
	}}
}
