package serving

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	genericapifilters "k8s.io/apiserver/pkg/endpoints/filters"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
	genericfilters "k8s.io/apiserver/pkg/server/filters"
	"k8s.io/client-go/kubernetes/scheme"
)

// shutdownTimeout bounds the wait for running requests at the end.
//
//orrery:limit readers; the wait for running requests at the end; they are cut off
const shutdownTimeout = 5 * time.Second

// Start serves the endpoints until Stop.
func (s *Server) Start(e *Endpoints) error {
	var err error
	s.stopped, s.listener, err = s.info.Serve(withAuth(e.Handler(), s.authn, s.authz), shutdownTimeout, s.stop)
	if err != nil {
		close(s.stop)
		return fmt.Errorf("failed to start secure server: %w", err)
	}
	return nil
}

// Stop waits for running requests and closes the port.
func (s *Server) Stop() {
	close(s.stop)
	<-s.listener
	<-s.stopped
}

// Address is the address of the listener.
func (s *Server) Address() net.Addr { return s.info.Listener.Addr() }

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
