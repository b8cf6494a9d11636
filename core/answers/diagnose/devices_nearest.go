package diagnose

import (
	"cmp"
	"fmt"
	"slices"

	"orrery/core/safe/plural"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/plugins/dynamicresources"
)

// NearestDevices is the node that lacks the fewest devices for a request.
type NearestDevices struct {
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
	Held []DeviceHolder `json:"held,omitempty"`
	Says string         `json:"message"`

	request *DeviceRequest
	devices *nodeDevices
}

// nearest finds the node that lacks least: first one that lacks nothing else, and where enough devices would be free.
func (d *Devices) nearest(p *pendingPod, x *engine.Explanation) {
	only := map[string]bool{}
	for i := range x.Nodes {
		if plugin, _, ok := onlyReason(&x.Nodes[i]); ok && plugin == dynamicresources.Name {
			only[x.Nodes[i].Node] = true
		}
	}
	candidates := slices.DeleteFunc(slices.Clone(d.lacking), func(n *nodeDevices) bool { return n.short == 0 })
	if len(candidates) == 0 {
		return
	}
	higher := func(n *nodeDevices) int { return d.why.heldAbove(n) }
	best := slices.MinFunc(candidates, func(a, b *nodeDevices) int {
		return cmp.Or(boolRank(!only[a.node])-boolRank(!only[b.node]), boolRank(!a.possible)-boolRank(!b.possible),
			cmp.Compare(a.short, b.short), cmp.Compare(higher(a), higher(b)), cmp.Compare(a.node, b.node))
	})
	d.Nearest = d.why.describeNearest(best, only[best.node])
}

// heldAbove counts the matching devices of a node that pods of its own or a higher priority have.
func (w *deviceWhy) heldAbove(n *nodeDevices) int {
	above := 0
	for _, r := range w.requests {
		if !w.fails(r, n) {
			continue
		}
		for _, h := range w.heldFor(r, n) {
			above += boolRank(!h.unused() && h.Priority >= w.priority)
		}
	}
	return above
}

// heldFor are the devices of a node that match a request and that claims have.
func (w *deviceWhy) heldFor(r *DeviceRequest, n *nodeDevices) []DeviceHolder {
	var held []DeviceHolder
	for _, d := range n.devices {
		if w.verdict(r, d).trouble == TroubleTaken {
			held = append(held, w.takers(d)[0].describe(d.id))
		}
	}
	slices.SortStableFunc(held, func(a, b DeviceHolder) int { return a.compare(&b) })
	return held
}

// describeNearest describes the node by the request that lacks most there.
func (w *deviceWhy) describeNearest(n *nodeDevices, only bool) *NearestDevices {
	failing := slices.DeleteFunc(slices.Clone(w.requests), func(r *DeviceRequest) bool { return !w.fails(r, n) })
	r := slices.MaxFunc(failing, func(a, b *DeviceRequest) int {
		return cmp.Compare(n.counts[a.index].short(), n.counts[b.index].short())
	})
	c := &n.counts[r.index]
	nearest := &NearestDevices{
		Node: n.node, Claim: r.claim.Claim, Request: r.Request, Wanted: c.want, Matching: c.matching, Free: c.usable, Only: only,
		Held: w.heldFor(r, n), request: r, devices: n,
	}
	nearest.Held = nearest.Held[:min(len(nearest.Held), maxHolders)]
	nearest.Says = w.nearestText(nearest)
	return nearest
}

func (w *deviceWhy) nearestText(m *NearestDevices) string {
	count := &m.devices.counts[m.request.index]
	which := m.request.which(m.Matching)
	text := fmt.Sprintf("node %s: ", m.Node)
	switch {
	case count.all == 0:
		return text + "it has no devices"
	case m.Matching == 0:
		return text + fmt.Sprintf("none of its %s matches", plural.Count(count.all, "device"))
	case m.Free == m.Matching:
		return text + fmt.Sprintf("it has %s %s, and %d are needed", plural.Count(m.Matching, "device"), which, m.Wanted)
	}
	are := "are"
	if m.Matching == 1 || m.Free == 1 {
		are = "is"
	}
	text += fmt.Sprintf("%d of its %s %s %s free, %d needed", m.Free, plural.Count(m.Matching, "device"), which, are, m.Wanted)
	return text + "; " + listed(w.others(m))
}

// which tells apart the devices that do for the request from others.
func (r *DeviceRequest) which(n int) string {
	switch {
	case len(r.selectors) == 0:
		return "of class " + r.Class
	case n == 1:
		return "that matches"
	}
	return "that match"
}

// others say why the matching devices of the node are not available.
func (w *deviceWhy) others(m *NearestDevices) []string {
	var texts []string
	for i := range m.Held {
		texts = append(texts, m.Held[i].Device+" is held by "+m.Held[i].text(w.priority))
	}
	for _, pool := range m.devices.pools {
		if pool.state != poolComplete {
			texts = append(texts, pool.says())
			continue
		}
		for _, d := range pool.devices {
			if v := w.verdict(m.request, d); v.trouble.matches() && v.trouble != TroubleTaken && !v.usable() {
				texts = append(texts, d.id.short()+" "+w.says(m.request, d, v))
			}
		}
	}
	return texts
}

// hint says what would make the node fit: that devices which it has get free, or that it has more. What else keeps them is
// said of each.
func (m *NearestDevices) hint() string {
	switch short := m.Wanted - m.Free; {
	case m.Matching < m.Wanted:
		return fmt.Sprintf("would fit on %s with %s %s there", m.Node, plural.Count(m.Wanted-m.Matching, "more device"), m.request.which(m.Wanted-m.Matching))
	case len(m.Held) >= short:
		return fmt.Sprintf("would fit on %s with %s %s", m.Node, plural.Count(short, "more free device"), m.request.which(short))
	}
	return ""
}
