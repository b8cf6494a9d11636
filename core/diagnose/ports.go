package diagnose

import (
	"cmp"
	"fmt"

	v1 "k8s.io/api/core/v1"
)

// PortConflicts are the pods that hold host ports of the pod.
type PortConflicts struct {
	Holders []PortHolder `json:"holders"`
}

// PortHolder is a pod that holds a host port on a node.
type PortHolder struct {
	Node     string      `json:"node"`
	Pod      string      `json:"pod"` // namespace/name
	Port     int32       `json:"port"`
	Protocol v1.Protocol `json:"protocol"`
}

func (p *pendingPod) portConflicts(nodes []string) Evidence {
	c := &PortConflicts{}
	wanted := hostPorts(p.pod)
	for _, name := range nodes {
		info := p.nodes[name]
		if info == nil {
			continue
		}
		for _, other := range info.GetPods() {
			for _, held := range hostPorts(other.GetPod()) {
				if overlaps(wanted, held) {
					c.Holders = append(c.Holders, PortHolder{name, fullName(other.GetPod()), held.HostPort, held.Protocol})
				}
			}
		}
	}
	if len(c.Holders) == 0 {
		return nil
	}
	return c
}

// hostPorts lists the host ports of the containers that run as long as the pod.
func hostPorts(pod *v1.Pod) []v1.ContainerPort {
	var list []v1.ContainerPort
	add := func(c *v1.Container) {
		for _, port := range c.Ports {
			if port.HostPort > 0 {
				port.Protocol, port.HostIP = cmp.Or(port.Protocol, v1.ProtocolTCP), cmp.Or(port.HostIP, anyAddress)
				list = append(list, port)
			}
		}
	}
	for i := range pod.Spec.InitContainers {
		if c := &pod.Spec.InitContainers[i]; c.RestartPolicy != nil && *c.RestartPolicy == v1.ContainerRestartPolicyAlways {
			add(c)
		}
	}
	for i := range pod.Spec.Containers {
		add(&pod.Spec.Containers[i])
	}
	return list
}

const anyAddress = "0.0.0.0"

func overlaps(wanted []v1.ContainerPort, held v1.ContainerPort) bool {
	for _, w := range wanted {
		if w.HostPort == held.HostPort && w.Protocol == held.Protocol &&
			(w.HostIP == held.HostIP || w.HostIP == anyAddress || held.HostIP == anyAddress) {
			return true
		}
	}
	return false
}

// Facts implements Evidence.
func (c *PortConflicts) Facts() []string {
	holders := make([]string, len(c.Holders))
	for i, h := range c.Holders {
		holders[i] = fmt.Sprintf("%d/%s on %s by %s", h.Port, h.Protocol, h.Node, h.Pod)
	}
	return []string{"host ports held: " + listed(holders)}
}

// Hint implements Evidence.
func (c *PortConflicts) Hint() string { return "" }
