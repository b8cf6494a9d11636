package shortage

import (
	"cmp"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/scheduling/corev1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/devices"
	"orrery/core/scheduler/devices/allocate"
	"orrery/core/scheduler/framework"
)

// Source is what an inspection looks at.
type Source struct {
	Devices  *devices.State
	Features allocate.Features
	Pod      *v1.Pod
	// Nodes are all nodes of the snapshot.
	Nodes []fwk.NodeInfo
	// PodNamed returns a pod; nil if there is none of the name.
	PodNamed func(namespace, name string) *v1.Pod
	// HasNode says that the pod is on a node already, so that its claims that are in flight are not another's.
	HasNode bool
}

// Inspection holds each device against each request of a pod's claims. It does not allocate: what the plugin decided on a node is known, and
// here each device is looked at for itself, and then the requests together.
type Inspection struct {
	Source
	Claims []Claim

	priority    int32
	inventory   *inventory
	expressions *expressions
	allocated   allocate.Taken
	requests    []*Request   // of the claims without devices; alternatives are one each
	groups      [][]*Request // each request alone, or the alternatives of which one is enough
	nodes       map[string]*nodeDevices
	last        *Shortage // that was asked for
}

// stateKey is the key under which an attempt's state keeps the inspection.
const stateKey fwk.StateKey = "orrery/device-shortage"

// Of returns the inspection of an attempt, which is made once: the plugin explains itself with it, and an answer shows the claims.
func Of(state fwk.CycleState, s Source) *Inspection {
	if known, err := framework.ReadState[*Inspection](state, stateKey); err == nil {
		return known
	}
	in := &Inspection{Source: s, priority: corev1.PodPriority(s.Pod), nodes: map[string]*nodeDevices{}}
	if in.Claims = s.claims(); len(in.Claims) > 0 {
		in.allocated, in.inventory = s.Devices.Allocated(), newInventory(s.Devices.Slices(), s.holders(), s.Features)
		in.expressions = newExpressions(s.Features.ConsumableCapacity)
	}
	for i := range in.Claims {
		c := &in.Claims[i]
		for j := range c.Requests {
			r := &c.Requests[j]
			if r.claim = c; c.toAllocate() {
				r.index = len(in.requests)
				in.requests = append(in.requests, r)
				in.group(r)
			}
		}
	}
	for _, group := range in.groups {
		for _, r := range group {
			r.group = group
		}
	}
	state.Write(stateKey, in)
	return in
}

// Clone returns the inspection itself, which nothing of a copy of the state would change.
func (in *Inspection) Clone() fwk.StateData { return in }

// nodeDevices is how far a node's devices go for the requests.
type nodeDevices struct {
	node   string
	pools  []*poolOn
	counts []deviceCount // by request
	// short counts the devices that are missing over all requests, of alternatives for the one that lacks least.
	short int
	// possible reports whether there would be enough if every device that the selectors match were free.
	possible bool
	together *togetherReason // why there are not enough for all requests, where there are for each
}

// devices visits the devices that the node reaches, each with its pool.
func (n *nodeDevices) devices(yield func(*poolOn, *poolDevice) bool) {
	for _, pool := range n.pools {
		for _, d := range pool.devices {
			if !yield(pool, d) {
				return
			}
		}
	}
}

// deviceCount is what a request finds on a node: of all devices those that the selectors match, and of these the usable ones.
type deviceCount struct {
	applies                     bool
	want, all, matching, usable int
}

func (c *deviceCount) short() int { return max(c.want-c.usable, 0) }

// on counts the devices of a node.
func (in *Inspection) on(info fwk.NodeInfo) *nodeDevices {
	name := info.Node().Name
	if known := in.nodes[name]; known != nil {
		return known
	}
	n := &nodeDevices{node: name, pools: in.inventory.on(info.Node()), counts: make([]deviceCount, len(in.requests)), possible: true}
	in.nodes[name] = n
	for _, r := range in.requests {
		n.counts[r.index] = in.count(r, n, info)
	}
	for _, group := range in.groups {
		count := &n.counts[n.best(group).index]
		if !count.applies {
			continue
		}
		n.short += count.short()
		n.possible = n.possible && count.matching >= count.want
	}
	if n.short == 0 {
		n.together = in.together(n)
	}
	return n
}

// best is the alternative that lacks least on the node.
func (n *nodeDevices) best(group []*Request) *Request {
	return slices.MinFunc(group, func(a, b *Request) int {
		x, y := &n.counts[a.index], &n.counts[b.index]
		return cmp.Or(cmp.Compare(x.short(), y.short()), cmp.Compare(y.matching, x.matching))
	})
}

// group puts alternatives together, of which one is enough; other requests are alone.
func (in *Inspection) group(r *Request) {
	if last := len(in.groups) - 1; last >= 0 && r.parent != "" && in.groups[last][0].parent == r.parent && in.groups[last][0].claim == r.claim {
		in.groups[last] = append(in.groups[last], r)
	} else {
		in.groups = append(in.groups, []*Request{r})
	}
}

func (in *Inspection) count(r *Request, n *nodeDevices, info fwk.NodeInfo) deviceCount {
	c := deviceCount{applies: r.resource == "" || info.GetAllocatable().GetScalarResources()[r.resource] == 0, want: int(r.Count)}
	if !c.applies {
		return deviceCount{}
	}
	for pool, d := range n.devices {
		c.all++
		v := in.verdict(r, d)
		if v.trouble.matches() {
			c.matching++
			if v.usable() && pool.state == poolComplete {
				c.usable++
			}
		}
	}
	if r.All {
		c.want = max(c.matching, 1)
	}
	return c
}

// fails reports whether a request finds too few devices on a node; an alternative only if all others fail, too.
func (n *nodeDevices) fails(r *Request) bool {
	return n.counts[r.index].applies && n.counts[n.best(r.group).index].short() > 0
}

// DeviceOn is the reason why one device of a node does not serve a request; empty if it does.
type DeviceOn struct {
	Claim   string  `json:"claim"`
	Request string  `json:"request"`
	Device  string  `json:"device"`
	Trouble Trouble `json:"trouble,omitempty"`
	Says    string  `json:"message"`
}

// On is every device of a node with the reason against each request.
func (in *Inspection) On(info fwk.NodeInfo) []DeviceOn {
	n := in.on(info)
	list := []DeviceOn{}
	for _, r := range in.requests {
		if !n.counts[r.index].applies {
			continue
		}
		for pool, d := range n.devices {
			v := in.verdict(r, d)
			on := DeviceOn{Claim: r.claim.Title(), Request: r.Request, Device: d.id.String(), Trouble: v.trouble, Says: in.says(r, d, v)}
			if pool.state != poolComplete && v.trouble.matches() {
				on.Trouble, on.Says = TroublePool, "does not count: "+pool.says()
			}
			list = append(list, on)
		}
	}
	return list
}
