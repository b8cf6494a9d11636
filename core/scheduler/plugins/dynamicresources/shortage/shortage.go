package shortage

import (
	"cmp"
	"fmt"
	"slices"

	"orrery/core/scheduler/framework"
)

// Shortage is what nodes lack of devices for the requests.
type Shortage struct {
	*Inspection
	// Together is why nodes with enough devices for each request have too few for all.
	Together []Together
	// Nearest is the node that lacks least; nil if none lacks devices.
	Nearest *Nearest

	rejected framework.Rejection
	lacking  []*lacking
	requests []Request // with the numbers of these nodes, by index
}

// lacking is a node that lacks devices.
type lacking struct {
	*nodeDevices
	message string
	alone   bool // whether it lacks nothing but devices
}

// Short counts the devices of nodes on which none could be allocated, and groups why they do not serve the requests. Of the same nodes it does
// so once.
func (in *Inspection) Short(rejected framework.Rejection) *Shortage {
	if in.last != nil && slices.Equal(in.last.rejected.Names(), rejected.Names()) {
		return in.last
	}
	s := &Shortage{Inspection: in, rejected: rejected, requests: make([]Request, len(in.requests))}
	groups := make([]*reasonGroups, len(in.requests))
	for i, r := range in.requests {
		s.requests[i], groups[i] = *r, &reasonGroups{in: in, request: r, seen: map[*poolDevice]bool{}}
	}
	for i := range rejected.Nodes {
		node := &rejected.Nodes[i]
		n := &lacking{in.on(node), node.Reasons[0], len(node.Others) == 0 && len(node.Reasons) == 1}
		s.lacking = append(s.lacking, n)
		for j, r := range in.requests {
			if n.fails(r) {
				s.requests[j].count(&n.counts[j])
				groups[j].add(n.nodeDevices)
			}
		}
		if n.together != nil {
			s.addTogether(n)
		}
	}
	slices.SortFunc(s.lacking, func(a, b *lacking) int { return cmp.Compare(a.node, b.node) })
	for i := range s.requests {
		if r := &s.requests[i]; r.TooFewOn > 0 {
			r.Reasons = groups[i].reasons()
			if reach := groups[i].outOfReach(); reach != nil {
				r.Reasons = append(r.Reasons, *reach)
			}
		}
	}
	slices.SortStableFunc(s.Together, func(a, b Together) int { return cmp.Compare(len(b.Nodes), len(a.Nodes)) })
	s.Nearest = s.nearest()
	in.last = s
	return s
}

// count adds what a node has for the request, which is too little.
func (r *Request) count(on *deviceCount) {
	r.TooFewOn++
	if on.matching == 0 {
		r.NoneOn++
	}
	r.MostOn = max(r.MostOn, on.usable)
}

// addTogether adds a node to those with the same reason; the sentence is that of the first.
func (s *Shortage) addTogether(n *lacking) {
	at := slices.IndexFunc(s.Together, func(t Together) bool { return t.kind == n.together.kind && t.message == n.message })
	if at < 0 {
		at, s.Together = len(s.Together), append(s.Together, Together{Says: n.together.says, kind: n.together.kind, message: n.message})
	}
	s.Together[at].Nodes = append(s.Together[at].Nodes, n.node)
}

// WithNumbers are the claims with what the nodes lack for their requests.
func (s *Shortage) WithNumbers() []Claim {
	claims := slices.Clone(s.Claims)
	for i := range claims {
		claims[i].Requests = slices.Clone(claims[i].Requests)
		for j := range claims[i].Requests {
			if claims[i].toAllocate() {
				claims[i].Requests[j] = s.requests[claims[i].Requests[j].index]
			}
		}
	}
	return claims
}

// hasNearest reports whether a node is nearer to having enough devices than others: none is if no node has any.
func (s *Shortage) hasNearest() bool {
	every := func(r Request) bool { return r.NoneOn == len(s.rejected.All) }
	return s.Nearest != nil && !slices.ContainsFunc(s.requests, every)
}

// tooFew says on how many nodes there are too few devices for the request.
func (r *Request) tooFew(nodes int) string {
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

// facts are the number of nodes with too few devices for the request, and why the devices there do not serve it.
func (r *Request) facts(nodes int) []string {
	facts := []string{r.tooFew(nodes)}
	for i := range r.Reasons {
		facts = append(facts, r.Reasons[i].Says)
	}
	return facts
}
