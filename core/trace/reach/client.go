package reach

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	clientset "k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"orrery/core/safe/address"
	"orrery/core/safe/printable"
)

// Client sends requests to a scheduler.
type Client struct {
	*http.Client
	// URL is the scheduler's address, without a path.
	URL *url.URL
	// Text says who that is, for people.
	Text string
	// Withheld says that the user has a secret that is not sent there.
	Withheld bool
}

// Close closes the connections.
func (c *Client) Close() { utilnet.CloseIdleConnectionsFor(c.Transport) }

// errImpersonation refuses to send requests as another user than asked for.
var errImpersonation = errors.New("a scheduler impersonates no users: leave out --as and its like")

// ThroughPod returns a client of a pod's port, which it reaches through the API server.
func ThroughPod(config *rest.Config, client clientset.Interface, pod Pod, port int) (*Client, error) {
	if config.Impersonate.UserName != "" {
		return nil, errImpersonation
	}
	forward := client.CoreV1().RESTClient().Post().Resource("pods").Namespace(pod.Namespace).Name(pod.Name).SubResource("portforward")
	f := &forwarder{config, forward.URL(), pod, port}
	// The API server says which pod it is, so that the scheduler's certificate, usually self-signed, is not verified.
	own := endpointConfig(config)
	own.Dial, own.Proxy, own.Host = f.dial, noProxy, "https://"+pod.Name
	own.TLSClientConfig = withoutCA(own.TLSClientConfig)
	return newClient(own, pod.String())
}

func noProxy(*http.Request) (*url.URL, error) { return nil, nil }

// At returns a client of an address.
func At(config *rest.Config, to string) (*Client, error) {
	if config.Impersonate.UserName != "" {
		return nil, errImpersonation
	}
	u, err := url.Parse(to)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, fmt.Errorf("%q is no address: say https://HOST:PORT", printable.Line(address.WithoutCredentials(to), 200))
	}
	if u.User != nil || u.RawQuery != "" || u.Path != "" && u.Path != "/" {
		return nil, fmt.Errorf("%q has more than a host and a port: say https://HOST:PORT", printable.Line(address.WithoutCredentials(to), 200))
	}
	own := endpointConfig(config)
	own.Host = u.Scheme + "://" + u.Host
	withheld := false
	if own.Insecure || u.Scheme == "http" {
		withheld = own.BearerToken != "" || own.BearerTokenFile != "" || own.Username != "" || own.ExecProvider != nil || own.AuthProvider != nil
		own = withoutSecrets(own)
	}
	c, err := newClient(own, u.Host)
	if err == nil {
		c.Withheld = withheld
	}
	return c, err
}

// endpointConfig returns what of a cluster's config holds for another server: the user, and the certificate authority.
func endpointConfig(config *rest.Config) *rest.Config {
	own := rest.CopyConfig(config)
	own.APIPath, own.Timeout, own.RateLimiter, own.DisableCompression = "", 0, nil, true
	return own
}

// withoutCA verifies no server's certificate.
func withoutCA(c rest.TLSClientConfig) rest.TLSClientConfig {
	c.Insecure, c.CAFile, c.CAData, c.ServerName = true, "", nil, ""
	return c
}

// withoutSecrets keeps a client certificate, whose key no server gets to see, and nothing else of the user.
func withoutSecrets(c *rest.Config) *rest.Config {
	own := rest.AnonymousClientConfig(c)
	own.CertFile, own.CertData, own.KeyFile, own.KeyData = c.CertFile, c.CertData, c.KeyFile, c.KeyData
	return own
}

func newClient(config *rest.Config, text string) (*Client, error) {
	own, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("preparing requests to %s: %w", text, err)
	}
	own.CheckRedirect = func(*http.Request, []*http.Request) error {
		return errors.New("a scheduler redirects to no other address")
	}
	u, err := url.Parse(config.Host)
	if err != nil {
		return nil, fmt.Errorf("preparing requests to %s: %w", text, err)
	}
	return &Client{Client: own, URL: u, Text: text}, nil
}
