package shortage

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"orrery/core/safe/plural"
	"orrery/core/scheduler/framework"
)

// Reason is why some devices do not do for a request.
type Reason struct {
	Trouble Trouble `json:"trouble"`
	Devices int     `json:"devices"`
	Says    string  `json:"message"`
	// Expression is the selector that is false, or that cannot be evaluated, Values what the devices have instead.
	Expression string  `json:"expression,omitempty"`
	Values     []Value `json:"values,omitempty"`
	// Taint is what the request does not tolerate, Holders the first of those that have the devices: those of the lowest
	// priority first. Lower counts the devices that pods of lower priority have.
	Taint   string   `json:"taint,omitempty"`
	Holders []Holder `json:"holders,omitempty"`
	Lower   int      `json:"lower,omitempty"`
}

// Value is what a number of devices have.
type Value struct {
	Says    string `json:"message"`
	Devices int    `json:"devices"`
}

// maxHolders bounds the holders in a reason.
//
//orrery:limit answers; holders of devices, and values, in a reason; the others are left out
const maxHolders = 10

// reasonGroup is the devices with the same trouble.
type reasonGroup struct {
	trouble Trouble
	detail  string
	first   *poolDevice
	devices int
	values  map[string]int
	taken   []*poolDevice
}

// reasonGroups collects why devices do not do for one request, each device once.
type reasonGroups struct {
	in      *Inspection
	request *Request
	list    []*reasonGroup
	seen    map[*poolDevice]bool
}

func (g *reasonGroups) add(n *nodeDevices) {
	for pool, d := range n.devices {
		v := g.in.verdict(g.request, d)
		switch {
		case g.seen[d]:
			continue
		case v.trouble.matches() && pool.state != poolComplete:
			g.put(TroublePool, pool.says(), d, "")
		case !v.usable():
			g.put(v.trouble, v.detail, d, v.value)
		}
		g.seen[d] = true
	}
}

func (g *reasonGroups) put(trouble Trouble, detail string, d *poolDevice, value string) {
	at := slices.IndexFunc(g.list, func(other *reasonGroup) bool { return other.trouble == trouble && other.detail == detail })
	if at < 0 {
		at, g.list = len(g.list), append(g.list, &reasonGroup{trouble: trouble, detail: detail, first: d, values: map[string]int{}})
	}
	group := g.list[at]
	group.devices++
	if value != "" {
		group.values[value]++
	}
	if trouble == TroubleTaken {
		group.taken = append(group.taken, d)
	}
}

// reasons are the groups in words: first those of devices that the selectors match, and of each kind the largest.
func (g *reasonGroups) reasons() []Reason {
	slices.SortStableFunc(g.list, func(a, b *reasonGroup) int {
		return cmp.Or(falseFirst(!a.trouble.matches(), !b.trouble.matches()), falseFirst(a.trouble == TroubleClass, b.trouble == TroubleClass),
			cmp.Compare(b.devices, a.devices))
	})
	list := make([]Reason, len(g.list))
	for i, group := range g.list {
		list[i] = g.in.reason(g.request, group)
	}
	return list
}

// outOfReach are the devices that match the request, and that the nodes do not reach; nil if there is none.
func (g *reasonGroups) outOfReach() *Reason {
	var first *poolDevice
	reason := &Reason{Trouble: TroubleReach}
	for _, pool := range g.in.inventory.pools {
		if !pool.complete() {
			continue
		}
		for d := range pool.current {
			if g.seen[d] || !g.in.verdict(g.request, d).usable() {
				continue
			}
			if reason.Devices++; first == nil {
				first = d
			}
		}
	}
	if first == nil {
		return nil
	}
	reason.Says = plural.Count(reason.Devices, "device") + " would match, such as " + first.id.short() + ", which those nodes do not reach"
	return reason
}

// reason describes a group.
func (in *Inspection) reason(r *Request, group *reasonGroup) Reason {
	reason := Reason{Trouble: group.trouble, Devices: group.devices}
	switch number := plural.Count(group.devices, "device"); group.trouble {
	case TroublePool:
		reason.Says = group.detail + "; " + number + " of it " + group.verb("is", "are") + " not allocated"
	case TroubleCapacity, TroubleCounters:
		reason.Says = group.first.id.short() + " " + in.verdict(r, group.first).value
		if group.devices > 1 {
			reason.Says += "; so it is with " + plural.Count(group.devices-1, "more device")
		}
	default:
		reason.Says = number + " " + in.clause(&reason, r, group)
	}
	return reason
}

// verb is the form of a verb that agrees with the number of devices.
func (g *reasonGroup) verb(one, several string) string {
	if g.devices == 1 {
		return one
	}
	return several
}

// clause says what is the matter with the devices of a group, and describes it.
func (in *Inspection) clause(reason *Reason, r *Request, group *reasonGroup) string {
	switch group.trouble {
	case TroubleTaken:
		return group.verb("is", "are") + " taken by " + in.describeTaken(reason, group)
	case TroubleTaint:
		reason.Taint = group.detail
		return group.verb("is", "are") + " tainted " + group.detail + ", which the request does not tolerate"
	case TroubleGate:
		return group.verb("needs", "need") + " the feature gate " + group.detail + ", which is off"
	}
	reason.Expression, reason.Values = shownExpression(group.detail), valuesOf(group.values)
	text := reason.Expression + valuesText(reason.Values, group.devices)
	switch group.trouble {
	case TroubleClass:
		return group.verb("does", "do") + " not match class " + r.Class + ": " + text
	case TroubleSelector:
		return group.verb("does", "do") + " not match the selector " + text
	}
	return "cannot be checked: " + text
}

// describeTaken names who has the devices.
func (in *Inspection) describeTaken(reason *Reason, group *reasonGroup) string {
	holders := make([]Holder, len(group.taken))
	for i, d := range group.taken {
		holders[i] = in.takers(d)[0].describe(d.id)
		if holders[i].unused() || holders[i].Priority < in.priority {
			reason.Lower++
		}
	}
	slices.SortFunc(holders, func(a, b Holder) int {
		return cmp.Or(a.compare(&b), cmp.Compare(a.Pod, b.Pod), cmp.Compare(a.Claim, b.Claim), cmp.Compare(a.Device, b.Device))
	})
	var names []string
	named := map[string]bool{}
	for i := range holders {
		if by := holders[i].Pod + " " + holders[i].Claim; !named[by] {
			named[by], names = true, append(names, holders[i].text(in.priority))
		}
	}
	reason.Holders = holders[:min(len(holders), maxHolders)]
	if reason.Lower > 0 && reason.Lower < len(holders) {
		return framework.Listed(names) + fmt.Sprintf("; %d by pods of lower priority or by none", reason.Lower)
	}
	return framework.Listed(names)
}

// valuesOf sorts values by the number of devices.
func valuesOf(counts map[string]int) []Value {
	list := make([]Value, 0, len(counts))
	for _, value := range slices.Sorted(maps.Keys(counts)) {
		list = append(list, Value{value, counts[value]})
	}
	slices.SortStableFunc(list, func(a, b Value) int { return cmp.Compare(b.Devices, a.Devices) })
	return list[:min(len(list), maxHolders)]
}

// valuesText lists values with the number of devices, where they differ: `: model is "A100" (12), model is "L4" (4)`.
func valuesText(values []Value, devices int) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = v.Says
		if v.Devices < devices {
			texts[i] += fmt.Sprintf(" (%d)", v.Devices)
		}
	}
	if len(texts) == 0 {
		return ""
	}
	return ": " + framework.Listed(texts)
}
