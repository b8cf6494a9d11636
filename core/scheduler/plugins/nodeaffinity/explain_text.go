package nodeaffinity

import (
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"

	"orrery/core/safe/plural"
	"orrery/core/safe/spelling"
	"orrery/core/scheduler/framework"
)

// describe writes what the pod asks for, and what the nodes that do not meet it lack.
func (s *comparison) describe(e *framework.Evidence, rejected framework.Rejection) {
	for i := range s.requirements {
		e.Rules = append(e.Rules, s.requirements[i].Rule)
	}
	e.Nearest = s.nearest.Name
	e.Missing = s.texts(s.missing)
	e.Wants = s.wants()
	e.Predicate = e.Verb("does not match ", "do not match ") + e.Wants
	if !slices.ContainsFunc(s.requirements, func(r requirement) bool { return !r.isName() }) {
		e.Predicate = e.Verb("is", "are") + " not named by its node affinity"
	}
	for i := range s.requirements {
		r := &s.requirements[i]
		if r.Matching == len(s.nodes) {
			continue
		}
		fact := fmt.Sprintf("%s %s: on %d of %d nodes", r.Field, r.Text, r.Matching, len(s.nodes))
		if !r.named {
			fact += "; " + r.valuesText(len(s.nodes))
		}
		e.Facts = append(e.Facts, fact)
	}
	if len(s.missing) > 0 && len(s.requirements) > 1 {
		e.Facts = append(e.Facts, "nearest is "+e.Nearest+", which lacks "+framework.Listed(e.Missing))
	}
	if len(s.missing) > 0 {
		s.explainNone(e)
	}
	alone := rejected.Alone()
	e.Changes = slices.Concat(s.corrections(), s.relabel(alone), s.unselect(alone))
}

// texts are the requirements, in the pod's words.
func (s *comparison) texts(indexes []int) []string {
	texts := make([]string, len(indexes))
	for i, at := range indexes {
		texts[i] = s.requirements[at].Text
	}
	return texts
}

// wants is what tells the wanted nodes from the others: the requirements that not all nodes meet.
func (s *comparison) wants() string {
	var always []string
	byTerm := map[int][]string{}
	var terms []int
	for i := range s.requirements {
		r := &s.requirements[i]
		text := r.Text
		if r.isName() {
			text = "named by its node affinity"
		}
		switch {
		case r.term < 0 && r.Matching < len(s.nodes):
			always = append(always, text)
		case r.term >= 0:
			if !slices.Contains(terms, r.term) {
				terms = append(terms, r.term)
			}
			if r.Matching < len(s.nodes) {
				byTerm[r.term] = append(byTerm[r.term], text)
			}
		}
	}
	var alternatives []string
	for _, term := range terms {
		alternatives = append(alternatives, strings.Join(byTerm[term], ", "))
	}
	if len(alternatives) > 0 && !slices.Contains(alternatives, "") { // an alternative that every node meets asks for nothing
		always = append(always, strings.Join(alternatives, " or "))
	}
	return strings.Join(always, ", ")
}

// explainNone says why no node meets the requirements: one that no node meets at all or, if each is met somewhere, that none meets all.
func (s *comparison) explainNone(e *framework.Evidence) {
	for i := range s.requirements {
		r := &s.requirements[i]
		if r.Matching > 0 || r.term >= 0 && !slices.Contains(s.missing, i) {
			continue
		}
		e.Sentence = r.where() + r.Text + ": " + r.none(len(s.nodes))
		for _, m := range r.meant(s) {
			e.Meant = append(e.Meant, m.text)
		}
		if len(e.Meant) > 0 {
			e.Sentence += "; did you mean " + strings.Join(e.Meant, " or ") + "?"
		}
		return
	}
	var counts []string
	for i := range s.requirements {
		if r := &s.requirements[i]; r.Matching < len(s.nodes) && s.ofNearest(r) {
			counts = append(counts, r.Text+" (on "+plural.Count(r.Matching, "node")+")")
		}
	}
	e.Sentence = "no node meets " + strings.Join(counts, " and ") + " together; nearest is " + e.Nearest + ", which lacks " + framework.Listed(e.Missing)
}

// ofNearest reports whether a requirement belongs to the alternative that the nearest node meets best, or to every one.
func (s *comparison) ofNearest(r *requirement) bool {
	return r.term < 0 || !slices.ContainsFunc(s.missing, func(i int) bool {
		return s.requirements[i].term >= 0 && s.requirements[i].term != r.term
	})
}

func (r *requirement) where() string {
	if r.term < 0 {
		return "nodeSelector "
	}
	return "node affinity "
}

// none says that no node meets the requirement.
func (r *requirement) none(nodes int) string {
	switch {
	case r.isName():
		return "there is no such node"
	case r.named:
		return "no node has such a field"
	case len(r.Domains) == 0:
		return "no node has the label " + r.Key
	case r.value != "":
		return "no node has that value; " + r.valuesText(nodes)
	}
	return "no node meets it; " + r.valuesText(nodes)
}

// maxMeant bounds the suggestions for what a requirement means.
//
//orrery:limit answers; suggestions for a selector that no node meets; the others are left out
const maxMeant = 2

// meant is a requirement that the pod probably means. It has no key if it is the name of a node.
type meant struct{ key, value, text string }

// meant are the requirements that the pod probably means, with the number of nodes: a key or a value that is nearly the same.
func (r *requirement) meant(s *comparison) []meant {
	if r.value == "" {
		return nil
	}
	if r.isName() {
		var names []string
		for _, info := range s.nodes {
			names = append(names, info.Node().Name)
		}
		var list []meant
		for _, name := range spelling.Nearest(r.value, names, maxMeant) {
			list = append(list, meant{value: name, text: name})
		}
		return list
	}
	if len(r.Domains) > 0 {
		var values []string
		for _, d := range r.Domains {
			values = append(values, d.Value)
		}
		return s.counted(r.Key, spelling.Nearest(r.value, values, maxMeant))
	}
	var keys []string // which have the value
	for _, info := range s.nodes {
		for key, value := range info.Node().Labels {
			if value == r.value && !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	slices.Sort(keys)
	var list []meant
	for _, key := range spelling.Nearest(r.Key, keys, maxMeant) {
		list = append(list, s.counted(key, []string{r.value})...)
	}
	return list
}

// counted adds to each value of a label how many nodes have it, those of the most nodes first: "tier=fast (on 2 nodes)".
func (s *comparison) counted(key string, values []string) []meant {
	slices.SortStableFunc(values, func(a, b string) int { return s.nodesWith(key, b) - s.nodesWith(key, a) })
	list := make([]meant, len(values))
	for i, value := range values {
		list[i] = meant{key, value, key + "=" + value + " (on " + plural.Count(s.nodesWith(key, value), "node") + ")"}
	}
	return list
}

// corrections are the changes of requirements that no node meets into what was probably meant.
func (s *comparison) corrections() []string {
	var changes []string
	for i := range s.requirements {
		r := &s.requirements[i]
		if r.Matching > 0 {
			continue
		}
		for _, m := range r.meant(s) {
			switch {
			case m.key == "":
			case m.key == r.Key:
				changes = append(changes, "select POD "+m.key+"="+m.value)
			default:
				changes = append(changes, "select POD "+m.key+"="+m.value+" replacing "+r.Key)
			}
		}
	}
	return changes
}

// relabel gives the label that is wanted to a node that lacks nothing else, where no node has it and it is not mistyped.
func (s *comparison) relabel(alone []framework.RejectedNode) []string {
	wanted := make([]bool, len(s.requirements))
	for i := range s.requirements {
		r := &s.requirements[i]
		wanted[i] = !r.named && r.value != "" && r.Matching == 0 && r.Key != v1.LabelHostname && len(r.meant(s)) == 0
	}
	for i := range alone {
		if missing := s.missingOn(alone[i].Node()); len(missing) == 1 && wanted[missing[0]] {
			r := &s.requirements[missing[0]]
			return []string{"label " + alone[i].Name() + " " + r.Key + "=" + r.value}
		}
	}
	return nil
}

func (s *comparison) nodesWith(key, value string) int {
	nodes := 0
	for _, info := range s.nodes {
		if has, labeled := info.Node().Labels[key]; labeled && has == value {
			nodes++
		}
	}
	return nodes
}

func (r *requirement) valuesText(nodes int) string {
	if len(r.Domains) == 0 {
		return "no node has the label " + r.Key
	}
	labeled := 0
	values := make([]string, 0, len(r.Domains))
	for _, v := range r.Domains {
		labeled += int(v.Count)
		values = append(values, fmt.Sprintf("%q on %d", v.Value, v.Count))
	}
	text := r.Key + " is " + framework.Listed(values)
	if labeled < nodes {
		text += fmt.Sprintf(", absent on %d", nodes-labeled)
	}
	return text
}

// unselect returns the keys without which the selector would match one of the nodes.
func (s *comparison) unselect(alone []framework.RejectedNode) []string {
	var changes []string
	for i := range alone {
		missing := s.missingOn(alone[i].Node())
		if len(missing) != 1 || s.requirements[missing[0]].named {
			continue
		}
		if c := "unselect POD " + s.requirements[missing[0]].Key; !slices.Contains(changes, c) {
			changes = append(changes, c)
		}
	}
	slices.Sort(changes)
	return changes
}
