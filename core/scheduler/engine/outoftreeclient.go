package engine

import (
	"errors"
	"fmt"
	"net/http"
	"sync"

	clientset "k8s.io/client-go/kubernetes"
	restclient "k8s.io/client-go/rest"
)

// ErrOffline is why a plugin's request to the API server fails where there is none.
var ErrOffline = errors.New("there is no API server: the cluster is recorded, simulated or a what-if; plugins can read it through informers, and change it by their decisions")

// ErrShadow is why a plugin cannot write in a shadow.
var ErrShadow = errors.New("another scheduler schedules this cluster, and this one only shadows it: plugins can read, and cannot write")

// outOfTreeClient returns how plugins reach the cluster. In a shadow they can only read, and where there is no cluster every request
// is refused.
func (e *Engine) outOfTreeClient() (clientset.Interface, *restclient.Config, error) {
	client, config := e.options.Client, e.options.KubeConfig
	switch {
	case e.options.Shadow && config != nil:
		config = restclient.CopyConfig(config)
		config.Wrap(func(next http.RoundTripper) http.RoundTripper { return readOnly{next} })
		client, err := clientset.NewForConfig(config)
		if err != nil {
			return nil, nil, fmt.Errorf("making a read-only client for plugins: %w", err)
		}
		return client, config, nil
	case !e.options.Shadow && client != nil:
		if config == nil {
			config = offlineConfig()
		}
		return client, config, nil
	}
	return offlineClient(), offlineConfig(), nil
}

// offline refuses every request.
type offline struct{}

func (offline) RoundTrip(*http.Request) (*http.Response, error) { return nil, ErrOffline }

// offlineConfig is a connection that refuses every request, so that plugins can make clients of their own from it.
func offlineConfig() *restclient.Config {
	return &restclient.Config{Host: "https://no-api-server.invalid", Transport: offline{}}
}

// offlineClient is a client with that connection. All engines share it.
var offlineClient = sync.OnceValue(func() clientset.Interface {
	return clientset.NewForConfigOrDie(offlineConfig()) // it fails for malformed configurations only
})

// readOnly refuses writes.
type readOnly struct{ next http.RoundTripper }

func (r readOnly) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Method != http.MethodGet {
		return nil, ErrShadow
	}
	return r.next.RoundTrip(request)
}

// WrappedRoundTripper implements client-go's RoundTripperWrapper.
func (r readOnly) WrappedRoundTripper() http.RoundTripper { return r.next }
