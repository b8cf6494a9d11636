package diagnose

import (
	"cmp"
	"fmt"
	"slices"

	"orrery/core/answers/change"
	"orrery/core/safe/plural"
	"orrery/core/safe/spelling"
	"orrery/core/scheduler/plugins/dynamicresources"
	"orrery/core/world"
)

const (
	// maxDevices bounds the candidates of each kind.
	//
	//orrery:limit answers; remedies about devices of each kind; the others are not tried
	maxDevices = 2
	// maxNearest bounds the nodes on which candidates are looked for: those that lack least.
	//
	//orrery:limit answers; nodes on which remedies about devices are looked for; the others are not looked at
	maxNearest = 50
)

// deviceRemedies returns changes of devices and of claims for them worth trying, where only the plugin rejects the pod. Each
// leaves enough devices for one request on some node, as far as can be told without allocating.
func (p *pendingPod) deviceRemedies(all []rejection) []Remedy {
	d := p.devices
	if d == nil {
		return nil
	}
	for i := range d.Claims {
		if d.Claims[i].State == DevicesClassless {
			return p.existingClass(&d.Claims[i])
		}
	}
	nodes := d.lackingOnly(all)
	var remedies []Remedy
	for _, r := range d.why.requests {
		if failing := d.why.lackingFor(r, nodes); len(failing) > 0 {
			remedies = append(remedies, d.requestRemedies(p.pod.Namespace, r, failing)...)
		}
	}
	return slices.Concat(remedies, unconstrained(p.pod.Namespace, nodes), d.freeing(nodes), d.adding(nodes))
}

// unconstrained drops the constraint that keeps the devices of a node from doing together.
func unconstrained(namespace string, nodes []*nodeDevices) []Remedy {
	var remedies []Remedy
	for _, n := range nodes {
		if n.together == nil || n.together.claim == nil || len(remedies) == maxDevices {
			continue
		}
		claim, attribute := n.together.claim.Claim, n.together.attribute
		remedies = appendRemedy(remedies, Remedy{
			Change: change.Change{Verb: change.DropConstraint, Name: namespace + "/" + claim, Value: attribute},
			Text:   "create claim " + claim + " without its constraint on " + attribute, likely: n.node,
		})
	}
	return remedies
}

// lackingOnly are the nodes that lack nothing but devices, those that lack least first.
func (d *Devices) lackingOnly(all []rejection) []*nodeDevices {
	only := map[string]bool{}
	for _, r := range all {
		if r.only(dynamicresources.Name) {
			only[r.node.Node().Name] = true
		}
	}
	nodes := slices.DeleteFunc(slices.Clone(d.lacking), func(n *nodeDevices) bool { return !only[n.node] })
	slices.SortStableFunc(nodes, func(a, b *nodeDevices) int {
		return cmp.Or(boolRank(!a.possible)-boolRank(!b.possible), cmp.Compare(a.short, b.short))
	})
	return nodes[:min(len(nodes), maxNearest)]
}

// lackingFor are the nodes that have too few devices for the request alone: with more, all others have enough.
func (w *deviceWhy) lackingFor(r *DeviceRequest, nodes []*nodeDevices) []*nodeDevices {
	return slices.DeleteFunc(slices.Clone(nodes), func(n *nodeDevices) bool {
		return !w.fails(r, n) || n.short > n.counts[r.index].short()
	})
}

// existingClass requests devices of a class that exists.
func (p *pendingPod) existingClass(c *DeviceClaim) []Remedy {
	names := p.deviceClassNames()
	for i := range c.Requests {
		if r := &c.Requests[i]; p.engine.Devices().Class(r.Class) == nil {
			r.claim = c
			var remedies []Remedy
			for _, name := range append(spelling.Nearest(r.Class, names, maxDevices), names...) {
				remedies = appendRemedy(remedies, r.remedy(change.SetDeviceClass, p.pod.Namespace, name, "of class "+name, ""))
			}
			return remedies[:min(len(remedies), maxDevices)]
		}
	}
	return nil
}

// requestRemedies are other requests that one of the nodes has enough devices for.
func (d *Devices) requestRemedies(namespace string, r *DeviceRequest, nodes []*nodeDevices) []Remedy {
	if r.claim.Extended {
		return nil
	}
	remedies := d.tolerating(namespace, r, nodes)
	best := slices.MaxFunc(nodes, func(a, b *nodeDevices) int {
		return cmp.Compare(a.counts[r.index].usable, b.counts[r.index].usable)
	})
	if most := best.counts[r.index].usable; most > 0 && !r.All && int64(most) < r.Count {
		fewer := r.remedy(change.SetDeviceCount, namespace, "", "for "+plural.Count(most, "device")+" only", best.node)
		fewer.Change.Count = most
		remedies = append(remedies, fewer)
	}
	without := *r
	without.selectors = nil
	if n := d.why.enough(&without, nodes, anyDevice); len(r.selectors) > 0 && n != nil {
		remedies = append(remedies, r.remedy(change.RelaxClaim, namespace, "", "without its selectors", n.node))
	}
	return append(remedies, d.otherClasses(namespace, r, nodes)...)
}

// tolerating tolerates a taint that alone keeps enough devices of a node from the request.
func (d *Devices) tolerating(namespace string, r *DeviceRequest, nodes []*nodeDevices) []Remedy {
	var remedies []Remedy
	for _, n := range nodes {
		tainted := map[string]int{}
		for pool, device := range n.devices {
			v := d.why.verdict(r, device)
			if v.trouble != TroubleTaint || pool.state != poolComplete {
				continue
			}
			tainted[v.detail]++
			if n.counts[r.index].usable+tainted[v.detail] == n.counts[r.index].want {
				remedies = appendRemedy(remedies, r.remedy(change.TolerateDevices, namespace, v.detail, "tolerating the device taint "+v.detail, n.node))
			}
		}
	}
	return remedies[:min(len(remedies), maxDevices)]
}

// otherClasses requests devices of another class of which some node has enough: of a driver that has some of the class, too.
func (d *Devices) otherClasses(namespace string, r *DeviceRequest, nodes []*nodeDevices) []Remedy {
	var remedies []Remedy
	drivers := d.why.driversOf(r)
	for o := range d.why.engine.Store().Objects(world.DeviceClass) {
		other := *r
		if other.Class = o.GetName(); other.Class == r.Class || len(remedies) == maxDevices {
			continue
		}
		if n := d.why.enough(&other, nodes, func(device *poolDevice) bool { return drivers[device.id.driver] }); n != nil {
			remedies = append(remedies, r.remedy(change.SetDeviceClass, namespace, other.Class, "of class "+other.Class, n.node))
		}
	}
	return remedies
}

// driversOf are the drivers that have any device of the request's class.
func (w *deviceWhy) driversOf(r *DeviceRequest) map[string]bool {
	drivers := map[string]bool{}
	for d := range w.inventory.all {
		if !drivers[d.id.driver] && w.verdict(r, d).trouble != TroubleClass {
			drivers[d.id.driver] = true
		}
	}
	return drivers
}

func anyDevice(*poolDevice) bool { return true }

// enough is the first node that has enough devices, of some, for a request like one of the pod's; nil if there is none. Its
// verdicts are not kept.
func (w *deviceWhy) enough(r *DeviceRequest, nodes []*nodeDevices, of func(*poolDevice) bool) *nodeDevices {
	at := slices.IndexFunc(nodes, func(n *nodeDevices) bool {
		usable := 0
		for pool, d := range n.devices {
			if v := w.evaluate(r, d); of(d) && v.usable() && pool.state == poolComplete {
				usable++
			}
		}
		return usable > 0 && (r.All || usable >= n.counts[r.index].want)
	})
	if at < 0 {
		return nil
	}
	return nodes[at]
}

// remedy is a change of the request: the claim is created anew with it.
func (r *DeviceRequest) remedy(verb change.Verb, namespace, value, how, likely string) Remedy {
	c := change.Change{Verb: verb, Name: namespace + "/" + r.claim.Claim, Value: value}
	what := "claim " + r.claim.Claim
	if len(r.claim.Requests) > 1 {
		c.Of = r.Request
		what += ", request " + r.Request + ","
	}
	return Remedy{Change: c, Text: "create " + what + " " + how, likely: likely}
}

// claimToFree is a claim whose devices one node needs, with how many of these it has.
type claimToFree struct {
	holder *deviceHolder
	as     DeviceHolder
	has    int
}

// freeing ends who has the devices that one node lacks: a claim that no pod uses, or the pods of one whose priority is not
// above the pod's own.
func (d *Devices) freeing(nodes []*nodeDevices) []Remedy {
	var remedies []Remedy
	for _, n := range nodes {
		for _, c := range d.why.claimsToFree(n) {
			if c.has < n.short || len(remedies) == maxDevices {
				continue
			}
			text := "free claim " + c.as.Claim + ", which no pod uses"
			if !c.as.unused() {
				text = "free claim " + c.as.Claim + ": delete pod " + c.as.Pod + fmt.Sprintf(" (priority %d)", c.as.Priority)
			}
			remedies = appendRemedy(remedies, Remedy{Change: change.Change{Verb: change.FreeClaim, Name: c.as.Claim}, Text: text, likely: n.node})
		}
	}
	return remedies
}

// claimsToFree are the claims that have devices of a node which match a failing request, those that are missed least first.
func (w *deviceWhy) claimsToFree(n *nodeDevices) []claimToFree {
	var list []claimToFree
	for _, r := range w.requests {
		if !w.fails(r, n) {
			continue
		}
		for _, d := range n.devices {
			for _, holder := range w.holdersToFree(r, d) {
				as := holder.describe(d.id)
				if as.Priority > w.priority {
					continue
				}
				at := slices.IndexFunc(list, func(c claimToFree) bool { return c.holder.claim == holder.claim })
				if at < 0 {
					at, list = len(list), append(list, claimToFree{holder: holder, as: as})
				}
				list[at].has++
			}
		}
	}
	slices.SortStableFunc(list, func(a, b claimToFree) int {
		return cmp.Or(a.as.compare(&b.as), cmp.Compare(a.as.Claim, b.as.Claim))
	})
	return list
}

// holdersToFree are the claims without which the device would be feasible: those that have it, or that leave too little of its capacity
// or of its pool's counters.
func (w *deviceWhy) holdersToFree(r *DeviceRequest, d *poolDevice) []*deviceHolder {
	switch w.verdict(r, d).trouble {
	case TroubleTaken:
		return w.takers(d)
	case TroubleCapacity:
		return w.inventory.holders[d.id]
	case TroubleCounters:
		var holders []*deviceHolder
		for other := range d.slice.pool.current {
			if len(other.ConsumesCounters) > 0 {
				holders = append(holders, w.takers(other)...)
			}
		}
		return holders
	}
	return nil
}

// adding adds the one device that a node lacks.
func (d *Devices) adding(nodes []*nodeDevices) []Remedy {
	for _, n := range nodes {
		for _, r := range d.why.requests {
			if n.short != 1 || !d.why.fails(r, n) {
				continue
			}
			if model := d.why.model(r, n); model != nil {
				return []Remedy{{
					Change: change.Change{Verb: change.AddDevice, Name: model.id.String(), Node: n.node},
					Text:   "add one more device like " + model.id.short() + " on node " + n.node,
					likely: n.node,
				}}
			}
		}
	}
	return nil
}

// model is a device that the selectors match: of the node, or else the first of any.
func (w *deviceWhy) model(r *DeviceRequest, n *nodeDevices) *poolDevice {
	for pool, d := range n.devices {
		if w.verdict(r, d).trouble.matches() && pool.state == poolComplete {
			return d
		}
	}
	for d := range w.inventory.all {
		if w.verdict(r, d).trouble.matches() {
			return d
		}
	}
	return nil
}

// appendRemedy adds a remedy unless the same change is there.
func appendRemedy(list []Remedy, r Remedy) []Remedy {
	if slices.ContainsFunc(list, func(other Remedy) bool { return other.Change.String() == r.Change.String() }) {
		return list
	}
	return append(list, r)
}

// hasModelDevices reports whether a new node like this one would have enough devices, as far as devices decide. Devices that a
// claim has already are on no new node.
func (p *pendingPod) hasModelDevices(r *rejection) bool {
	if p.devices == nil || !slices.Contains(r.plugins, dynamicresources.Name) {
		return true
	}
	at, found := slices.BinarySearchFunc(p.devices.lacking, r.node.Node().Name, func(n *nodeDevices, name string) int {
		return cmp.Compare(n.node, name)
	})
	return found && p.devices.lacking[at].possible && !slices.ContainsFunc(p.devices.Claims, func(c DeviceClaim) bool { return c.Devices != nil })
}
