package shortage

import (
	"fmt"
	"slices"
	"strings"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/resourceclaim"

	"orrery/core/safe/plural"
)

// Together is why some nodes do not have enough devices for all requests together.
type Together struct {
	Says  string   `json:"message"`
	Nodes []string `json:"nodes"`

	kind, message string
}

// togetherReason is why the devices of a node do not do for all requests together, though for each there are enough.
type togetherReason struct {
	kind string // what other nodes with the same reason share
	says string
	// claim has a constraint on the attribute, if that is the reason.
	claim     *Claim
	attribute string
}

// together looks for why the requests cannot be met together: a constraint, or devices that several of them need. The
// order of the checks is that of how much each explains.
func (in *Inspection) together(n *nodeDevices) *togetherReason {
	for i := range in.Claims {
		c := &in.Claims[i]
		if !c.toAllocate() || c.object == nil {
			continue
		}
		for j := range c.object.Spec.Devices.Constraints {
			if reason := in.brokenConstraint(n, c, &c.object.Spec.Devices.Constraints[j]); reason != nil {
				return reason
			}
		}
	}
	if reason := in.competing(n); reason != nil {
		return reason
	}
	if reason := in.overdrawn(n); reason != nil {
		return reason
	}
	return &togetherReason{kind: "together", says: "each request would find its devices, but not all of them together"}
}

// usableFor are the devices of a node that do for a request.
func (in *Inspection) usableFor(r *Request, n *nodeDevices) []*poolDevice {
	var usable []*poolDevice
	for pool, d := range n.devices {
		if pool.state == poolComplete && in.verdict(r, d).usable() {
			usable = append(usable, d)
		}
	}
	return usable
}

// chosen are the requests of a claim that count: all, and of alternatives the first for which there are enough devices.
func (in *Inspection) chosen(n *nodeDevices, c *Claim) []*Request {
	var chosen []*Request
	for _, group := range in.groups {
		if group[0].claim != c {
			continue
		}
		at := slices.IndexFunc(group, func(r *Request) bool { return n.counts[r.index].applies && n.counts[r.index].short() == 0 })
		if at >= 0 {
			chosen = append(chosen, group[at])
		}
	}
	return chosen
}

// brokenConstraint is a constraint that no choice of devices can meet; nil if one might.
func (in *Inspection) brokenConstraint(n *nodeDevices, c *Claim, constraint *resourcev1.DeviceConstraint) *togetherReason {
	want := 0
	var devices []*poolDevice
	for _, r := range in.chosen(n, c) {
		if len(constraint.Requests) > 0 && !slices.Contains(constraint.Requests, r.Request) && !slices.Contains(constraint.Requests, resourceclaim.BaseRequestRef(r.Request)) {
			continue
		}
		want += n.counts[r.index].want
		for _, d := range in.usableFor(r, n) {
			if !slices.Contains(devices, d) {
				devices = append(devices, d)
			}
		}
	}
	switch {
	case constraint.MatchAttribute != nil:
		return unequal(c, want, devices, string(*constraint.MatchAttribute))
	case constraint.DistinctAttribute != nil:
		return equal(c, want, devices, string(*constraint.DistinctAttribute))
	}
	return nil
}

// unequal is a matchAttribute constraint for which no value has enough devices; nil if one has.
func unequal(c *Claim, want int, devices []*poolDevice, attribute string) *togetherReason {
	byValue, most := map[string][]*poolDevice{}, 0
	var without *poolDevice
	var values []string
	for _, d := range devices {
		value := attributeOf(d, attribute)
		if value == "" {
			without = d
			continue
		}
		if byValue[value] == nil {
			values = append(values, value)
		}
		byValue[value] = append(byValue[value], d)
		most = max(most, len(byValue[value]))
	}
	if most >= want {
		return nil
	}
	r := &togetherReason{kind: "match " + attribute, claim: c, attribute: attribute, says: fmt.Sprintf("constraint matchAttribute %s of %s: %s needed with the same value", attribute, c.Title(), plural.Count(want, "device"))}
	switch {
	case len(values) > 1:
		a, b := byValue[values[0]][0], byValue[values[1]][0]
		r.says += fmt.Sprintf("; %s has %s, %s has %s; at most %d have the same", a.id.short(), values[0], b.id.short(), values[1], most)
	case without != nil:
		r.says += "; " + without.id.short() + " does not have it"
	}
	return r
}

// equal is a distinctAttribute constraint for which there are too few values; nil if there are enough.
func equal(c *Claim, want int, devices []*poolDevice, attribute string) *togetherReason {
	byValue := map[string][]*poolDevice{}
	var twin, without *poolDevice
	for _, d := range devices {
		value := attributeOf(d, attribute)
		if value == "" {
			without = d
			continue
		}
		if byValue[value] = append(byValue[value], d); len(byValue[value]) == 2 && twin == nil {
			twin = d
		}
	}
	if len(byValue) >= want {
		return nil
	}
	r := &togetherReason{kind: "distinct " + attribute, claim: c, attribute: attribute, says: fmt.Sprintf("constraint distinctAttribute %s of %s: %s needed with different values, and there are %d",
		attribute, c.Title(), plural.Count(want, "device"), len(byValue))}
	switch {
	case twin != nil:
		value := attributeOf(twin, attribute)
		r.says += fmt.Sprintf("; %s and %s both have %s", byValue[value][0].id.short(), twin.id.short(), value)
	case without != nil:
		r.says += "; " + without.id.short() + " does not have it"
	}
	return r
}

// attributeOf is a device's value of an attribute with its domain; empty if it has none.
func attributeOf(d *poolDevice, attribute string) string {
	domain, name, _ := strings.Cut(attribute, "/")
	return deviceKey{"attributes", domain, name}.valueOf(d)
}

// competing is why requests that the same devices do for cannot all have enough; nil if they can, as far as their sum says.
func (in *Inspection) competing(n *nodeDevices) *togetherReason {
	want, names := 0, []string{}
	seen := map[*poolDevice]bool{}
	for i := range in.Claims {
		for _, r := range in.chosen(n, &in.Claims[i]) {
			if r.admin {
				continue
			}
			want += n.counts[r.index].want
			names = append(names, r.Request+" of "+r.claim.Title())
			for _, d := range in.usableFor(r, n) {
				if in.isShared(d) {
					return nil // how often it does depends on its capacity
				}
				seen[d] = true
			}
		}
	}
	if len(names) < 2 || want <= len(seen) {
		return nil
	}
	return &togetherReason{kind: "competing", says: fmt.Sprintf("requests %s together need %s, and %d do for them", strings.Join(names[:min(len(names), maxHolders)], " and "), plural.Count(want, "device"), len(seen))}
}

// overdrawn is why devices that share counters cannot be allocated together; nil if the devices share none.
func (in *Inspection) overdrawn(n *nodeDevices) *togetherReason {
	for _, r := range in.requests {
		usable := in.usableFor(r, n)
		for _, d := range usable {
			if len(d.ConsumesCounters) > 0 {
				set := d.ConsumesCounters[0].CounterSet
				if passed := in.passedOver(r, n, set); passed != nil {
					return &togetherReason{kind: "passed over " + set, says: fmt.Sprintf("%s is tainted, and counts against the counters of set %s although it is not taken, so that too little is left for %s (the allocator that kube-scheduler has, too, does so)",
						passed.id.short(), set, d.id.short())}
				}
				return &togetherReason{kind: "counters", says: fmt.Sprintf("each of the %s that do would fit alone, but they share counters such as set %s, which has too little left for all that are needed",
					plural.Count(len(usable), "device"), set)}
			}
			if in.isShared(d) {
				return &togetherReason{kind: "capacity", says: fmt.Sprintf("each request would fit alone, but they share the capacity of %s, which has too little left for all", d.id.short())}
			}
		}
	}
	return nil
}

// passedOver is a device of a node that the allocator passes over for its taint, but only after it has taken what the device would consume of
// a counter set; it does not give that back. Nil if there is none.
func (in *Inspection) passedOver(r *Request, n *nodeDevices, set string) *poolDevice {
	for _, d := range n.devices {
		if in.verdict(r, d).trouble == TroubleTaint && slices.ContainsFunc(d.ConsumesCounters, func(c resourcev1.DeviceCounterConsumption) bool { return c.CounterSet == set }) {
			return d
		}
	}
	return nil
}
