// Package nodeports keeps two pods from claiming one port of a node.
//
// A claim is an address, a protocol and a port. The address 0.0.0.0, which is also what an empty one means, claims the
// port on every address of the node; no protocol means TCP. Containers claim their host ports, and so do init
// containers that keep running; an init container that ends gives its port back before anyone could want it.
//
// # Differences from kube-scheduler
//
// Signatures have the addresses and protocols beside the port numbers.
package nodeports

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/config"
	"orrery/core/framework"
	"orrery/core/plugins/hint"
)

// Name of the plugin, in configurations, metrics and statuses.
const Name = "NodePorts"

// NodePorts is the plugin.
type NodePorts struct{}

var (
	_ fwk.PreFilterPlugin   = (*NodePorts)(nil)
	_ fwk.FilterPlugin      = (*NodePorts)(nil)
	_ fwk.EnqueueExtensions = (*NodePorts)(nil)
	_ framework.NodeLocal   = (*NodePorts)(nil)
)

var (
	nothingToDo = fwk.NewStatus(fwk.Skip)
	portTaken   = fwk.NewStatus(fwk.Unschedulable,
		"node(s) didn't have free ports for the requested pod ports").WithPlugin(Name)
)

// New makes the plugin; it takes no arguments.
func New(context.Context, runtime.Object, fwk.Handle, config.Features) (fwk.Plugin, error) {
	return &NodePorts{}, nil
}

// Name is the plugin's name.
func (*NodePorts) Name() string { return Name }

// NodeLocal says that the answer is the node's own.
func (*NodePorts) NodeLocal() {}

// claim is one port that a pod wants of its node.
type claim struct {
	IP       string
	Protocol v1.Protocol
	Port     int32
}

// claims are what a pod wants of its node.
type claims []claim

// filterKey is where a pod's claims wait for the filter.
const filterKey fwk.StateKey = "PreFilter" + Name

// Clone returns the claims themselves: nothing changes them.
func (c claims) Clone() fwk.StateData { return c }

func claimsOf(pod *v1.Pod) claims {
	var all claims
	for i := range pod.Spec.InitContainers {
		c := &pod.Spec.InitContainers[i]
		if c.RestartPolicy != nil && *c.RestartPolicy == v1.ContainerRestartPolicyAlways {
			all = all.with(c.Ports)
		}
	}
	for i := range pod.Spec.Containers {
		all = all.with(pod.Spec.Containers[i].Ports)
	}
	return all
}

func (c claims) with(ports []v1.ContainerPort) claims {
	for i := range ports {
		if port := &ports[i]; port.HostPort > 0 {
			c = append(c, claim{port.HostIP, port.Protocol, port.HostPort})
		}
	}
	return c
}

// collide tells whether any of the claims is taken. Sets of ports in use answer for the meaning of empty addresses
// and protocols.
func (c claims) collide(inUse fwk.HostPortInfo) bool {
	for i := range c {
		if inUse.CheckConflict(c[i].IP, string(c[i].Protocol), c[i].Port) {
			return true
		}
	}
	return false
}

// PreFilter gathers the pod's claims.
func (*NodePorts) PreFilter(_ context.Context, state fwk.CycleState, pod *v1.Pod, _ []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	wanted := claimsOf(pod)
	if len(wanted) == 0 {
		return nil, nothingToDo
	}
	state.Write(filterKey, wanted)
	return nil, nil
}

// PreFilterExtensions are not needed: the ports in use are the node's to know.
func (*NodePorts) PreFilterExtensions() fwk.PreFilterExtensions { return nil }

// Filter turns a node down where any claim is taken. Preemption may free it.
func (*NodePorts) Filter(_ context.Context, state fwk.CycleState, _ *v1.Pod, node fwk.NodeInfo) *fwk.Status {
	data, err := state.Read(filterKey)
	if err != nil {
		return fwk.AsStatus(fmt.Errorf("reading %q from cycleState: %w", filterKey, err))
	}
	wanted, ok := data.(claims)
	if !ok {
		return fwk.AsStatus(fmt.Errorf("reading %q from cycleState: it is a %T", filterKey, data))
	}
	if inUse := node.GetUsedPorts(); len(inUse) > 0 && wanted.collide(inUse) {
		return portTaken
	}
	return nil
}

// EventsToRegister asks for pods that give ports back, and for every new node.
func (p *NodePorts) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	return []fwk.ClusterEventWithHint{
		{Event: fwk.ClusterEvent{Resource: fwk.Pod, ActionType: fwk.Delete}, QueueingHintFn: p.afterPodDelete},
		{Event: fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.Add}},
	}, nil
}

// afterPodDelete queues the pod when the deleted one held, or was about to hold, a port that it wants.
func (*NodePorts) afterPodDelete(_ klog.Logger, pod *v1.Pod, before, _ any) (fwk.QueueingHint, error) {
	deleted, _, err := hint.Objects[*v1.Pod](before, nil)
	if err != nil {
		return fwk.Queue, err
	}
	if deleted.Spec.NodeName == "" && deleted.Status.NominatedNodeName == "" {
		return fwk.QueueSkip, nil
	}
	givenBack := fwk.HostPortInfo{}
	for _, c := range claimsOf(deleted) {
		givenBack.Add(c.IP, string(c.Protocol), c.Port)
	}
	if claimsOf(pod).collide(givenBack) {
		return fwk.Queue, nil
	}
	return fwk.QueueSkip, nil
}

// claimsKey is a fragment that kube-scheduler does not have: it signs port numbers alone, although a port of one
// address or protocol may be free where it is taken on another.
const claimsKey = "orrery/v1.Pod.Spec.HostPortClaims()"

// SignPod says that the answer depends on the claims.
func (*NodePorts) SignPod(_ context.Context, pod *v1.Pod) ([]fwk.SignFragment, *fwk.Status) {
	fragments := []fwk.SignFragment{{Key: fwk.HostPortsSignerName, Value: fwk.HostPortsSigner(pod)}}
	if wanted := claimsOf(pod); len(wanted) > 0 {
		fragments = append(fragments, fwk.SignFragment{Key: claimsKey, Value: wanted})
	}
	return fragments, nil
}
