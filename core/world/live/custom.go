package live

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"orrery/core/world"
)

// Client is a client that can also read the kinds that only a plugin knows. Any other client can read all kinds but those.
type Client struct {
	kubernetes.Interface
	Custom dynamic.Interface
}

// NewClient connects as a configuration says. All calls share a connection; those that read custom kinds have the limits of
// the configuration to themselves.
func NewClient(c *rest.Config) (Client, error) {
	if c = rest.CopyConfig(c); c.UserAgent == "" {
		c.UserAgent = rest.DefaultKubernetesUserAgent()
	}
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
	return Client{known, custom}, nil
}

// customSource says how to list and watch a custom kind.
func customSource(c kubernetes.Interface, kind world.Kind, in string) (*cache.ListWatch, error) {
	resource, custom := kind.Custom()
	if !custom {
		return nil, fmt.Errorf("watching objects of kind %q: no API serves them", kind)
	}
	client, able := c.(Client)
	if !able {
		return nil, fmt.Errorf("watching objects of kind %q, which a plugin registered for: this client reads the kinds of Kubernetes only", kind)
	}
	if in == everywhere {
		return from(client.Custom.Resource(resource), nil), nil
	}
	return from(client.Custom.Resource(resource).Namespace(in), nil), nil
}

// exampleOf is an object as client-go decodes those of a kind.
func exampleOf(kind world.Kind) runtime.Object {
	if example, err := world.New(kind); err == nil {
		return example
	}
	return &unstructured.Unstructured{}
}

// typed is an object as everybody here knows it; false for what is no object.
func typed(kind world.Kind, o any) (world.Object, bool) {
	if whole, custom := o.(*unstructured.Unstructured); custom && whole != nil {
		whole.SetManagedFields(nil)
		return world.CustomOf(kind, whole), true
	}
	object, ok := o.(world.Object)
	return object, ok
}
