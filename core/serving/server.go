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

// graceMost is for how long requests under way are waited for at the end.
const graceMost = 5 * time.Second

// Start serves the endpoints until Stop.
func (s *Server) Start(e *Endpoints) error {
	var err error
	s.stopped, s.listener, err = s.info.Serve(guarded(e.Handler(), s.authn, s.authz), graceMost, s.stop)
	if err != nil {
		close(s.stop)
		return fmt.Errorf("failed to start secure server: %w", err)
	}
	return nil
}

// Stop lets requests under way end and closes the port.
func (s *Server) Stop() {
	close(s.stop)
	<-s.listener
	<-s.stopped
}

// Address is where the server listens.
func (s *Server) Address() net.Addr { return s.info.Listener.Addr() }

// guarded lets in who may.
func guarded(handler http.Handler, authn authenticator.Request, authz authorizer.Authorizer) http.Handler {
	resolver := &apirequest.RequestInfoFactory{APIPrefixes: sets.NewString(), GrouplessAPIPrefixes: sets.NewString()}
	handler = genericapifilters.WithAuthorization(handler, authz, scheme.Codecs)
	handler = genericapifilters.WithAuthentication(handler, authn, genericapifilters.Unauthorized(scheme.Codecs), nil, nil)
	handler = genericapifilters.WithRequestInfo(handler, resolver)
	handler = genericapifilters.WithCacheControl(handler)
	handler = genericfilters.WithHTTPLogging(handler)
	return genericfilters.WithPanicRecovery(handler, resolver)
}

// Check is a health check by a function.
type Check struct {
	Called string
	Ask    func() error
}

// Name is the check's name in the list of checks.
func (c Check) Name() string { return c.Called }

// Check asks.
func (c Check) Check(*http.Request) error { return c.Ask() }

// NotStopping is the check that fails once a process has been told to stop, so that nobody sends it more.
func NotStopping(ctx context.Context) Check {
	return Check{"shutdown", func() error {
		if ctx.Err() != nil {
			return fmt.Errorf("process is shutting down")
		}
		return nil
	}}
}
