package serving

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/apis/apiserver"
	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authentication/authenticatorfactory"
	"k8s.io/apiserver/pkg/authentication/request/headerrequest"
	"k8s.io/apiserver/pkg/features"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	clientset "k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"

	"orrery/core/safe/panics"
)

// AuthenticationOptions are the flags that say how requesters are identified: by a client certificate, by a front proxy's
// headers, or by a token that the API server reviews.
type AuthenticationOptions struct {
	kubeconfig     string
	cacheTTL       time.Duration
	skipLookup     bool
	tolerateLookup bool
	clientCA       string
	proxy          proxyHeaders
}

// proxyHeaders are the headers in which a front proxy names users, and the CA that signs the proxy's certificate.
type proxyHeaders struct {
	ca                                  string
	users, uids, groups, extra, allowed []string
}

func defaultAuthentication() AuthenticationOptions {
	return AuthenticationOptions{
		cacheTTL: 10 * time.Second, tolerateLookup: true,
		proxy: proxyHeaders{users: []string{"x-remote-user"}, groups: []string{"x-remote-group"}, extra: []string{"x-remote-extra-"}},
	}
}

func (o *AuthenticationOptions) addFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.kubeconfig, "authentication-kubeconfig", "",
		"The kubeconfig for tokenreviews.authentication.k8s.io. If empty and outside of a pod, requests with a token are anonymous and no client CA is looked up in the cluster.")
	fs.DurationVar(&o.cacheTTL, "authentication-token-webhook-cache-ttl", o.cacheTTL, "How long the result of a token review is cached.")
	fs.StringVar(&o.clientCA, "client-ca-file", "", "The CAs of client certificates. The common name of a certificate that one of them signed is the user.")
	o.proxy.addFlags(fs)
	fs.BoolVar(&o.skipLookup, "authentication-skip-lookup", false, "Do not look up in the cluster which authentication settings are missing here.")
	fs.BoolVar(&o.tolerateLookup, "authentication-tolerate-lookup-failure", o.tolerateLookup,
		"Start even if authentication settings cannot be looked up in the cluster. All requests may be anonymous then.")
}

func (h *proxyHeaders) addFlags(fs *pflag.FlagSet) {
	fs.StringSliceVar(&h.users, "requestheader-username-headers", h.users, "The request headers with the user's name, usually X-Remote-User.")
	fs.StringSliceVar(&h.uids, "requestheader-uid-headers", nil, "The request headers with the user's UID, X-Remote-Uid for example. Takes the feature gate RemoteRequestHeaderUID.")
	fs.StringSliceVar(&h.groups, "requestheader-group-headers", h.groups, "The request headers with the user's groups, usually X-Remote-Group.")
	fs.StringSliceVar(&h.extra, "requestheader-extra-headers-prefix", h.extra, "The prefixes of request headers with more about the user, usually X-Remote-Extra-.")
	fs.StringVar(&h.ca, "requestheader-client-ca-file", "",
		"The CAs of front proxies' client certificates. The headers of --requestheader-username-headers count only in requests of such a proxy.")
	fs.StringSliceVar(&h.allowed, "requestheader-allowed-names", nil,
		"The common names of the certificates that front proxies may have. If empty, any that a CA of --requestheader-client-ca-file signed.")
}

func (o *AuthenticationOptions) validate() (errs []error) {
	for flag, names := range o.proxy.byFlag() {
		if slices.ContainsFunc(names, func(name string) bool { return strings.TrimSpace(name) == "" }) {
			errs = append(errs, fmt.Errorf("--%s: empty value", flag))
		}
	}
	if len(o.proxy.uids) > 0 && !utilfeature.DefaultFeatureGate.Enabled(features.RemoteRequestHeaderUID) {
		errs = append(errs, fmt.Errorf("--requestheader-uid-headers takes the feature gate %s", features.RemoteRequestHeaderUID))
	}
	return errs
}

func (h *proxyHeaders) byFlag() map[string][]string {
	return map[string][]string{
		"requestheader-username-headers": h.users, "requestheader-uid-headers": h.uids, "requestheader-group-headers": h.groups,
		"requestheader-extra-headers-prefix": h.extra, "requestheader-allowed-names": h.allowed,
	}
}

// The ConfigMap in which the API server publishes the CAs and headers for servers like this one.
const settingsNamespace, settingsName = metav1.NamespaceSystem, "extension-apiserver-authentication"

// authenticator identifies requesters, and has the listener ask for client certificates.
func (o *AuthenticationOptions) authenticator(listener *secureListener) (authenticator.Request, error) {
	client, err := reviewClient(o.kubeconfig, "authentication", 0)
	if err != nil {
		return nil, err
	}
	c := authenticatorfactory.DelegatingAuthenticatorConfig{
		Anonymous: &apiserver.AnonymousAuthConfig{Enabled: true}, CacheTTL: o.cacheTTL,
		WebhookRetryBackoff: &reviewRetry, TokenAccessReviewTimeout: reviewTimeout,
	}
	if client != nil {
		c.TokenAccessReviewClient = client.AuthenticationV1()
	} else if !o.skipLookup {
		klog.InfoS("There is no --authentication-kubeconfig to look up client CAs with", "namespace", settingsNamespace, "configMap", settingsName)
	}
	if c.ClientCertificateCAContentProvider, err = o.clientCAs(client); err != nil {
		return nil, err
	}
	if c.RequestHeaderConfig, err = o.proxyConfig(client); err != nil {
		return nil, err
	}
	if c.ClientCertificateCAContentProvider != nil {
		listener.clientCAs = append(listener.clientCAs, c.ClientCertificateCAContentProvider)
	}
	if c.RequestHeaderConfig != nil {
		listener.clientCAs = append(listener.clientCAs, c.RequestHeaderConfig.CAContentProvider)
	}
	authn, _, err := c.New()
	return untilReviewed(authn), err
}

// clientCAs are those of the file, or else the cluster's, or nil.
func (o *AuthenticationOptions) clientCAs(client clientset.Interface) (dynamiccertificates.CAContentProvider, error) {
	switch {
	case o.clientCA != "":
		cas, err := dynamiccertificates.NewDynamicCAContentFromFile("client-ca-bundle", o.clientCA)
		if err != nil {
			return nil, fmt.Errorf("--client-ca-file: %w", err)
		}
		return cas, nil
	case o.skipLookup || client == nil:
		return nil, nil
	}
	cas, err := dynamiccertificates.NewDynamicCAFromConfigMapController("client-ca", settingsNamespace, settingsName, "client-ca-file", client)
	if err != nil {
		return nil, fmt.Errorf("looking up the cluster's client CAs: %w", err)
	}
	return cas, nil
}

// proxyConfig is how front proxies are recognised: by the flags, or by what the cluster says; nil if neither says.
func (o *AuthenticationOptions) proxyConfig(client clientset.Interface) (*authenticatorfactory.RequestHeaderConfig, error) {
	switch {
	case o.proxy.ca != "":
		return o.proxy.config()
	case o.skipLookup || client == nil:
		return nil, nil
	}
	settings, err := newClusterProxySettings(client)
	if err == nil {
		err = settings.RunOnce(context.Background())
	}
	if err != nil && o.tolerateLookup {
		klog.ErrorS(err, "Looking up authentication settings in the cluster failed; all requests may be anonymous (--authentication-tolerate-lookup-failure=false makes this fatal)")
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("looking up authentication settings in the cluster: %w", err)
	}
	return &authenticatorfactory.RequestHeaderConfig{
		CAContentProvider:   settings,
		UsernameHeaders:     headerrequest.StringSliceProviderFunc(settings.UsernameHeaders),
		UIDHeaders:          headerrequest.StringSliceProviderFunc(settings.UIDHeaders),
		GroupHeaders:        headerrequest.StringSliceProviderFunc(settings.GroupHeaders),
		ExtraHeaderPrefixes: headerrequest.StringSliceProviderFunc(settings.ExtraHeaderPrefixes),
		AllowedClientNames:  headerrequest.StringSliceProviderFunc(settings.AllowedClientNames),
	}, nil
}

func (h *proxyHeaders) config() (*authenticatorfactory.RequestHeaderConfig, error) {
	cas, err := dynamiccertificates.NewDynamicCAContentFromFile("request-header", h.ca)
	if err != nil {
		return nil, fmt.Errorf("--requestheader-client-ca-file: %w", err)
	}
	return &authenticatorfactory.RequestHeaderConfig{
		CAContentProvider:   cas,
		UsernameHeaders:     headerrequest.StaticStringSlice(h.users),
		UIDHeaders:          headerrequest.StaticStringSlice(h.uids),
		GroupHeaders:        headerrequest.StaticStringSlice(h.groups),
		ExtraHeaderPrefixes: headerrequest.StaticStringSlice(h.extra),
		AllowedClientNames:  headerrequest.StaticStringSlice(h.allowed),
	}, nil
}

// clusterProxySettings follows the front proxy's CAs and headers in the cluster's ConfigMap. The TLS server runs it, because
// it is a dynamiccertificates.ControllerRunner.
type clusterProxySettings struct {
	*dynamiccertificates.ConfigMapCAController
	*headerrequest.RequestHeaderAuthRequestController
}

func newClusterProxySettings(client clientset.Interface) (clusterProxySettings, error) {
	cas, err := dynamiccertificates.NewDynamicCAFromConfigMapController("request-header", settingsNamespace, settingsName, "requestheader-client-ca-file", client)
	return clusterProxySettings{cas, headerrequest.NewRequestHeaderAuthRequestController(settingsName, settingsNamespace, client,
		"requestheader-username-headers", "requestheader-uid-headers", "requestheader-group-headers",
		"requestheader-extra-headers-prefix", "requestheader-allowed-names")}, err
}

// RunOnce reads the ConfigMap.
func (s clusterProxySettings) RunOnce(ctx context.Context) error {
	return errors.Join(s.ConfigMapCAController.RunOnce(ctx), s.RequestHeaderAuthRequestController.RunOnce(ctx))
}

// Run follows the ConfigMap until the context ends.
func (s clusterProxySettings) Run(ctx context.Context, workers int) {
	go func() {
		if err := panics.Call("following the CA of front proxies", func() { s.ConfigMapCAController.Run(ctx, workers) }); err != nil {
			klog.ErrorS(err, "Changes of the CA of front proxies count only after a restart")
		}
	}()
	s.RequestHeaderAuthRequestController.Run(ctx, workers)
}
