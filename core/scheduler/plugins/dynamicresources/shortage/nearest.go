package shortage

import (
	"cmp"
	"fmt"
	"slices"

	"orrery/core/safe/plural"
	"orrery/core/scheduler/framework"
)

// Nearest is the node that lacks the fewest devices for a request.
type Nearest struct {
	Node    string `json:"node"`
	Claim   string `json:"claim"`
	Request string `json:"request"`
	// Wanted devices are needed; of the node's Matching ones Free are free.
	Wanted   int `json:"wanted"`
	Matching int `json:"matching"`
	Free     int `json:"free"`
	// Only reports whether the node lacks nothing but devices.
	Only bool `json:"only"`
	// Held are the others, as far as claims have them: those of the lowest priority first.
	Held []Holder `json:"held,omitempty"`
	Says string   `json:"message"`

	request *Request
	devices *nodeDevices
	others  []string // why the devices that match are not free
}

// nearest describes the node that lacks least; nil if none lacks devices for a single request.
func (s *Shortage) nearest() *Nearest {
	short := slices.DeleteFunc(slices.Clone(s.lacking), func(n *lacking) bool { return n.short == 0 })
	if len(short) == 0 {
		return nil
	}
	least := s.least(short)
	failing := slices.DeleteFunc(slices.Clone(s.Inspection.requests), func(r *Request) bool { return !least.fails(r) })
	return s.describe(least, slices.MaxFunc(failing, func(a, b *Request) int {
		return cmp.Compare(least.counts[a.index].short(), least.counts[b.index].short())
	}))
}

// least is the node that lacks least: first one that lacks nothing else, and where enough devices would be free.
func (in *Inspection) least(nodes []*lacking) *lacking {
	return slices.MinFunc(nodes, func(a, b *lacking) int {
		if first := cmp.Or(falseFirst(!a.alone, !b.alone), falseFirst(!a.possible, !b.possible), cmp.Compare(a.short, b.short)); first != 0 {
			return first
		}
		return cmp.Or(cmp.Compare(in.heldAbove(a.nodeDevices), in.heldAbove(b.nodeDevices)), cmp.Compare(a.node, b.node))
	})
}

// heldAbove counts the matching devices of a node that pods of its own or a higher priority have.
func (in *Inspection) heldAbove(n *nodeDevices) int {
	above := 0
	for _, r := range in.requests {
		if !n.fails(r) {
			continue
		}
		for _, h := range in.heldFor(r, n) {
			if !h.unused() && h.Priority >= in.priority {
				above++
			}
		}
	}
	return above
}

// heldFor are the devices of a node that match a request and that claims have.
func (in *Inspection) heldFor(r *Request, n *nodeDevices) []Holder {
	var held []Holder
	for _, d := range n.devices {
		if in.verdict(r, d).trouble == TroubleTaken {
			held = append(held, in.takers(d)[0].describe(d.id))
		}
	}
	slices.SortStableFunc(held, func(a, b Holder) int { return a.compare(&b) })
	return held
}

// describe describes a node by what it has for a request.
func (in *Inspection) describe(n *lacking, r *Request) *Nearest {
	c := &n.counts[r.index]
	m := &Nearest{
		Node: n.node, Claim: r.claim.Claim, Request: r.Request, Wanted: c.want, Matching: c.matching, Free: c.usable, Only: n.alone,
		Held: in.heldFor(r, n.nodeDevices), request: r, devices: n.nodeDevices,
	}
	m.Held = m.Held[:min(len(m.Held), maxHolders)]
	m.others = in.others(m)
	are := "are"
	if m.Wanted == 1 {
		are = "is"
	}
	m.Says = "node " + m.Node + " " + m.has(fmt.Sprintf("%d %s needed", m.Wanted, are))
	return m
}

// has says in a clause what the node has for the request, of which that needs more.
func (m *Nearest) has(needs string) string {
	devices := plural.Count(m.Matching, "device") + " " + m.request.which(m.Matching)
	switch all := m.devices.counts[m.request.index].all; {
	case m.Matching == 0 && all > 0:
		return "has no devices " + m.request.kind() + " among its " + plural.Count(all, "device")
	case m.Matching == 0:
		return "has no devices"
	case m.Free == m.Matching:
		return "has " + devices + ", and " + needs
	}
	return fmt.Sprintf("has %d of its %s free, and %s; ", m.Free, devices, needs) + framework.Listed(m.others)
}

// which tells apart the devices that do for the request from others.
func (r *Request) which(n int) string {
	switch {
	case len(r.selectors) == 0:
		return "of class " + r.Class
	case n == 1:
		return "that matches"
	}
	return "that match"
}

// others say why the matching devices of the node are not available.
func (in *Inspection) others(m *Nearest) []string {
	var texts []string
	for i := range m.Held {
		texts = append(texts, m.Held[i].Device+" is held by "+m.Held[i].text(in.priority))
	}
	for _, pool := range m.devices.pools {
		if pool.state != poolComplete {
			texts = append(texts, pool.says())
			continue
		}
		for _, d := range pool.devices {
			if v := in.verdict(m.request, d); v.trouble.matches() && v.trouble != TroubleTaken && !v.usable() {
				texts = append(texts, d.id.short()+" "+in.says(m.request, d, v))
			}
		}
	}
	return texts
}

// hint says what would make the node fit: that devices which it has get free, or that it has more. What else keeps them is
// said of each.
func (m *Nearest) hint() string {
	switch short := m.Wanted - m.Free; {
	case m.Matching < m.Wanted:
		return fmt.Sprintf("would fit on %s with %s %s there", m.Node, plural.Count(m.Wanted-m.Matching, "more device"), m.request.which(m.Wanted-m.Matching))
	case len(m.Held) >= short:
		return fmt.Sprintf("would fit on %s with %s %s", m.Node, plural.Count(short, "more free device"), m.request.which(short))
	}
	return ""
}
