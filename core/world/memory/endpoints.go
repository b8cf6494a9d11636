package memory

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"orrery/core/world"
)

// Endpoint is a pod behind a Service, with the conditions that it has in the Service's EndpointSlices.
type Endpoint struct {
	Pod, Node string
	// Ready pods get new connections. Terminating ones are not ready, and Serving while they still answer.
	Ready, Serving, Terminating bool
}

// Endpoints lists what a Service sends connections to, by the pods' names. It is worked out when it is asked for: there are
// neither EndpointSlices, as no scheduler reads them, nor addresses.
func (c *Cluster) Endpoints(namespace, service string) []Endpoint {
	o, err := c.Get(world.Service, namespace, service)
	if err != nil {
		return nil
	}
	spec := &o.(*v1.Service).Spec
	if len(spec.Selector) == 0 {
		return nil
	}
	var list []Endpoint
	for _, pod := range inNamespace[*v1.Pod](c, world.Pod, namespace) {
		if pod.Spec.NodeName == "" || isTerminal(pod) || !labels.SelectorFromSet(spec.Selector).Matches(labels.Set(pod.Labels)) {
			continue
		}
		e := Endpoint{Pod: pod.Name, Node: pod.Spec.NodeName, Serving: isReady(pod), Terminating: pod.DeletionTimestamp != nil}
		e.Ready = spec.PublishNotReadyAddresses || e.Serving && !e.Terminating
		list = append(list, e)
	}
	return list
}
