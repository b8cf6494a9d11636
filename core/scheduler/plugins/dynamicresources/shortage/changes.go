package shortage

import (
	"cmp"
	"fmt"
	"slices"

	"orrery/core/safe/spelling"
)

const (
	// maxChanges bounds the changes of each kind.
	//
	//orrery:limit answers; changes of each kind about devices that are proposed; the others are not
	maxChanges = 2
	// maxNearest bounds the nodes on which changes are looked for: those that lack least.
	//
	//orrery:limit answers; nodes on which changes about devices are looked for; the others are not looked at
	maxNearest = 50
)

// changeable are the nodes that lack nothing but devices, those that lack least first. Changes are proposed that leave enough devices for
// one request on some of them, as far as can be told without allocating.
func (s *Shortage) changeable() []*lacking {
	nodes := slices.DeleteFunc(slices.Clone(s.lacking), func(n *lacking) bool { return !n.alone })
	slices.SortStableFunc(nodes, func(a, b *lacking) int {
		return cmp.Or(falseFirst(!a.possible, !b.possible), cmp.Compare(a.short, b.short))
	})
	return nodes[:min(len(nodes), maxNearest)]
}

// appendNew adds a change unless it is there, or there are enough.
func appendNew(changes []string, change string) []string {
	if len(changes) == maxChanges || slices.Contains(changes, change) {
		return changes
	}
	return append(changes, change)
}

// change is a change of the request; its claim is made anew with it.
func (r *Request) change(verb, value string) string {
	text := verb + " claim " + r.claim.object.Namespace + "/" + r.claim.Claim
	if value != "" {
		text += " " + value
	}
	if len(r.claim.Requests) > 1 {
		text += " of " + r.Request
	}
	return text
}

// existingClasses request devices of a class that exists: first those whose names are alike.
func (in *Inspection) existingClasses(c *Claim) []string {
	names := in.Devices.ClassNames()
	for i := range c.Requests {
		if r := &c.Requests[i]; in.Devices.Class(r.Class) == nil {
			var changes []string
			for _, name := range append(spelling.Nearest(r.Class, names, maxChanges), names...) {
				changes = appendNew(changes, r.change("class", name))
			}
			return changes
		}
	}
	return nil
}

// otherRequests are changes of a request so that one of the nodes has enough devices for it. Only nodes count on which all others have
// enough.
func (s *Shortage) otherRequests(r *Request, nodes []*lacking) []string {
	nodes = slices.DeleteFunc(slices.Clone(nodes), func(n *lacking) bool {
		return !n.fails(r) || n.short > n.counts[r.index].short()
	})
	if len(nodes) == 0 || r.claim.Extended {
		return nil
	}
	changes := s.tolerating(r, nodes)
	most := 0
	for _, n := range nodes {
		most = max(most, n.counts[r.index].usable)
	}
	if most > 0 && !r.All && int64(most) < r.Count {
		changes = append(changes, r.change("count", fmt.Sprint(most)))
	}
	without := *r
	without.selectors = nil
	if len(r.selectors) > 0 && s.haveEnough(&without, nodes, func(*poolDevice) bool { return true }) {
		changes = append(changes, r.change("relax", ""))
	}
	return append(changes, s.otherClasses(r, nodes)...)
}

// tolerating tolerates a taint that alone keeps enough devices of a node from the request.
func (s *Shortage) tolerating(r *Request, nodes []*lacking) []string {
	var changes []string
	for _, n := range nodes {
		tainted := map[string]int{}
		for pool, device := range n.devices {
			v := s.verdict(r, device)
			if v.trouble != TroubleTaint || pool.state != poolComplete {
				continue
			}
			if tainted[v.detail]++; n.counts[r.index].usable+tainted[v.detail] == n.counts[r.index].want {
				changes = appendNew(changes, r.change("tolerate", v.detail))
			}
		}
	}
	return changes
}

// otherClasses request devices of another class of which some node has enough: of a driver that has some of the class, too.
func (s *Shortage) otherClasses(r *Request, nodes []*lacking) []string {
	var changes []string
	drivers := s.driversOf(r)
	for _, name := range s.Devices.ClassNames() {
		other := *r
		if other.Class = name; name == r.Class || len(changes) == maxChanges {
			continue
		}
		if s.haveEnough(&other, nodes, func(device *poolDevice) bool { return drivers[device.id.driver] }) {
			changes = append(changes, r.change("class", name))
		}
	}
	return changes
}

// driversOf are the drivers that have any device of the request's class.
func (in *Inspection) driversOf(r *Request) map[string]bool {
	drivers := map[string]bool{}
	for d := range in.inventory.all {
		if !drivers[d.id.driver] && in.verdict(r, d).trouble != TroubleClass {
			drivers[d.id.driver] = true
		}
	}
	return drivers
}

// haveEnough reports whether any of the nodes has enough devices, of some, for a request like one of the pod's. Its verdicts are not kept.
func (in *Inspection) haveEnough(r *Request, nodes []*lacking, of func(*poolDevice) bool) bool {
	return slices.ContainsFunc(nodes, func(n *lacking) bool {
		usable := 0
		for pool, d := range n.devices {
			if of(d) && pool.state == poolComplete {
				if v := in.evaluate(r, d); v.usable() {
					usable++
				}
			}
		}
		return usable > 0 && (r.All || usable >= n.counts[r.index].want)
	})
}

// freeing ends who has the devices that one node lacks: a claim that no pod uses, or the pods of one whose priority is not above the pod's
// own.
func (s *Shortage) freeing(nodes []*lacking) []string {
	var changes []string
	for _, n := range nodes {
		for _, c := range s.claimsToFree(n) {
			if c.has >= n.short {
				changes = appendNew(changes, "free claim "+c.Claim)
			}
		}
	}
	return changes
}

// claimToFree is a claim whose devices one node needs, with how many of these it has.
type claimToFree struct {
	Holder
	has int
}

// claimsToFree are the claims that have devices of a node which match a failing request, those that are missed least first.
func (in *Inspection) claimsToFree(n *lacking) []claimToFree {
	var list []claimToFree
	for _, r := range in.requests {
		if !n.fails(r) {
			continue
		}
		for _, d := range n.devices {
			for _, held := range in.holdersToFree(r, d) {
				as := held.describe(d.id)
				at := slices.IndexFunc(list, func(c claimToFree) bool { return c.Claim == as.Claim })
				if at < 0 && as.Priority <= in.priority {
					at, list = len(list), append(list, claimToFree{Holder: as})
				}
				if at >= 0 {
					list[at].has++
				}
			}
		}
	}
	slices.SortStableFunc(list, func(a, b claimToFree) int {
		return cmp.Or(a.compare(&b.Holder), cmp.Compare(a.Claim, b.Claim))
	})
	return list
}

// holdersToFree are the claims without which the device would be feasible: those that have it, or that leave too little of its capacity
// or of its pool's counters.
func (in *Inspection) holdersToFree(r *Request, d *poolDevice) []*holder {
	switch in.verdict(r, d).trouble {
	case TroubleTaken:
		return in.takers(d)
	case TroubleCapacity:
		return in.inventory.holders[d.id]
	case TroubleCounters:
		var holders []*holder
		for other := range d.slice.pool.current {
			if len(other.ConsumesCounters) > 0 {
				holders = append(holders, in.takers(other)...)
			}
		}
		return holders
	}
	return nil
}

// adding adds the one device that a node lacks.
func (s *Shortage) adding(nodes []*lacking) []string {
	for _, n := range nodes {
		for _, r := range s.Inspection.requests {
			if n.short != 1 || !n.fails(r) {
				continue
			}
			if model := s.model(r, n.nodeDevices); model != nil {
				return []string{"add device like " + model.id.String() + " on " + n.node}
			}
		}
	}
	return nil
}

// model is a device that the selectors match: of the node, or else the first of any.
func (in *Inspection) model(r *Request, n *nodeDevices) *poolDevice {
	for pool, d := range n.devices {
		if in.verdict(r, d).trouble.matches() && pool.state == poolComplete {
			return d
		}
	}
	for d := range in.inventory.all {
		if in.verdict(r, d).trouble.matches() {
			return d
		}
	}
	return nil
}
