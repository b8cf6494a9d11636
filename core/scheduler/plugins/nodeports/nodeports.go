// Package nodeports keeps two pods from using one host port of a node.
//
// A claim is an address, a protocol and a port. The address 0.0.0.0, or none, claims the port on every address of the
// node; no protocol means TCP. Containers claim their host ports, and so do restartable init containers; other init
// containers end before the pod's containers start.
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
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins/hint"
	"orrery/core/scheduler/reuse"
)

// Name of the plugin, in configurations, metrics and statuses.
const Name = config.NodePorts

// NodePorts is the plugin.
type NodePorts struct{}

var (
	_ fwk.PreFilterPlugin   = (*NodePorts)(nil)
	_ fwk.FilterPlugin      = (*NodePorts)(nil)
	_ fwk.EnqueueExtensions = (*NodePorts)(nil)
	_ framework.NodeLocal   = (*NodePorts)(nil)
)

var (
	skip      = fwk.NewStatus(fwk.Skip)
	portTaken = fwk.NewStatus(fwk.Unschedulable,
		"node(s) didn't have free ports for the requested pod ports").WithPlugin(Name)
)

// New makes the plugin; it takes no arguments.
func New(context.Context, runtime.Object, fwk.Handle, config.Features) (fwk.Plugin, error) {
	return &NodePorts{}, nil
}

// Name is the plugin's name.
func (*NodePorts) Name() string { return Name }

// AppendSignature appends the claims.
func (*NodePorts) AppendSignature(to reuse.Signature, _ fwk.CycleState, pod *v1.Pod) (reuse.Signature, bool) {
	wanted := portClaimsOf(pod)
	to = to.Number(int64(len(wanted)))
	for _, c := range wanted {
		to = to.Text(c.IP).Text(string(c.Protocol)).Number(int64(c.Port))
	}
	return to, true
}

// portClaim is one host port that a pod uses.
type portClaim struct {
	IP       string
	Protocol v1.Protocol
	Port     int32
}

// portClaims are all host ports that a pod uses.
type portClaims []portClaim

// filterKey is the key of the pod's claims in the cycle state.
const filterKey fwk.StateKey = "PreFilter" + Name

// Clone returns the claims themselves: nothing changes them.
func (c portClaims) Clone() fwk.StateData { return c }

func portClaimsOf(pod *v1.Pod) portClaims {
	var all portClaims
	for i := range pod.Spec.InitContainers {
		c := &pod.Spec.InitContainers[i]
		if c.RestartPolicy != nil && *c.RestartPolicy == v1.ContainerRestartPolicyAlways {
			all = all.add(c.Ports)
		}
	}
	for i := range pod.Spec.Containers {
		all = all.add(pod.Spec.Containers[i].Ports)
	}
	return all
}

func (c portClaims) add(ports []v1.ContainerPort) portClaims {
	for i := range ports {
		if port := &ports[i]; port.HostPort > 0 {
			c = append(c, portClaim{port.HostIP, port.Protocol, port.HostPort})
		}
	}
	return c
}

// inUse returns the claims as a node keeps the ports in use.
func (c portClaims) inUse() fwk.HostPortInfo {
	ports := fwk.HostPortInfo{}
	for i := range c {
		ports.Add(c[i].IP, string(c[i].Protocol), c[i].Port)
	}
	return ports
}

// conflicts reports whether any claimed port is in use. HostPortInfo handles empty addresses and protocols.
func (c portClaims) conflicts(inUse fwk.HostPortInfo) bool {
	for i := range c {
		if inUse.CheckConflict(c[i].IP, string(c[i].Protocol), c[i].Port) {
			return true
		}
	}
	return false
}

// PreFilter gathers the pod's claims.
func (*NodePorts) PreFilter(_ context.Context, state fwk.CycleState, pod *v1.Pod, _ []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	wanted := portClaimsOf(pod)
	if len(wanted) == 0 {
		return nil, skip
	}
	state.Write(filterKey, wanted)
	return nil, nil
}

// PreFilterExtensions is nil: NodeInfo keeps the ports in use.
func (*NodePorts) PreFilterExtensions() fwk.PreFilterExtensions { return nil }

// Filter rejects a node on which a claimed port is in use. Preemption may free it.
func (*NodePorts) Filter(_ context.Context, state fwk.CycleState, _ *v1.Pod, node fwk.NodeInfo) *fwk.Status {
	wanted, err := framework.ReadState[portClaims](state, filterKey)
	if err != nil {
		return fwk.AsStatus(fmt.Errorf("reading %q from cycleState: %w", filterKey, err))
	}
	if inUse := node.GetUsedPorts(); len(inUse) > 0 && wanted.conflicts(inUse) {
		return portTaken
	}
	return nil
}

// EventsToRegister returns the events that can free a port or add a node.
func (p *NodePorts) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	return []fwk.ClusterEventWithHint{
		{Event: fwk.ClusterEvent{Resource: fwk.Pod, ActionType: fwk.Delete}, QueueingHintFn: hint.Of(p.isSchedulableAfterPodDeleted)},
		{Event: fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.Add}},
	}, nil
}

// isSchedulableAfterPodDeleted requeues the pod when the deleted one had, or was nominated to, a node and used the same port.
func (*NodePorts) isSchedulableAfterPodDeleted(pod *v1.Pod, deleted, _ *v1.Pod) bool {
	if deleted.Spec.NodeName == "" && deleted.Status.NominatedNodeName == "" {
		return false
	}
	freed := portClaimsOf(deleted).inUse()
	return portClaimsOf(pod).conflicts(freed)
}

// claimsKey is a fragment that kube-scheduler does not have: it signs port numbers alone, although a port may be free on
// one address or protocol and in use on another.
const claimsKey = "orrery/v1.Pod.Spec.HostPortClaims()"

// SignPod signs the claims.
func (*NodePorts) SignPod(_ context.Context, pod *v1.Pod) ([]fwk.SignFragment, *fwk.Status) {
	fragments := []fwk.SignFragment{{Key: fwk.HostPortsSignerName, Value: fwk.HostPortsSigner(pod)}}
	if wanted := portClaimsOf(pod); len(wanted) > 0 {
		fragments = append(fragments, fwk.SignFragment{Key: claimsKey, Value: wanted})
	}
	return fragments, nil
}
