package cache

import (
	"fmt"
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// Check compares the incrementally updated state with one computed from the nodes and pods, and reports differences. It
// costs as much as rebuilding the cache: it is for tests and debugging.
func (c *Cache) Check() error {
	for _, check := range []func() error{c.checkOrder, c.checkNodes, c.checkTree, c.checkImages, c.checkPods} {
		if err := check(); err != nil {
			return fmt.Errorf("check the cache: %w", err)
		}
	}
	return nil
}

// checkOrder checks the list: newest first, consistently linked in both directions, and complete.
func (c *Cache) checkOrder() error {
	var newer *entry
	seen := 0
	for e := c.newest; e != nil; newer, e = e, e.older {
		if e.newer != newer {
			return fmt.Errorf("node %q: the links to its neighbours disagree", e.name)
		}
		if c.entries[e.name] != e {
			return fmt.Errorf("node %q: in the list but not in the map", e.name)
		}
		if newer != nil && newer.info.generation <= e.info.generation {
			return fmt.Errorf("node %q of generation %d stands before %q of generation %d",
				newer.name, newer.info.generation, e.name, e.info.generation)
		}
		if seen++; seen > len(c.entries) {
			return fmt.Errorf("the list of %d nodes runs in a circle", len(c.entries))
		}
	}
	if seen != len(c.entries) {
		return fmt.Errorf("%d nodes in the list but %d in the map", seen, len(c.entries))
	}
	if c.newest != nil && c.newest.info.generation > c.generation {
		return fmt.Errorf("node %q has generation %d, the latest one given out is %d",
			c.newest.name, c.newest.info.generation, c.generation)
	}
	return nil
}

func (c *Cache) checkNodes() error {
	for name, e := range c.entries {
		if e.info.node == nil && len(e.info.pods.items) == 0 {
			return fmt.Errorf("node %q: kept with neither node nor pods", name)
		}
		if e.info.node != nil && e.info.node.Name != name {
			return fmt.Errorf("node %q: holds node %q", name, e.info.node.Name)
		}
		if err := e.info.checkSums(); err != nil {
			return fmt.Errorf("node %q: %w", name, err)
		}
	}
	return nil
}

// checkSums sums the pods again. Ports are a set, and removing either of two pods with one port frees it, so the set
// can be smaller than the pods' ports but never larger.
func (n *NodeInfo) checkSums() error {
	again := &NodeInfo{}
	if n.node != nil {
		again.setNode(n.node, 0)
	} else {
		again.allocatable = n.allocatable
	}
	for _, info := range n.pods.items {
		again.attach(info, 0)
	}
	switch {
	case !n.requested.equal(&again.requested):
		return fmt.Errorf("requested is %s, the pods add up to %s", n.requested.text(), again.requested.text())
	case !n.nonZeroRequested.equal(&again.nonZeroRequested):
		return fmt.Errorf("nonZeroRequested is %s, the pods add up to %s", n.nonZeroRequested.text(), again.nonZeroRequested.text())
	case !n.allocatable.equal(&again.allocatable):
		return fmt.Errorf("allocatable is %s, the node says %s", n.allocatable.text(), again.allocatable.text())
	case !maps.Equal(n.pvcRefCounts, again.pvcRefCounts):
		return fmt.Errorf("claims are %v, the pods use %v", n.pvcRefCounts, again.pvcRefCounts)
	case !sameMembers(n.podsWithAffinity.items, again.podsWithAffinity.items):
		return fmt.Errorf("%d pods with affinity, %d expected", len(n.podsWithAffinity.items), len(again.podsWithAffinity.items))
	case !sameMembers(n.podsWithRequiredAntiAffinity.items, again.podsWithRequiredAntiAffinity.items):
		return fmt.Errorf("%d pods with required anti-affinity, %d expected",
			len(n.podsWithRequiredAntiAffinity.items), len(again.podsWithRequiredAntiAffinity.items))
	}
	for ip, ports := range n.usedPorts {
		for port := range ports {
			if _, claimed := again.usedPorts[ip][port]; !claimed {
				return fmt.Errorf("port %s %s:%d is in use by no pod", port.Protocol, ip, port.Port)
			}
		}
	}
	return nil
}

// equal compares amounts; a zero scalar equals a missing one.
func (r *Resource) equal(o *Resource) bool {
	without := func(scalars map[v1.ResourceName]int64) map[v1.ResourceName]int64 {
		counted := maps.Clone(scalars)
		maps.DeleteFunc(counted, func(_ v1.ResourceName, q int64) bool { return q == 0 })
		return counted
	}
	return r.MilliCPU == o.MilliCPU && r.Memory == o.Memory && r.EphemeralStorage == o.EphemeralStorage &&
		r.AllowedPodNumber == o.AllowedPodNumber && maps.Equal(without(r.ScalarResources), without(o.ScalarResources))
}

func sameMembers(a, b []fwk.PodInfo) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(info fwk.PodInfo) bool { return !slices.Contains(b, info) })
}

// checkTree compares the tree with the nodes: each is in the zone of its labels, and the tree has no others.
func (c *Cache) checkTree() error {
	names, err := c.nodeTree.list()
	if err != nil {
		return err
	}
	if len(names) != c.nodeTree.len() {
		return fmt.Errorf("the tree lists %d nodes but counts %d", len(names), c.nodeTree.len())
	}
	present := 0
	for name, e := range c.entries {
		if e.info.node == nil {
			continue
		}
		present++
		if at, known := c.nodeTree.positions[name]; !known || at.zone.key != zoneKey(e.info.node) {
			return fmt.Errorf("node %q: not in the tree under its zone %q", name, zoneKey(e.info.node))
		}
	}
	if present != len(names) {
		return fmt.Errorf("the tree has %d nodes, the cache %d", len(names), present)
	}
	return nil
}

func (c *Cache) checkImages() error {
	holders := map[string]int{}
	for name, e := range c.entries {
		named := map[string]bool{}
		if e.info.node != nil {
			for _, image := range e.info.node.Status.Images {
				for _, n := range image.Names {
					named[n] = true
				}
			}
		}
		if len(named) != len(e.imageNames) || slices.ContainsFunc(e.imageNames, func(n string) bool { return !named[n] }) {
			return fmt.Errorf("node %q: counted for %d images, it reports %d", name, len(e.imageNames), len(named))
		}
		for n := range named {
			holders[n]++
		}
	}
	if len(holders) != len(c.images.states) {
		return fmt.Errorf("%d images known, %d on nodes", len(c.images.states), len(holders))
	}
	for name, n := range holders {
		s := c.images.states[name]
		if s.nodes != n || s.summary == nil || s.summary.NumNodes != n || s.summary.Size != s.size {
			return fmt.Errorf("image %q: counted on %d nodes, it is on %d", name, s.nodes, n)
		}
	}
	return nil
}

// checkPods compares the pod table with the pods on the nodes, and the assumed pods with the table.
func (c *Cache) checkPods() error {
	onNodes, inTable := 0, 0
	for _, e := range c.entries {
		onNodes += len(e.info.pods.items)
	}
	for uid, info := range c.pods.all() {
		inTable++
		if string(info.pod.UID) != uid {
			return fmt.Errorf("pod %q is filed under %q", info.pod.UID, uid)
		}
		if e := c.entries[info.pod.Spec.NodeName]; e == nil || e.info.pods.indexOf(info) < 0 {
			return fmt.Errorf("pod %q is not on its node %q", uid, info.pod.Spec.NodeName)
		}
	}
	if onNodes != inTable || inTable != c.pods.count {
		return fmt.Errorf("%d pods on nodes, %d in the table, %d counted", onNodes, inTable, c.pods.count)
	}
	for uid := range c.assumed {
		if c.pods.get(uid) == nil {
			return fmt.Errorf("pod %q is assumed but not in the cache", uid)
		}
	}
	return nil
}
