package serving

import (
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	clientset "k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	cliflag "k8s.io/component-base/cli/flag"
	"k8s.io/klog/v2"

	"orrery/core/safe/address"
)

// Options are kube-scheduler's flags for its HTTPS endpoints.
type Options struct {
	Secure         SecureOptions
	Authentication AuthenticationOptions
	Authorization  AuthorizationOptions
}

// NewOptions returns kube-scheduler's defaults.
func NewOptions() *Options {
	return &Options{Secure: defaultSecure(), Authentication: defaultAuthentication(), Authorization: defaultAuthorization()}
}

// AddFlags adds the flags, in kube-scheduler's sections.
func (o *Options) AddFlags(sets *cliflag.NamedFlagSets) {
	o.Secure.addFlags(sets.FlagSet("secure serving"))
	o.Authentication.addFlags(sets.FlagSet("authentication"))
	o.Authorization.addFlags(sets.FlagSet("authorization"))
}

// Validate returns all errors of the flags.
func (o *Options) Validate() []error {
	return append(o.Secure.validate(), o.Authentication.validate()...)
}

// Open listens. With port 0 there is no server, and it returns nil.
func (o *Options) Open() (*Server, error) {
	listener, err := o.Secure.listen()
	if err != nil || listener == nil {
		return nil, err
	}
	s, err := o.server(listener)
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	return s, nil
}

// server returns the server that answers at a port.
func (o *Options) server(at *secureListener) (*Server, error) {
	authn, authnErr := o.Authentication.authenticator(at)
	authz, authzErr := o.Authorization.authorizer()
	return &Server{listener: at, conns: newConnections(at), reviews: newReviews(), authn: authn, authz: authz}, errors.Join(authnErr, authzErr)
}

const reviewTimeout = 10 * time.Second

// reviewRetry is how a token or access review that failed is retried.
var reviewRetry = wait.Backoff{Duration: 500 * time.Millisecond, Factor: 1.5, Jitter: 0.2, Steps: 5}

// reviewClient returns the client for token or access reviews: that of the kubeconfig, or of the pod. Without both it is nil,
// and purpose is in the warning.
func reviewClient(kubeconfig, purpose string, timeout time.Duration) (clientset.Interface, error) {
	var c *rest.Config
	var err error
	if kubeconfig != "" {
		c, err = clientcmd.BuildConfigFromFlags("", kubeconfig)
	} else if c, err = rest.InClusterConfig(); err != nil {
		if !errors.Is(err, rest.ErrNotInCluster) {
			klog.ErrorS(err, "Reading the in-cluster configuration failed", "for", purpose)
		}
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading --%s-kubeconfig: %w", purpose, err)
	}
	if err := address.MoveCredentials(c); err != nil {
		return nil, fmt.Errorf("reading --%s-kubeconfig: %w", purpose, err)
	}
	c.QPS, c.Burst, c.Timeout = 200, 400, timeout
	return clientset.NewForConfig(c)
}
