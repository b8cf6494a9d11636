package diagnose

import (
	"cmp"
	"fmt"

	v1 "k8s.io/api/core/v1"

	"orrery/core/scheduler/plugins/nodeports"
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
	// Nominated says that the pod is not there yet, but nominated to the node.
	Nominated bool `json:"nominated,omitempty"`
}

func (p *pendingPod) portConflicts(nodes []string) Evidence {
	c := &PortConflicts{}
	for _, name := range nodes {
		info := p.nodes[name]
		if info == nil {
			continue
		}
		for _, other := range info.GetPods() {
			c.add(p.pod, other.GetPod(), name, false)
		}
		for _, other := range p.nominated(name) {
			c.add(p.pod, other, name, true)
		}
	}
	if len(c.Holders) == 0 {
		return nil
	}
	return c
}

func (c *PortConflicts) add(pod, other *v1.Pod, node string, nominated bool) {
	for _, held := range nodeports.Conflicts(pod, other) {
		c.Holders = append(c.Holders, PortHolder{node, fullName(other), held.Port, cmp.Or(held.Protocol, v1.ProtocolTCP), nominated})
	}
}

// Facts implements Evidence.
func (c *PortConflicts) Facts() []string {
	holders := make([]string, len(c.Holders))
	for i, h := range c.Holders {
		holders[i] = fmt.Sprintf("%d/%s on %s by %s", h.Port, h.Protocol, h.Node, h.Pod)
		if h.Nominated {
			holders[i] += ", nominated there"
		}
	}
	return []string{"host ports held: " + listed(holders)}
}

// Hint implements Evidence.
func (c *PortConflicts) Hint() string { return "" }
