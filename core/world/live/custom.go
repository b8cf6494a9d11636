package live

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"orrery/core/world"
)

// Client can also read custom resources. Any other client only reads the built-in kinds.
type Client struct {
	kubernetes.Interface
	Custom dynamic.Interface
	// rules is the version in which the API server serves DeviceTaintRules, workloads that of Workloads.
	rules, workloads *servedVersion
	// members says that pods are read with the groups of Kubernetes 1.35 that they are members of.
	members bool
}

// taintRules reads and writes DeviceTaintRules in the version that the API server serves.
func (c Client) taintRules() servedRules {
	return servedRules{served{c.Custom, world.DeviceTaintRule.Resource().GroupResource(), ruleVersions, c.rules, allNamespaces, anyRule}}
}

// NewClient makes a client. Its parts share a connection; reads of custom resources have the configured rate limit to
// themselves. The answers to the requests of ReadOnce, CheckAccess and List are bounded, and so are the events of watches.
func NewClient(c *rest.Config) (Client, error) {
	if c = rest.CopyConfig(c); c.UserAgent == "" {
		c.UserAgent = rest.DefaultKubernetesUserAgent()
	}
	packed := !c.DisableCompression
	c.Wrap(func(through http.RoundTripper) http.RoundTripper {
		return boundedTransport{through, packed, answerTimeout}
	})
	transport, err := rest.HTTPClientFor(c)
	if err != nil {
		return Client{}, fmt.Errorf("connecting to the API server: %w", err)
	}
	known, err := kubernetes.NewForConfigAndClient(c, transport)
	if err != nil {
		return Client{}, fmt.Errorf("connecting to the API server: %w", err)
	}
	custom, err := dynamic.NewForConfigAndClient(c, transport)
	if err != nil {
		return Client{}, fmt.Errorf("connecting to the API server: %w", err)
	}
	return Client{known, custom, &servedVersion{}, &servedVersion{}, false}, nil
}

// readingMembers returns a client that reads pods with their groups of Kubernetes 1.35, if workloads of it are read too.
func readingMembers(c kubernetes.Interface, kinds []world.Kind) kubernetes.Interface {
	client, able := c.(Client)
	if !able || !slices.Contains(kinds, world.Workload) {
		return c
	}
	client.members = client.refersByWorkload()
	return client
}

var errNoWorkloads = errors.New("watching workloads: this client reads the kinds that client-go knows only")

// customListWatch lists and watches a custom kind.
func customListWatch(c kubernetes.Interface, kind world.Kind, in string) (*cache.ListWatch, error) {
	resource, custom := kind.Custom()
	if !custom {
		return nil, fmt.Errorf("watching objects of kind %q: no API serves them", kind)
	}
	client, able := c.(Client)
	if !able {
		return nil, fmt.Errorf("watching objects of kind %q, which a plugin registered for: this client reads the kinds of Kubernetes only", kind)
	}
	if in == allNamespaces {
		return newListWatch(client.Custom.Resource(resource), nil), nil
	}
	return newListWatch(client.Custom.Resource(resource).Namespace(in), nil), nil
}

// expectedType is an example of how client-go decodes a kind.
func expectedType(kind world.Kind) runtime.Object {
	if example, err := world.New(kind); err == nil {
		return example
	}
	return &unstructured.Unstructured{}
}

// asObject converts a decoded object; false if it is none.
func asObject(kind world.Kind, o any) (world.Object, bool) {
	if whole, custom := o.(*unstructured.Unstructured); custom && whole != nil {
		whole.SetManagedFields(nil)
		return world.CustomOf(kind, whole), true
	}
	object, ok := o.(world.Object)
	return object, ok
}
