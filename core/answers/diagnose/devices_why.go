package diagnose

import (
	"cmp"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/dynamic-resource-allocation/structured"

	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/plugins/dynamicresources"
)

// deviceWhy finds out why devices do not do for a pod. It does not allocate: what the plugin decided on a node is known, and
// here each device is checked against each request for itself, and then the requests together.
type deviceWhy struct {
	engine      *engine.Engine
	priority    int32
	inventory   *inventory
	expressions *expressions
	allocated   structured.AllocatedState
	claims      []DeviceClaim
	requests    []*DeviceRequest   // of the claims without devices; alternatives are one each
	groups      [][]*DeviceRequest // each request alone, or the alternatives of which one is enough
}

func newDeviceWhy(e *engine.Engine, pod *v1.Pod, claims []DeviceClaim) *deviceWhy {
	features := dynamicresources.AllocatorFeatures(e.Features())
	w := &deviceWhy{
		engine: e, priority: corev1.PodPriority(pod), allocated: e.Devices().Allocated(), claims: claims,
		inventory:   newInventory(e.Devices().Slices(), deviceHolders(e), features),
		expressions: newExpressions(features.ConsumableCapacity),
	}
	for i := range claims {
		if !claims[i].toAllocate() {
			continue
		}
		for j := range claims[i].Requests {
			r := &claims[i].Requests[j]
			r.index, r.claim = len(w.requests), &claims[i]
			w.requests = append(w.requests, r)
		}
	}
	w.groups = alternativesOf(w.requests)
	return w
}

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
func (w *deviceWhy) on(info *cache.NodeInfo) *nodeDevices {
	n := &nodeDevices{node: info.Node().Name, pools: w.inventory.on(info.Node()), counts: make([]deviceCount, len(w.requests)), possible: true}
	for _, r := range w.requests {
		n.counts[r.index] = w.count(r, n, info)
	}
	for _, group := range w.groups {
		best := slices.MinFunc(group, func(a, b *DeviceRequest) int {
			x, y := &n.counts[a.index], &n.counts[b.index]
			return cmp.Or(cmp.Compare(x.short(), y.short()), cmp.Compare(y.matching, x.matching))
		})
		count := &n.counts[best.index]
		if !count.applies {
			continue
		}
		n.short += count.short()
		n.possible = n.possible && count.matching >= count.want
	}
	if n.short == 0 {
		n.together = w.together(n)
	}
	return n
}

// alternativesOf groups requests: each alone, or those of which one is enough.
func alternativesOf(requests []*DeviceRequest) [][]*DeviceRequest {
	var groups [][]*DeviceRequest
	for _, r := range requests {
		if last := len(groups) - 1; last >= 0 && r.parent != "" && groups[last][0].parent == r.parent && groups[last][0].claim == r.claim {
			groups[last] = append(groups[last], r)
			continue
		}
		groups = append(groups, []*DeviceRequest{r})
	}
	return groups
}

func (w *deviceWhy) count(r *DeviceRequest, n *nodeDevices, info *cache.NodeInfo) deviceCount {
	c := deviceCount{applies: r.resource == "" || info.GetAllocatable().GetScalarResources()[r.resource] == 0, want: int(r.Count)}
	if !c.applies {
		return deviceCount{}
	}
	for pool, d := range n.devices {
		c.all++
		v := w.verdict(r, d)
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
func (w *deviceWhy) fails(r *DeviceRequest, n *nodeDevices) bool {
	if !n.counts[r.index].applies || n.counts[r.index].short() == 0 {
		return false
	}
	for _, group := range w.groups {
		if slices.Contains(group, r) {
			return !slices.ContainsFunc(group, func(other *DeviceRequest) bool { return n.counts[other.index].short() == 0 })
		}
	}
	return false
}

// DeviceOn is the reason why one device of a node does not serve a request; empty if it does.
type DeviceOn struct {
	Claim   string        `json:"claim"`
	Request string        `json:"request"`
	Device  string        `json:"device"`
	Trouble DeviceTrouble `json:"trouble,omitempty"`
	Says    string        `json:"message"`
}

// detail is every device of a node with the reason against each request.
func (w *deviceWhy) detail(info *cache.NodeInfo) []DeviceOn {
	n := w.on(info)
	list := []DeviceOn{}
	for _, r := range w.requests {
		if !n.counts[r.index].applies {
			continue
		}
		for pool, d := range n.devices {
			v := w.verdict(r, d)
			on := DeviceOn{Claim: r.claim.title(), Request: r.Request, Device: d.id.String(), Trouble: v.trouble, Says: w.says(r, d, v)}
			if pool.state != poolComplete && v.trouble.matches() {
				on.Trouble, on.Says = TroublePool, "does not count: "+pool.says()
			}
			list = append(list, on)
		}
	}
	return list
}
