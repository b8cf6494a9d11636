package shortage

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"orrery/core/scheduler/framework"
)

// The reason codes of nodes that lack devices.
const (
	None      = "device-none"
	TooFew    = "device-too-few"
	NotFree   = "device-not-free"
	NotAll    = "device-not-all"
	Unchecked = "device-unchecked"
)

// claimCodes are the reason codes of claims for which no node is feasible.
var claimCodes = map[ClaimState]framework.ReasonCode{
	Missing:     {Code: "device-claim-missing", Means: "a claim for devices does not exist", Fields: []string{"about", "objects", "meant"}},
	Generating:  {Code: "device-claim-not-made", Means: "the claim of a template was not made yet", Fields: []string{"about", "objects"}},
	Terminating: {Code: "device-claim-terminating", Means: "a claim for devices is being deleted", Fields: []string{"about", "objects"}},
	Foreign:     {Code: "device-claim-foreign", Means: "the claim of a template was made for another pod", Fields: []string{"about", "objects"}},
	Allocating:  {Code: "device-claim-allocating", Means: "a claim gets devices for another pod, which is being bound", Fields: []string{"about", "objects"}},
	Classless:   {Code: "device-class-missing", Means: "a claim requests devices of a class that does not exist", Fields: []string{"about", "objects", "meant", "changes"}},
	Refused:     {Code: "device-gate-off", Means: "a claim requests what a feature gate allows that is off", Fields: []string{"about", "objects"}},
}

// ReasonCodes are the codes of what is explained here.
func ReasonCodes() []framework.ReasonCode {
	codes := []framework.ReasonCode{
		{Code: None, Means: "the nodes have no device that is of the class and that the selectors of a request match", Fields: []string{"about", "wants", "amounts", "nearest", "changes"}},
		{Code: TooFew, Means: "the nodes have fewer such devices than a request needs", Fields: []string{"about", "wants", "amounts", "nearest", "changes"}},
		{Code: NotFree, Means: "the nodes have such devices, and too few are free, untainted and with enough capacity", Fields: []string{"about", "objects", "amounts", "nearest", "missing", "changes"}},
		{Code: NotAll, Means: "the nodes have devices for each request, but not for all together", Fields: []string{"about", "changes"}},
		{Code: Unchecked, Means: "a selector of a request or its class cannot be evaluated", Fields: []string{"about"}},
	}
	return slices.AppendSeq(codes, maps.Values(claimCodes))
}

// Explain says why no devices can be allocated on nodes, or anywhere.
func (in *Inspection) Explain(rejected framework.Rejection) []framework.Evidence {
	if len(rejected.Nodes) == 0 && len(rejected.Reasons) > 0 {
		return in.troubles(rejected.Reasons[0])
	}
	var list []framework.Evidence
	for i := range rejected.Nodes {
		if n := &rejected.Nodes[i]; n.Failed {
			for _, e := range append(in.troubles(n.Reasons[0]), in.unchecked(n.Reasons[0])...) {
				e.Nodes, e.Predicate = []string{n.Name()}, "cannot be tried: "+e.Sentence
				list = append(list, e)
			}
		}
	}
	rejected.Nodes = slices.DeleteFunc(slices.Clone(rejected.Nodes), func(n framework.RejectedNode) bool { return n.Failed })
	if len(rejected.Nodes) == 0 || len(in.requests) == 0 {
		return list
	}
	return append(list, in.Short(rejected).evidence()...)
}

// troubles are the claims for which no node is feasible.
func (in *Inspection) troubles(message string) []framework.Evidence {
	var list []framework.Evidence
	for i := range in.Claims {
		c := &in.Claims[i]
		if !c.Troubled() {
			continue
		}
		e := framework.Evidence{
			Code: claimCodes[c.State].Code, About: c.Title(), Message: message, Sentence: c.Text(), Facts: []string{c.Text()}, Meant: c.meant,
			Objects: []framework.Object{{Kind: "ResourceClaim", Name: in.Pod.Namespace + "/" + c.Claim, Note: c.Says}},
		}
		if c.Claim == "" {
			e.Objects[0].Kind, e.Objects[0].Name = "ResourceClaimTemplate", in.Pod.Namespace+"/"+c.Template
		}
		if c.State == Classless {
			e.Changes = in.existingClasses(c)
		}
		list = append(list, e)
	}
	return list
}

// unchecked is the expression that ended the attempt; nothing if none did.
func (in *Inspection) unchecked(message string) []framework.Evidence {
	if text := in.failure(); text != "" {
		return []framework.Evidence{{Code: Unchecked, About: text, Message: message, Sentence: text, Facts: []string{text}}}
	}
	return nil
}

// evidence says which requests lack devices on the nodes, and where all of them together do.
func (s *Shortage) evidence() []framework.Evidence {
	nodes := s.changeable()
	var list []framework.Evidence
	for _, group := range s.groups {
		list = append(list, s.ofGroup(group, nodes)...)
	}
	for i := range s.Together {
		list = append(list, s.notAll(&s.Together[i], nodes))
	}
	if len(list) == 0 {
		return nil
	}
	if s.hasNearest() {
		last := &list[len(list)-1]
		last.Facts = append(last.Facts, "nearest: "+s.Nearest.Says)
	}
	if s.Nearest != nil {
		e := &list[slices.IndexFunc(list, func(e framework.Evidence) bool { return e.Nearest == s.Nearest.Node })]
		e.Changes = slices.Concat(e.Changes, s.freeing(nodes), s.adding(nodes))
		if s.Nearest.Only {
			e.Hint = s.Nearest.hint()
		}
	}
	return list
}

// part is nodes that lack devices for a request in one way.
type part struct {
	code, message string
	nodes         []*lacking
}

// code is how a node lacks devices.
func (c *deviceCount) code() string {
	switch {
	case c.matching == 0:
		return None
	case c.matching < c.want:
		return TooFew
	}
	return NotFree
}

// ofGroup is about the nodes with too few devices for a request, or for all of its alternatives: where some match first.
func (s *Shortage) ofGroup(group []*Request, changeable []*lacking) []framework.Evidence {
	var parts []part
	failing := 0
	for _, n := range s.lacking {
		count := &n.counts[n.best(group).index]
		if !count.applies || count.short() == 0 {
			continue
		}
		failing++
		at := slices.IndexFunc(parts, func(p part) bool { return p.code == count.code() && p.message == n.message })
		if at < 0 {
			at, parts = len(parts), append(parts, part{code: count.code(), message: n.message})
		}
		parts[at].nodes = append(parts[at].nodes, n)
	}
	order := []string{NotFree, TooFew, None}
	slices.SortStableFunc(parts, func(a, b part) int { return slices.Index(order, a.code) - slices.Index(order, b.code) })
	var list []framework.Evidence
	for i := range parts {
		e := s.ofPart(group, &parts[i])
		if i == 0 {
			for _, r := range group {
				e.Facts = append(e.Facts, s.requests[r.index].facts(len(s.rejected.All))...)
				e.Changes = append(e.Changes, s.otherRequests(r, changeable)...)
			}
		}
		if failing == len(s.rejected.All) {
			e.Sentence = s.requests[group[0].index].tooFew(failing)
			if s.hasNearest() {
				e.Sentence += "; nearest: " + s.Nearest.Says
			}
		}
		list = append(list, e)
	}
	return list
}

// ofPart is about nodes that lack devices for a request in one way.
func (s *Shortage) ofPart(group []*Request, p *part) framework.Evidence {
	nearest := s.least(p.nodes)
	r := nearest.best(group)
	m := s.describe(nearest, r)
	e := framework.Evidence{Code: p.code, About: group[0].title(), Message: p.message, Nearest: nearest.node, Amounts: s.amounts(r, p.nodes, m)}
	for _, n := range p.nodes {
		e.Nodes = append(e.Nodes, n.node)
	}
	switch {
	case p.code == None:
		e.Predicate = e.Verb("has", "have") + " no devices " + r.kind() + " for " + r.title()
	case len(e.Nodes) == 1:
		e.Predicate = m.has(fmt.Sprintf("%s needs %d", r.title(), m.Wanted))
	case p.code == TooFew:
		e.Predicate = "have too few devices for " + r.title() + "; nearest: " + m.Says
	default:
		e.Predicate = "have too few free devices for " + r.title() + "; nearest: " + m.Says
	}
	if p.code == NotFree {
		e.Objects, e.Missing = s.objects(m), m.others[:min(len(m.others), framework.MaxListed)]
		return e
	}
	asks := make([]string, len(group))
	for i, r := range group {
		asks[i] = r.asks()
	}
	e.Wants = strings.Join(asks, " or ")
	return e
}

// notAll is about nodes with enough devices for each request and too few for all.
func (s *Shortage) notAll(t *Together, changeable []*lacking) framework.Evidence {
	e := framework.Evidence{Code: NotAll, About: t.kind, Nodes: t.Nodes, Message: t.message, Facts: []string{t.Says}}
	e.Predicate = e.Verb("has", "have") + " devices for each request, but not for all together: " + t.Says
	if len(t.Nodes) == len(s.rejected.All) {
		e.Sentence = t.Says
	}
	if len(s.rejected.All) > 1 {
		e.Facts[0] += " (on " + framework.Listed(t.Nodes) + ")"
	}
	for _, n := range changeable {
		if n.together != nil && n.together.kind == t.kind && n.together.claim != nil {
			e.Changes = appendNew(e.Changes, "unconstrain claim "+s.Pod.Namespace+"/"+n.together.claim.Claim+" "+n.together.attribute)
		}
	}
	return e
}

// maxAmounts bounds the nodes that are compared with a request.
//
//orrery:limit answers; nodes whose devices are compared with a request; the others are left out
const maxAmounts = 5

// amounts compares a request with the devices of nodes, the nearest first.
func (s *Shortage) amounts(r *Request, nodes []*lacking, nearest *Nearest) *framework.Amounts {
	a := &framework.Amounts{Resource: "devices " + r.kind(), Requested: int64(nearest.Wanted)}
	for _, n := range nodes {
		a.Largest = max(a.Largest, int64(n.counts[r.index].matching))
	}
	rest := slices.DeleteFunc(slices.Clone(nodes), func(n *lacking) bool { return n.node == nearest.Node })
	for _, n := range append([]*lacking{{nodeDevices: nearest.devices}}, rest[:min(len(rest), maxAmounts-1)]...) {
		c := &n.counts[r.index]
		a.Nodes = append(a.Nodes, framework.NodeAmount{Node: n.node, Free: int64(c.usable), Allocatable: int64(c.matching), Missing: int64(c.short())})
	}
	for i := range nearest.Held {
		h := &nearest.Held[i]
		at := slices.IndexFunc(a.HeldBy, func(p framework.PodAmount) bool { return p.Pod == h.Pod })
		switch {
		case h.unused():
		case at < 0:
			a.HeldBy = append(a.HeldBy, framework.PodAmount{Pod: h.Pod, Amount: 1, Priority: h.Priority})
		default:
			a.HeldBy[at].Amount++
		}
	}
	return a
}

// objects are what is in the way on a node: the claims that have its devices, and the taints of these.
func (s *Shortage) objects(m *Nearest) []framework.Object {
	var objects []framework.Object
	add := func(o framework.Object) {
		if o.Node = m.Node; len(objects) < maxHolders && !slices.Contains(objects, o) {
			objects = append(objects, o)
		}
	}
	for i := range m.Held {
		add(framework.Object{Kind: "ResourceClaim", Name: m.Held[i].Claim, Note: "device " + m.Held[i].Device})
	}
	for _, d := range m.devices.devices {
		if v := s.verdict(m.request, d); v.trouble == TroubleTaint {
			add(framework.Object{Kind: "DeviceTaint", Name: v.detail, Note: "device " + d.id.short()})
		}
	}
	return objects
}

// failure is the expression that ended the attempt, with its position or what it lacks; empty if none did.
func (in *Inspection) failure() string {
	for _, r := range in.requests {
		if class := in.Devices.Class(r.Class); class != nil {
			if text := in.failing(class.Spec.Selectors); text != "" {
				return "class " + r.Class + " of " + r.claim.Title() + ", request " + r.Request + ": " + text
			}
		}
		if text := in.failing(r.selectors); text != "" {
			return r.claim.Title() + ", request " + r.Request + ": " + text
		}
	}
	return ""
}
