package serving

import (
	"errors"
	"fmt"
	"net"

	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/options"
	cliflag "k8s.io/component-base/cli/flag"
)

// Port is where kube-scheduler serves.
const Port = 10259

// Options are the flags that say where to listen, with which certificate, and whom to believe and to let in.
type Options struct {
	Secure         *options.SecureServingOptions
	Authentication *options.DelegatingAuthenticationOptions
	Authorization  *options.DelegatingAuthorizationOptions
}

// NewOptions are kube-scheduler's defaults.
func NewOptions() *Options {
	o := &Options{
		Secure:         options.NewSecureServingOptions(),
		Authentication: options.NewDelegatingAuthenticationOptions(),
		Authorization:  options.NewDelegatingAuthorizationOptions(),
	}
	o.Authentication.TolerateInClusterLookupFailure = true
	o.Authentication.RemoteKubeConfigFileOptional = true
	o.Authorization.RemoteKubeConfigFileOptional = true
	o.Secure.ServerCert.CertDirectory = "" // what is generated stays in memory
	o.Secure.ServerCert.PairName = component
	o.Secure.BindPort = Port
	return o
}

// AddFlags adds the flags, in kube-scheduler's sections.
func (o *Options) AddFlags(sets *cliflag.NamedFlagSets) {
	o.Secure.AddFlags(sets.FlagSet("secure serving"))
	o.Authentication.AddFlags(sets.FlagSet("authentication"))
	o.Authorization.AddFlags(sets.FlagSet("authorization"))
}

// Validate says all that is wrong with the flags.
func (o *Options) Validate() []error {
	errs := append(o.Secure.Validate(), o.Authentication.Validate()...)
	return append(errs, o.Authorization.Validate()...)
}

// Server listens already, and serves once it is started.
type Server struct {
	info     *server.SecureServingInfo
	authn    authenticator.Request
	authz    authorizer.Authorizer
	stop     chan struct{}
	stopped  <-chan struct{}
	listener <-chan struct{}
}

// Open begins to listen. The server is nil if there is to be none, which is what port 0 says.
func (o *Options) Open() (*Server, error) {
	err := o.Secure.MaybeDefaultWithSelfSignedCerts("localhost", nil, []net.IP{net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return nil, fmt.Errorf("error creating self-signed certificates: %w", err)
	}
	s := &Server{stop: make(chan struct{})}
	if err := o.Secure.ApplyTo(&s.info); err != nil {
		return nil, err
	}
	if s.info == nil {
		return nil, nil
	}
	var authn server.AuthenticationInfo
	var authz server.AuthorizationInfo
	err = errors.Join(o.Authentication.ApplyTo(&authn, s.info, nil), o.Authorization.ApplyTo(&authz))
	if err != nil {
		return nil, errors.Join(err, s.info.Listener.Close())
	}
	s.authn, s.authz = authn.Authenticator, authz.Authorizer
	return s, nil
}
