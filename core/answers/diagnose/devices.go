package diagnose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	resourcev1 "k8s.io/api/resource/v1"

	"orrery/core/safe/plural"
	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/plugins/dynamicresources"
)

// Devices is the chain from a pod over its claims for devices, and what they request, to the nodes that have such devices.
type Devices struct {
	Claims []DeviceClaim `json:"claims"`
	// Nodes were filtered; on Allowed of them the claims can get devices, or have some that the node reaches.
	Nodes   int `json:"nodes"`
	Allowed int `json:"allowed"`
	// Blocked are the reasons against the allowed nodes; a node may be under several.
	Blocked []Blocker `json:"blocked"`
	// Together is why nodes with enough devices for each request have too few for all.
	Together []DevicesTogether `json:"together,omitempty"`
	// Nearest is the node that lacks least; nil if none lacks devices.
	Nearest *NearestDevices `json:"nearest,omitempty"`
	// Says is the sentence that puts devices and the other reasons together; empty where devices do not matter.
	Says string `json:"message,omitempty"`

	why     *deviceWhy
	nodes   map[string]*cache.NodeInfo
	lacking []*nodeDevices // by name
	failed  bool           // whether the attempt ended with an error, which is about no node
}

// DevicesTogether is why some nodes do not have enough devices for all requests together.
type DevicesTogether struct {
	Says  string   `json:"message"`
	Nodes []string `json:"nodes"`

	kind string
}

// devicesOf returns the chain; nil for a pod without claims for devices. It is made once.
func (p *pendingPod) devicesOf(x *engine.Explanation) *Devices {
	if p.devices != nil {
		return p.devices
	}
	claims := p.deviceClaims()
	if len(claims) == 0 {
		return nil
	}
	d := &Devices{Claims: claims, Nodes: len(x.Nodes), Blocked: []Blocker{}, nodes: p.nodes, failed: x.Decision.Verdict == engine.Failed}
	p.devices = d
	allowed := passing(x, func(s engine.PluginStatus) bool { return s.Plugin != dynamicresources.Name })
	d.Allowed = len(allowed)
	d.why = newDeviceWhy(p.engine, p.pod, claims)
	if lacking := lackDevices(x); x.Decision.Verdict == engine.Unschedulable && len(lacking) > 0 && len(d.why.requests) > 0 {
		d.look(p, lacking)
		d.nearest(p, x)
	}
	d.Says = d.sentence(p, x, allowed)
	return d
}

// lackDevices are the nodes on which the plugin could not allocate, by name.
func lackDevices(x *engine.Explanation) []string {
	var names []string
	for i := range x.Nodes {
		for _, s := range x.Nodes[i].Statuses {
			if s.Plugin == dynamicresources.Name && s.Rejects() && !slices.Contains(s.Reasons, dynamicresources.ReasonNotAvailable) {
				names = append(names, x.Nodes[i].Node)
			}
		}
	}
	slices.Sort(names)
	return names
}

// look counts the devices of the nodes, and groups why they do not serve the requests.
func (d *Devices) look(p *pendingPod, nodes []string) {
	groups := make([]*reasonGroups, len(d.why.requests))
	for i, r := range d.why.requests {
		groups[i] = &reasonGroups{w: d.why, request: r, seen: map[*poolDevice]bool{}}
	}
	for _, name := range nodes {
		info := p.nodes[name]
		if info == nil {
			continue
		}
		n := d.why.on(info)
		d.lacking = append(d.lacking, n)
		for i, r := range d.why.requests {
			if !d.why.fails(r, n) {
				continue
			}
			count := &n.counts[i]
			r.TooFewOn++
			r.NoneOn += boolRank(count.matching == 0)
			r.MostOn = max(r.MostOn, count.usable)
			groups[i].add(n)
		}
		if n.together != nil {
			d.addTogether(n)
		}
	}
	for i, r := range d.why.requests {
		if r.TooFewOn == 0 {
			continue
		}
		r.Reasons = groups[i].reasons()
		if reach := groups[i].outOfReach(); reach != nil {
			r.Reasons = append(r.Reasons, *reach)
		}
	}
	slices.SortStableFunc(d.Together, func(a, b DevicesTogether) int { return cmp.Compare(len(b.Nodes), len(a.Nodes)) })
}

// addTogether adds a node to those with the same reason; the sentence is that of the first.
func (d *Devices) addTogether(n *nodeDevices) {
	at := slices.IndexFunc(d.Together, func(t DevicesTogether) bool { return t.kind == n.together.kind })
	if at < 0 {
		at, d.Together = len(d.Together), append(d.Together, DevicesTogether{Says: n.together.says, kind: n.together.kind})
	}
	d.Together[at].Nodes = append(d.Together[at].Nodes, n.node)
}

// sentence is the most important finding about the devices.
func (d *Devices) sentence(p *pendingPod, x *engine.Explanation, allowed []*engine.NodeVerdict) string {
	for i := range d.Claims {
		if d.Claims[i].troubled() {
			return d.Claims[i].text()
		}
	}
	if d.failed {
		return d.failure()
	}
	if d.Allowed == d.Nodes {
		return ""
	}
	if d.Allowed > 0 {
		d.Blocked = p.blockers(x, allowed)
		lead := fmt.Sprintf("devices allow %d of %s", d.Allowed, plural.Count(d.Nodes, "node"))
		return blockedSentence(d.Allowed, d.Blocked, lead, p.nodesText(allowed))
	}
	facts := d.facts()
	if len(facts) == 0 {
		return ""
	}
	if d.hasNearest() {
		return facts[0] + "; nearest: " + d.Nearest.Says
	}
	return facts[0]
}

// failure is the expression that ended the attempt, with its position or what it lacks; empty if none did.
func (d *Devices) failure() string {
	for _, r := range d.why.requests {
		if class := d.why.engine.Devices().Class(r.Class); class != nil {
			if text := d.why.failing(class.Spec.Selectors); text != "" {
				return "class " + r.Class + " of " + r.claim.title() + ", request " + r.Request + ": " + text
			}
		}
		if text := d.why.failing(r.selectors); text != "" {
			return r.claim.title() + ", request " + r.Request + ": " + text
		}
	}
	return ""
}

// failing is the first selector that cannot be evaluated; empty if all can.
func (w *deviceWhy) failing(selectors []resourcev1.DeviceSelector) string {
	for i := range selectors {
		if selectors[i].CEL == nil { // no API server stores it, and the allocator panics on it
			return fmt.Sprintf("selector #%d has no CEL expression", i)
		}
		x := w.expressions.of(selectors[i].CEL.Expression)
		if problem := w.problemOf(x); problem != "" {
			return fmt.Sprintf("the selector %s cannot be evaluated: %s", shownExpression(x.text), problem)
		}
	}
	return ""
}

// problemOf is why an expression cannot be compiled, or be evaluated on some device; empty if it can.
func (w *deviceWhy) problemOf(x *expression) string {
	if x.problem != "" {
		return x.problem
	}
	for d := range w.inventory.all {
		if said := w.expressions.matches(x, d); said.problem != "" {
			return said.problem + ", on " + d.id.short()
		}
	}
	return ""
}

// facts are the findings about nodes in sentences, the most telling first.
func (d *Devices) facts() []string { return append(d.elsewhere(), d.shortages()...) }

// elsewhere are the claims that have devices which not all nodes reach.
func (d *Devices) elsewhere() []string {
	var facts []string
	for i := range d.Claims {
		if c := &d.Claims[i]; c.State == DevicesAllocated && c.Reaches < d.Nodes {
			facts = append(facts, c.text())
		}
	}
	return facts
}

// shortages are why nodes have too few devices.
func (d *Devices) shortages() []string {
	var facts []string
	for _, r := range d.why.requests {
		if r.TooFewOn == 0 {
			continue
		}
		facts = append(facts, r.tooFew(d.Nodes))
		for i := range r.Reasons {
			facts = append(facts, r.Reasons[i].Says)
		}
	}
	for _, t := range d.Together {
		text := t.Says
		if d.Nodes > 1 {
			text += " (on " + listed(t.Nodes) + ")"
		}
		facts = append(facts, text)
	}
	if d.hasNearest() {
		facts = append(facts, "nearest: "+d.Nearest.Says)
	}
	return facts
}

// hasNearest reports whether a node is nearer to having enough devices than others: none is if no node has any.
func (d *Devices) hasNearest() bool {
	return d.Nearest != nil && !slices.ContainsFunc(d.why.requests, func(r *DeviceRequest) bool { return r.NoneOn == d.Nodes })
}

// tooFew says on how many nodes there are too few devices for the request.
func (r *DeviceRequest) tooFew(nodes int) string {
	if r.NoneOn == nodes && nodes > 1 {
		text := r.head() + ": no node has a device of class " + r.Class
		if len(r.selectors) > 0 {
			text += " that its selectors match"
		}
		return text
	}
	text := fmt.Sprintf("%s: too few on %d of %d nodes", r.head(), r.TooFewOn, nodes)
	switch {
	case r.NoneOn == r.TooFewOn:
		return text + ", none with any that matches"
	case r.MostOn == 0:
		text += ", none with any that does"
	default:
		text += fmt.Sprintf(", %d at most on a node", r.MostOn)
	}
	if r.NoneOn > 0 {
		text += fmt.Sprintf(", %d without any that matches", r.NoneOn)
	}
	return text
}

// On returns every device that a node reaches, with the reason against each request; nothing for a node that is not known, or
// without claims.
func (d *Devices) On(node string) []DeviceOn {
	if d == nil || d.nodes[node] == nil {
		return nil
	}
	return d.why.detail(d.nodes[node])
}

// DeviceShortage is the evidence of a rejection for devices.
type DeviceShortage struct {
	Requests []*DeviceRequest  `json:"requests,omitempty"`
	Together []DevicesTogether `json:"together,omitempty"`
	Nearest  *NearestDevices   `json:"nearest,omitempty"`

	facts []string
	only  int
}

// deviceEvidence is the evidence of a reason of the plugin.
func (p *pendingPod) deviceEvidence(x *engine.Explanation, r *Reason) Evidence {
	d := p.devicesOf(x)
	if d == nil {
		return nil
	}
	if r.Message == dynamicresources.ReasonNotAvailable {
		return &DeviceShortage{facts: d.elsewhere()}
	}
	s := &DeviceShortage{Together: d.Together, Nearest: d.Nearest, facts: d.troubles(), only: len(r.OnlyOn)}
	if len(s.facts) == 0 {
		s.facts = d.shortages()
	}
	for _, request := range d.why.requests {
		if request.TooFewOn > 0 {
			s.Requests = append(s.Requests, request)
		}
	}
	if len(s.facts) == 0 {
		return nil
	}
	return s
}

// troubles are the claims for which no node is feasible.
func (d *Devices) troubles() []string {
	var texts []string
	for i := range d.Claims {
		if d.Claims[i].troubled() {
			texts = append(texts, d.Claims[i].text())
		}
	}
	return texts
}

// Facts implements Evidence.
func (s *DeviceShortage) Facts() []string { return s.facts }

// Hint implements Evidence.
func (s *DeviceShortage) Hint() string {
	if s.only == 0 || s.Nearest == nil || !s.Nearest.Only {
		return ""
	}
	return s.Nearest.hint()
}

// Links are the links of the chain, from the claims to the nodes. What was said already, such as in a summary, is not said
// again.
func (d *Devices) Links(said string) []Link {
	var links []Link
	for i := range d.Claims {
		c := &d.Claims[i]
		claim := Link{Says: c.text(), Bad: c.troubled()}
		if strings.Contains(said, claim.Says) {
			claim.Says = c.title()
		}
		links = append(links, claim)
		for j := range c.Requests {
			r := &c.Requests[j]
			links = append(links, Link{Depth: 1, Says: r.line(c), Bad: r.TooFewOn > 0})
		}
	}
	if line := d.nodesLine(); line != "" && (d.Says == "" || !strings.Contains(said, d.Says)) {
		links = append(links, Link{Says: line})
	}
	return links
}

// Lines are the links of the chain in words, from the claims to the nodes.
func (d *Devices) Lines() []string { return linesOf(d.Links("")) }

// line is the request in the chain.
func (r *DeviceRequest) line(c *DeviceClaim) string {
	text := "request " + r.Request + ": " + r.Says
	if c.Extended {
		text = r.Says
	}
	if r.TooFewOn > 0 {
		text += fmt.Sprintf("; too few on %s", plural.Count(r.TooFewOn, "node"))
	}
	return text
}

// nodesLine says on how many nodes the devices let the pod run, and why not on those.
func (d *Devices) nodesLine() string {
	if d.Nodes == 0 || d.failed {
		return ""
	}
	line := fmt.Sprintf("nodes: devices allow %d of %d", d.Allowed, d.Nodes)
	if len(d.Blocked) > 0 {
		line += ": " + blockedText(d.Allowed, d.Blocked)
	}
	return line
}
