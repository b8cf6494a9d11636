package diagnose

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"orrery/core/safe/plural"
)

// DeviceReason is why some devices do not do for a request.
type DeviceReason struct {
	Trouble DeviceTrouble `json:"trouble"`
	Devices int           `json:"devices"`
	Says    string        `json:"message"`
	// Expression is the selector that is false, or that cannot be evaluated, Values what the devices have instead.
	Expression string        `json:"expression,omitempty"`
	Values     []DeviceValue `json:"values,omitempty"`
	// Taint is what the request does not tolerate, Holders the first of those that have the devices: those of the lowest
	// priority first. Lower counts the devices that pods of lower priority have.
	Taint   string         `json:"taint,omitempty"`
	Holders []DeviceHolder `json:"holders,omitempty"`
	Lower   int            `json:"lower,omitempty"`
}

// DeviceValue is what a number of devices have.
type DeviceValue struct {
	Says    string `json:"message"`
	Devices int    `json:"devices"`
}

// maxHolders bounds the holders in a reason.
//
//orrery:limit answers; holders of devices, and values, in a reason; the others are left out
const maxHolders = 10

// reasonGroup is the devices with the same trouble.
type reasonGroup struct {
	trouble DeviceTrouble
	detail  string
	first   *poolDevice
	devices int
	values  map[string]int
	taken   []*poolDevice
}

// reasonGroups collects why devices do not do for one request, each device once.
type reasonGroups struct {
	w       *deviceWhy
	request *DeviceRequest
	list    []*reasonGroup
	seen    map[*poolDevice]bool
}

func (g *reasonGroups) add(n *nodeDevices) {
	for pool, d := range n.devices {
		v := g.w.verdict(g.request, d)
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

func (g *reasonGroups) put(trouble DeviceTrouble, detail string, d *poolDevice, value string) {
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
func (g *reasonGroups) reasons() []DeviceReason {
	slices.SortStableFunc(g.list, func(a, b *reasonGroup) int {
		return cmp.Or(boolRank(!a.trouble.matches())-boolRank(!b.trouble.matches()), boolRank(a.trouble == TroubleClass)-boolRank(b.trouble == TroubleClass),
			cmp.Compare(b.devices, a.devices))
	})
	list := make([]DeviceReason, len(g.list))
	for i, group := range g.list {
		list[i] = g.w.reason(g.request, group)
	}
	return list
}

// outOfReach are the devices that match the request, and that the nodes do not reach; nil if there is none.
func (g *reasonGroups) outOfReach() *DeviceReason {
	var first *poolDevice
	reason := &DeviceReason{Trouble: TroubleReach}
	for _, pool := range g.w.inventory.pools {
		if !pool.complete() {
			continue
		}
		for d := range pool.current {
			if g.seen[d] || !g.w.verdict(g.request, d).usable() {
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
func (w *deviceWhy) reason(r *DeviceRequest, group *reasonGroup) DeviceReason {
	reason := DeviceReason{Trouble: group.trouble, Devices: group.devices}
	are, do := " are ", " do not match "
	if group.devices == 1 {
		are, do = " is ", " does not match "
	}
	number := plural.Count(group.devices, "device")
	switch group.trouble {
	case TroubleTaken:
		w.describeTaken(&reason, group, number+are)
	case TroubleClass, TroubleSelector:
		reason.Expression, reason.Values = shownExpression(group.detail), valuesOf(group.values)
		of := "the selector "
		if group.trouble == TroubleClass {
			of = "class " + r.Class + ": "
		}
		reason.Says = number + do + of + reason.Expression + valuesText(reason.Values, group.devices)
	case TroubleExpression:
		reason.Expression, reason.Values = shownExpression(group.detail), valuesOf(group.values)
		reason.Says = number + " cannot be checked: " + reason.Expression + valuesText(reason.Values, group.devices)
	case TroubleGate:
		reason.Says = fmt.Sprintf("%s cannot be allocated: the feature gate %s is off", number, group.detail)
	case TroubleTaint:
		reason.Taint = group.detail
		reason.Says = number + are + "tainted " + group.detail + ", which the request does not tolerate"
	case TroublePool:
		reason.Says = group.detail + "; " + number + " of it" + are + "not allocated"
	default:
		more := ""
		if group.devices > 1 {
			more = "; so it is with " + plural.Count(group.devices-1, "more device")
		}
		reason.Says = group.first.id.short() + " " + w.verdict(r, group.first).value + more
	}
	return reason
}

// describeTaken names who has the devices.
func (w *deviceWhy) describeTaken(reason *DeviceReason, group *reasonGroup, are string) {
	holders := make([]DeviceHolder, len(group.taken))
	for i, d := range group.taken {
		holders[i] = w.takers(d)[0].describe(d.id)
		if holders[i].unused() || holders[i].Priority < w.priority {
			reason.Lower++
		}
	}
	slices.SortFunc(holders, func(a, b DeviceHolder) int {
		return cmp.Or(a.compare(&b), cmp.Compare(a.Pod, b.Pod), cmp.Compare(a.Claim, b.Claim), cmp.Compare(a.Device, b.Device))
	})
	var names []string
	named := map[string]bool{}
	for i := range holders {
		if by := holders[i].Pod + " " + holders[i].Claim; !named[by] {
			named[by], names = true, append(names, holders[i].text(w.priority))
		}
	}
	reason.Holders = holders[:min(len(holders), maxHolders)]
	reason.Says = are + "taken by " + listed(names)
	if reason.Lower > 0 && reason.Lower < len(holders) {
		reason.Says += fmt.Sprintf("; %d by pods of lower priority or by none", reason.Lower)
	}
}

// valuesOf sorts values by the number of devices.
func valuesOf(counts map[string]int) []DeviceValue {
	list := make([]DeviceValue, 0, len(counts))
	for _, value := range slices.Sorted(maps.Keys(counts)) {
		list = append(list, DeviceValue{value, counts[value]})
	}
	slices.SortStableFunc(list, func(a, b DeviceValue) int { return cmp.Compare(b.Devices, a.Devices) })
	return list[:min(len(list), maxHolders)]
}

// valuesText lists values with the number of devices, where they differ: `: model is "A100" (12), model is "L4" (4)`.
func valuesText(values []DeviceValue, devices int) string {
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
	return ": " + listed(texts)
}
