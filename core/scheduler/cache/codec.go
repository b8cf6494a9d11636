package cache

import (
	"cmp"
	"slices"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/codec"
)

// CodeState codes the nodes with their pods, the order of both, and what depends on how they came there: generations, used ports and
// sizes of images. Sums and tables are made anew.
func (c *Cache) CodeState(to *codec.Coder) {
	codec.Int(to, &c.generation)
	entries := c.oldestFirst()
	codec.Slice(to, &entries, func(e **entry) {
		if to.Reading() {
			*e = &entry{info: &NodeInfo{}}
		}
		c.codeEntry(to, *e)
	})
	c.codeImages(to)
	c.nodeTree.codeState(to)
	codec.Map(to, &c.assumed, func(uid *string, finished *bool) {
		codec.Text(to, uid)
		to.Bool(finished)
		to.Check(c.pods.get(*uid) != nil, "pod %q is assumed, and on no node", *uid)
	})
}

func (c *Cache) oldestFirst() []*entry {
	entries := make([]*entry, 0, len(c.entries))
	for e := c.newest; e != nil; e = e.older {
		entries = append(entries, e)
	}
	slices.Reverse(entries)
	return entries
}

// codeEntry codes a node, its pods and what is taken there.
func (c *Cache) codeEntry(to *codec.Coder, e *entry) {
	generation, claimsChanged := e.info.generation, e.info.pvcRefCountsGeneration
	codec.Text(to, &e.name)
	codec.OptionalObject(to, &e.info.node)
	codec.Int(to, &generation)
	codec.Int(to, &claimsChanged)
	if to.Reading() {
		c.readNode(to, e, generation)
	}
	pods := e.info.pods.items
	codec.Slice(to, &pods, func(info *fwk.PodInfo) { c.codePod(to, e, info) })
	codeSubset(to, e.info.pods.items, &e.info.podsWithAffinity)
	codeSubset(to, e.info.pods.items, &e.info.podsWithRequiredAntiAffinity)
	e.info.codePorts(to)
	if to.Reading() {
		e.info.generation, e.info.pvcRefCountsGeneration = generation, claimsChanged
		to.Check(e.info.node != nil || len(e.info.pods.items) > 0, "node %q has neither an object nor pods", e.name)
	}
}

// readNode adds a node that was read as the most recently changed.
func (c *Cache) readNode(to *codec.Coder, e *entry, generation int64) {
	node := e.info.node
	to.Check(c.entries[e.name] == nil && (node == nil || node.Name == e.name), "node %q comes twice, or under another name", e.name)
	to.Check(generation > 0 && generation <= c.generation && (c.newest == nil || c.newest.info.generation < generation),
		"node %q comes out of order", e.name)
	if !to.OK() {
		return
	}
	if node != nil {
		e.info.setNode(node, generation)
		e.imageNames = c.images.countNode(node.Status.Images)
	}
	e.info.generation = generation
	c.entries[e.name] = e
	c.moveToFront(e)
}

func (c *Cache) codePod(to *codec.Coder, e *entry, info *fwk.PodInfo) {
	var pod *v1.Pod
	if !to.Reading() {
		pod = (*info).GetPod()
	}
	if codec.Object(to, &pod); !to.Reading() || !to.OK() {
		return
	}
	uid, err := podKey(pod)
	to.Check(err == nil && pod.Spec.NodeName == e.name && c.pods.get(uid) == nil, "pod %q comes twice, or is on another node than %q", pod.Name, e.name)
	if !to.OK() {
		return
	}
	parsed, _ := c.accounting.NewPodInfo(pod) // terms that do not parse are left out, as when the pod came
	*info = parsed
	e.info.attach(parsed, e.info.generation)
	c.pods.set(uid, parsed)
}

// codeSubset codes which pods are in a list, in its order. The pods that are read are in it already, in another order.
func codeSubset(to *codec.Coder, pods []fwk.PodInfo, list *podList) {
	var positions []int
	if !to.Reading() && len(list.items) > 0 {
		at := make(map[fwk.PodInfo]int, len(pods))
		for i, info := range pods {
			at[info] = i
		}
		for _, info := range list.items {
			positions = append(positions, at[info])
		}
	}
	in := map[fwk.PodInfo]bool{}
	for _, info := range list.items {
		in[info] = true
	}
	i := 0
	codec.Slice(to, &positions, func(at *int) {
		to.Count(at)
		to.Check(*at < len(pods) && i < len(list.items) && in[pods[*at]], "a pod is among those with affinity twice, or has none")
		if to.Reading() && to.OK() {
			delete(in, pods[*at])
			list.items[i] = pods[*at]
			i++
		}
	})
	to.Check(i == len(list.items), "a pod is missing among those with affinity")
}

// usedPort is one of the ports in use.
type usedPort struct {
	ip string
	fwk.ProtocolPort
}

func (n *NodeInfo) codePorts(to *codec.Coder) {
	var ports []usedPort
	for ip, set := range n.usedPorts {
		for port := range set {
			ports = append(ports, usedPort{ip, port})
		}
	}
	slices.SortFunc(ports, func(a, b usedPort) int {
		return cmp.Or(cmp.Compare(a.ip, b.ip), cmp.Compare(a.Protocol, b.Protocol), cmp.Compare(a.Port, b.Port))
	})
	if to.Reading() {
		n.usedPorts = nil
	}
	codec.Slice(to, &ports, func(p *usedPort) {
		codec.Text(to, &p.ip)
		codec.Text(to, &p.Protocol)
		codec.Int(to, &p.Port)
		if to.Reading() {
			n.takePorts([]hostPort{{p.ip, p.Protocol, p.Port}})
		}
	})
}

// codeImages codes the size of each image: it is that of the node that had it first.
func (c *Cache) codeImages(to *codec.Coder) {
	sizes := make(map[string]int64, len(c.images.states))
	if !to.Reading() {
		for name, state := range c.images.states {
			sizes[name] = state.size
		}
	}
	codec.Map(to, &sizes, func(name *string, size *int64) {
		codec.Text(to, name)
		codec.Int(to, size)
	})
	if !to.Reading() {
		return
	}
	to.Check(len(sizes) == len(c.images.states), "%d images have a size, and %d are on nodes", len(sizes), len(c.images.states))
	for name, state := range c.images.states {
		size, known := sizes[name]
		to.Check(known, "the image %q has no size", name)
		state.size, state.summary = size, &fwk.ImageStateSummary{Size: size, NumNodes: state.nodes}
		c.images.states[name] = state
	}
	c.images.version++
}

// codeState codes the zones with their nodes, both in order.
func (t *nodeTree) codeState(to *codec.Coder) {
	zones := t.zones
	codec.Slice(to, &zones, func(z **zone) {
		if to.Reading() {
			*z = &zone{}
		}
		codec.Text(to, &(*z).key)
		nodes := (*z).nodes
		to.Check(t.byKey[(*z).key] == nil, "the zone %q comes twice", (*z).key)
		codec.Slice(to, &nodes, func(n *zoneNode) {
			codec.Text(to, &n.name)
			_, twice := t.positions[n.name]
			to.Check(!twice, "node %q comes twice", n.name)
			if to.Reading() && to.OK() {
				t.put(n.name, (*z).key)
			}
		})
		to.Check(len(nodes) > 0, "the zone %q has no nodes", (*z).key)
	})
}
