package diagnose

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"

	"orrery/core/objects/saturating"
	"orrery/core/safe/plural"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/plugins/podtopologyspread"
)

// Skew is the pod's hard spread constraints, with the counts that Filter compared.
type Skew struct {
	Constraints []SpreadTable `json:"constraints"`
	only        []string
	allowed     int  // how many of them the needed skews allow
	unlabeled   bool // the nodes lack a key
}

// SpreadTable is one constraint and the domains that do not count for it.
type SpreadTable struct {
	podtopologyspread.DomainTable
	// LeftOut are the values of the key on nodes that the pod's node affinity or tolerations exclude.
	LeftOut []string `json:"leftOut,omitempty"`
	// Unlabeled are the nodes without the key.
	Unlabeled []string `json:"unlabeled,omitempty"`

	// Nominated pods count on the node to which they are nominated, beside those of Domains.
	Nominated []string `json:"nominated,omitempty"`

	needed int64 // the maxSkew that would allow some of the nodes that only this reason blocks
}

func (p *pendingPod) skew(x *engine.Explanation, r *Reason) Evidence {
	s := &Skew{only: r.OnlyOn, unlabeled: r.Message == podtopologyspread.ErrReasonNodeLabelNotMatch}
	for _, t := range podtopologyspread.Tables(x.Cycle) {
		table := SpreadTable{DomainTable: t}
		for _, name := range slices.Sorted(maps.Keys(p.nodes)) {
			value, has := p.nodes[name].Node().Labels[t.Key]
			counts := slices.ContainsFunc(t.Domains, func(d podtopologyspread.Domain) bool { return d.Value == value })
			switch {
			case !has:
				table.Unlabeled = append(table.Unlabeled, name)
			case !counts && !slices.Contains(table.LeftOut, value):
				table.LeftOut = append(table.LeftOut, value)
			}
		}
		s.Constraints = append(s.Constraints, table)
	}
	if len(s.Constraints) == 0 {
		return nil
	}
	s.need(p, x)
	return s
}

// need finds the smallest maxSkew of the constraints that allow one of the nodes, and how many nodes they allow.
func (s *Skew) need(p *pendingPod, x *engine.Explanation) {
	skews := make([][]int64, len(s.only)) // by node and constraint: the skew with the pod there
	best, least := -1, int64(math.MaxInt64)
	for n, name := range s.only {
		var sum int64
		node := p.nodes[name].Node()
		held := p.nominated(name)
		with := podtopologyspread.TablesWith(x.Cycle, node, held) // Filter runs with them and without
		for i := range s.Constraints {
			c := &s.Constraints[i]
			skew := skewAt(&c.DomainTable, node.Labels[c.Key])
			if more := skewAt(&with[i], node.Labels[c.Key]); more > skew {
				skew = more
				c.nominate(held, name)
			}
			skews[n] = append(skews[n], skew)
			sum = saturating.Add(sum, skew)
		}
		if sum < least {
			best, least = n, sum
		}
	}
	if best < 0 {
		return
	}
	for i := range s.Constraints {
		s.Constraints[i].needed = max(skews[best][i], s.Constraints[i].MaxSkew)
	}
	for n := range skews {
		allowed := true
		for i, skew := range skews[n] {
			allowed = allowed && skew <= s.Constraints[i].needed
		}
		if allowed {
			s.allowed++
		}
	}
}

// nominate adds the pods that are nominated to a node.
func (t *SpreadTable) nominate(pods []*v1.Pod, node string) {
	for _, pod := range pods {
		t.Nominated = append(t.Nominated, fullName(pod)+" to "+node)
	}
}

// skewAt is the skew of a domain with the pod in it.
func skewAt(t *podtopologyspread.DomainTable, value string) int64 {
	for _, d := range t.Domains {
		if d.Value == value {
			return d.Pods + t.Self - t.Least
		}
	}
	return t.Self
}

// maxDomains bounds the domains in a sentence.
//
//orrery:limit answers; domains in a sentence; the others are counted
const maxDomains = 6

// LabelMissing reports whether the nodes are rejected for lack of a label, whatever the counts.
func (s *Skew) LabelMissing() bool { return s.unlabeled }

// Facts implements Evidence.
func (s *Skew) Facts() []string { return s.facts(true) }

// FactsBeside implements Drawable: a chart shows the domains of each constraint.
func (s *Skew) FactsBeside(chart bool) []string { return s.facts(!chart) }

func (s *Skew) facts(domains bool) []string {
	var facts []string
	for i := range s.Constraints {
		c := &s.Constraints[i]
		if s.unlabeled {
			if len(c.Unlabeled) > 0 {
				facts = append(facts, plural.Count(len(c.Unlabeled), "node")+" without the label "+c.Key+": "+listed(c.Unlabeled))
			}
			continue
		}
		if domains {
			facts = append(facts, c.domains())
		}
		if len(c.Domains) < c.MinDomains {
			facts = append(facts, fmt.Sprintf("minDomains is %d and there are %d, so the least counts as 0", c.MinDomains, len(c.Domains)))
		}
		if len(c.Nominated) > 0 {
			facts = append(facts, "nominated pods count on their nodes besides: "+listed(c.Nominated))
		}
		if len(c.LeftOut) > 0 {
			facts = append(facts, "left out by its node affinity or tolerations: "+listed(c.LeftOut))
		}
	}
	return facts
}

// domains is the table in a sentence.
func (t *SpreadTable) domains() string {
	domains := make([]string, 0, maxDomains)
	for _, d := range t.Domains[:min(len(t.Domains), maxDomains)] {
		domains = append(domains, d.Value+" "+strconv.FormatInt(d.Pods, 10))
	}
	if more := len(t.Domains) - maxDomains; more > 0 {
		domains = append(domains, fmt.Sprintf("and %d more", more))
	}
	return fmt.Sprintf("over %s: matching pods by domain %s; maxSkew %d over the least, %d, allows %d with this pod",
		t.Key, strings.Join(domains, ", "), t.MaxSkew, t.Least, max(t.Limit+t.Self, 0))
}

// Hint implements Evidence.
func (s *Skew) Hint() string {
	var words []string
	nodes := s.allowed
	for i := range s.Constraints {
		switch c := &s.Constraints[i]; {
		case s.unlabeled && len(c.Unlabeled) > 0:
			nodes, words = len(s.only), append(words, "the label "+c.Key)
		case !s.unlabeled && c.needed > c.MaxSkew:
			words = append(words, fmt.Sprintf("maxSkew %d over %s", c.needed, c.Key))
		}
	}
	if len(words) == 0 {
		return ""
	}
	return "would fit on " + plural.Count(nodes, "node") + " with " + strings.Join(words, " and ") + ", or ScheduleAnyway"
}
