package diagnose

import (
	"fmt"
	"slices"

	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/plugins/dynamicresources"
	"orrery/core/scheduler/plugins/dynamicresources/shortage"
)

// Devices is the chain from a pod over its claims for devices, and what they request, to the nodes that have such devices. Why nodes are
// rejected for them the plugin says.
type Devices struct {
	Claims []shortage.Claim `json:"claims"`
	// Nodes were filtered; on Allowed of them the claims can get devices, or have some that the node reaches.
	Nodes   int `json:"nodes"`
	Allowed int `json:"allowed"`
	// Blocked are the reasons against the allowed nodes; a node may be under several.
	Blocked []Blocker `json:"blocked"`
	// Together is why nodes with enough devices for each request have too few for all.
	Together []shortage.Together `json:"together,omitempty"`
	// Nearest is the node that lacks least; nil if none lacks devices.
	Nearest *shortage.Nearest `json:"nearest,omitempty"`
	// Says is the cause, where devices are a part of it.
	Says string `json:"message,omitempty"`

	inspection *shortage.Inspection
	nodes      map[string]*cache.NodeInfo
	failed     bool // whether the attempt ended with an error, which is about no node
}

// DeviceOn is the reason why one device of a node does not serve a request.
type DeviceOn = shortage.DeviceOn

// Blocker is one reason against nodes that have the devices for a pod.
type Blocker struct {
	Plugin string `json:"plugin"`
	Reason string `json:"reason"`
	Nodes  int    `json:"nodes"`
	Says   string `json:"message"`
}

// devices returns the chain; nil for a pod without claims for devices.
func (p *pendingPod) devices(x *engine.Explanation) *Devices {
	d := &Devices{Nodes: len(x.Nodes), Blocked: []Blocker{}, nodes: p.nodes, failed: x.Decision.Verdict == engine.Failed}
	d.inspection = shortage.Of(x.Cycle, shortage.Source{
		Devices: p.engine.Devices(), Features: dynamicresources.AllocatorFeatures(p.engine.Features()), Pod: p.pod, Nodes: nodesOf(p.engine),
		PodNamed: p.engine.Store().Pod, HasNode: hasNode(p.engine, p.pod),
	})
	if d.Claims = d.inspection.Claims; len(d.Claims) == 0 {
		return nil
	}
	rejected := x.RejectedOn(dynamicresources.Name)
	if d.Allowed = d.Nodes - len(rejected); x.Decision.Verdict == engine.Unschedulable {
		short := d.inspection.Short(dynamicresources.Short(x.Rejection(dynamicresources.Name, rejected)))
		d.Claims, d.Together, d.Nearest = short.WithNumbers(), short.Together, short.Nearest
	}
	if d.Allowed > 0 && d.Allowed < d.Nodes {
		d.Blocked = p.blockers(x)
	}
	return d
}

// blockers are what keeps the pod from the nodes that have devices for it, by the other plugins.
func (p *pendingPod) blockers(x *engine.Explanation) []Blocker {
	list := []Blocker{}
	c := newCauses(p, x)
	for _, plugin := range c.plugins {
		nodes := slices.DeleteFunc(x.RejectedOn(plugin), func(name string) bool { return slices.Contains(x.RejectedBy(name), dynamicresources.Name) })
		if len(nodes) == 0 {
			continue
		}
		for _, e := range c.evidence(plugin, nodes) {
			list = append(list, Blocker{Plugin: plugin, Reason: e.Message, Nodes: len(e.Nodes), Says: e.Predicate})
		}
	}
	slices.SortStableFunc(list, func(a, b Blocker) int { return b.Nodes - a.Nodes })
	return list
}

// On returns every device that a node reaches, with the reason against each request; nothing for a node that is not known, or
// without claims.
func (d *Devices) On(node string) []DeviceOn {
	if d == nil || d.nodes[node] == nil {
		return nil
	}
	return d.inspection.On(d.nodes[node])
}

// Links are the links of the chain, from the claims to the nodes. What was said already, such as in a summary, is not said
// again.
func (d *Devices) Links(said string) []Link {
	var links []Link
	for i := range d.Claims {
		c := &d.Claims[i]
		claim := Link{Says: c.Text(), Bad: c.Troubled()}
		if said == claim.Says {
			claim.Says = c.Title()
		}
		links = append(links, claim)
		for j := range c.Requests {
			r := &c.Requests[j]
			links = append(links, Link{Depth: 1, Says: r.Line(), Bad: r.TooFewOn > 0})
		}
	}
	if d.Nodes > 0 && !d.failed && (d.Says == "" || said != d.Says) {
		links = append(links, Link{Says: fmt.Sprintf("nodes: devices allow %d of %d", d.Allowed, d.Nodes)})
	}
	return links
}

// Lines are the links of the chain in words, from the claims to the nodes.
func (d *Devices) Lines() []string { return linesOf(d.Links("")) }
