package diagnose

import (
	"cmp"
	"fmt"

	v1 "k8s.io/api/core/v1"

	"orrery/core/plugins/nodeports"
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
	for _, name := range nodes {
		info := p.nodes[name]
		if info == nil {
			continue
		}
		for _, other := range info.GetPods() {
			for _, held := range nodeports.Conflicts(p.pod, other.GetPod()) {
				c.Holders = append(c.Holders, PortHolder{name, fullName(other.GetPod()), held.Port, cmp.Or(held.Protocol, v1.ProtocolTCP)})
			}
		}
	}
	if len(c.Holders) == 0 {
		return nil
	}
	return c
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
