package diagnose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/safe/plural"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
)

// cause says in one sentence what keeps the pod from a node. Of the nodes that the pod wants, by its selector, its volumes or its
// spread, it names what keeps it from those; what it wants is the cause only where no node is left.
func (p *pendingPod) cause(d *Diagnosis) string {
	c := newCauses(p, d.Explanation)
	if never := c.never(); never != "" {
		return never
	}
	if len(c.nodes) == 0 {
		return c.ofPod(d)
	}
	if failure := c.failure(); failure != "" {
		return failure
	}
	if at := c.narrow(); at != nil {
		return c.unmet(at)
	}
	if classes := c.classes(); len(classes) > 0 {
		return c.sentence(classes)
	}
	if len(d.Reasons) > 0 { // extenders, and what rejects a node after Filter
		return fmt.Sprintf("%s on %d of %d nodes", d.Reasons[0].Message, d.Reasons[0].Nodes, d.Decision.Nodes)
	}
	return d.Decision.Message
}

// causes are what each plugin says of the nodes that it rejects.
type causes struct {
	p       *pendingPod
	x       *engine.Explanation
	byName  map[string]*engine.NodeVerdict
	plugins []string // in the order in which they filter
	all     map[string][]framework.Evidence
	// nodes are those that the pod wants, total how many there are, and wants what tells the former from the others.
	nodes []string
	total int
	wants []string
}

func newCauses(p *pendingPod, x *engine.Explanation) *causes {
	c := &causes{p: p, x: x, byName: map[string]*engine.NodeVerdict{}, all: map[string][]framework.Evidence{}}
	order := map[string]int{} // by plugin: where it stands among the others
	for i := range x.Nodes {
		c.byName[x.Nodes[i].Node] = &x.Nodes[i]
		if len(x.Nodes[i].Statuses) == 0 {
			continue // it was rejected before Filter, or only an extender looked at it
		}
		c.nodes = append(c.nodes, x.Nodes[i].Node)
		for at, s := range x.Nodes[i].Statuses {
			if _, known := order[s.Plugin]; s.Rejects() && !known {
				order[s.Plugin], c.plugins = at, append(c.plugins, s.Plugin)
			}
		}
	}
	slices.Sort(c.nodes)
	c.total = len(c.nodes)
	slices.SortStableFunc(c.plugins, func(a, b string) int { return cmp.Compare(order[a], order[b]) })
	for _, plugin := range c.plugins {
		if c.all[plugin] = x.AllEvidence(plugin); len(c.all[plugin]) == 0 {
			c.all[plugin] = c.evidence(plugin, x.RejectedOn(plugin))
		}
	}
	return c
}

// evidence asks a plugin about nodes. Of a plugin that does not explain itself it is the message.
func (c *causes) evidence(plugin string, nodes []string) []framework.Evidence {
	if list := c.x.Evidence(plugin, nodes); len(list) > 0 {
		return list
	}
	var list []framework.Evidence
	for _, name := range nodes {
		for _, s := range c.byName[name].Statuses {
			if s.Plugin != plugin || !s.Rejects() {
				continue
			}
			for _, message := range s.Reasons {
				at := slices.IndexFunc(list, func(e framework.Evidence) bool { return e.Message == message })
				if at < 0 {
					at, list = len(list), append(list, framework.Evidence{About: plugin + ": " + message, Message: message})
				}
				list[at].Nodes = append(list[at].Nodes, name)
			}
		}
	}
	for i := range list {
		e := &list[i]
		if e.Predicate == "" {
			e.Predicate = fmt.Sprintf("%s rejected by %s (%q)", e.Verb("is", "are"), plugin, e.Message)
		}
	}
	return list
}

// never is the request that no node of the cluster could hold, whatever else is in the way; empty if there is none.
func (c *causes) never() string {
	for _, plugin := range c.plugins {
		for _, e := range c.all[plugin] {
			if e.Amounts != nil && e.Amounts.Never {
				return e.Sentence
			}
		}
	}
	return ""
}

// failure is what a plugin says of the error that ended the attempt; empty if none did.
func (c *causes) failure() string {
	for _, n := range c.x.Nodes {
		for _, s := range n.Statuses {
			if s.Code != fwk.Error {
				continue
			}
			if list := c.evidence(s.Plugin, []string{n.Node}); len(list) > 0 && list[0].Sentence != "" {
				return list[0].Sentence
			}
		}
	}
	return ""
}

// ofPod is what a plugin says that rejected the pod before any node was looked at.
func (c *causes) ofPod(d *Diagnosis) string {
	for _, s := range c.x.Statuses {
		if !s.Rejects() {
			continue
		}
		if list := c.x.Evidence(s.Plugin, nil); len(list) > 0 && list[0].Sentence != "" {
			return list[0].Sentence
		}
		if len(s.Reasons) > 0 {
			return strings.Join(s.Reasons, ", ")
		}
	}
	return d.Decision.Message
}

// narrow leaves the nodes that the pod wants. It returns what the plugin says that leaves none; nil if some are left.
func (c *causes) narrow() *framework.Evidence {
	for _, plugin := range c.plugins {
		var wants []string
		left := slices.Clone(c.nodes)
		for _, e := range c.all[plugin] {
			if e.Wants != "" {
				if left = without(left, e.Nodes); !slices.Contains(wants, e.Wants) {
					wants = append(wants, e.Wants)
				}
			}
		}
		switch {
		case len(left) == len(c.nodes):
		case len(left) > 0:
			c.nodes, c.wants = left, append(c.wants, wants...)
		default:
			list := slices.DeleteFunc(c.evidence(plugin, c.nodes), func(e framework.Evidence) bool { return e.Wants == "" })
			return &list[0]
		}
	}
	return nil
}

func without(names, excluded []string) []string {
	set := map[string]bool{}
	for _, name := range excluded {
		set[name] = true
	}
	return slices.DeleteFunc(names, func(name string) bool { return set[name] })
}

// unmet says that no node is what the pod wants.
func (c *causes) unmet(e *framework.Evidence) string {
	if e.Sentence != "" {
		if len(c.wants) == 0 {
			return e.Sentence
		}
		return e.Sentence + " (of " + c.wanted() + ")"
	}
	if len(c.nodes) == 1 && len(c.wants) > 0 {
		return "must go to " + c.wanted() + ", which " + e.Predicate
	}
	return c.subject(e.Nodes) + " " + e.Predicate
}

// wanted names the nodes that the pod wants: "the 8 nodes with generation=3".
func (c *causes) wanted() string {
	if len(c.wants) == 0 {
		return plural.Count(c.total, "node")
	}
	if len(c.nodes) == 1 {
		return c.nodes[0] + " (" + strings.Join(c.wants, ", ") + ")"
	}
	return "the " + plural.Count(len(c.nodes), "node") + " with " + strings.Join(c.wants, ", ")
}

// class is nodes that the pod wants and that the same causes keep it from.
type class struct {
	keys  []string
	nodes []string
}

func keyOf(e *framework.Evidence) string { return e.Code + " " + e.About }

// classes groups the wanted nodes by what keeps the pod from them, those first where the least does.
func (c *causes) classes() []class {
	keys := map[string][]string{} // by node
	for _, plugin := range c.plugins {
		for i := range c.all[plugin] {
			e := &c.all[plugin][i]
			for _, name := range e.Nodes {
				if !slices.Contains(keys[name], keyOf(e)) {
					keys[name] = append(keys[name], keyOf(e))
				}
			}
		}
	}
	var found []class
	for _, name := range c.nodes {
		if len(keys[name]) == 0 {
			continue
		}
		slices.Sort(keys[name])
		at := slices.IndexFunc(found, func(k class) bool { return slices.Equal(k.keys, keys[name]) })
		if at < 0 {
			at, found = len(found), append(found, class{keys: keys[name]})
		}
		found[at].nodes = append(found[at].nodes, name)
	}
	slices.SortStableFunc(found, func(a, b class) int {
		return cmp.Or(cmp.Compare(len(a.keys), len(b.keys)), cmp.Compare(len(b.nodes), len(a.nodes)))
	})
	return found
}

// least leaves out the classes where more than in another one is in the way: it takes less there. If something is in the way on every
// node, and on some of them nothing else, it is the only class.
func least(all []class) []class {
	for _, k := range all {
		if !slices.ContainsFunc(all, func(other class) bool { return !subset(k.keys, other.keys) }) {
			every := class{keys: k.keys}
			for _, other := range all {
				every.nodes = append(every.nodes, other.nodes...)
			}
			slices.Sort(every.nodes)
			return []class{every}
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(k class) bool {
		return slices.ContainsFunc(all, func(other class) bool { return len(other.keys) < len(k.keys) && subset(other.keys, k.keys) })
	})
}

func subset(small, large []string) bool {
	return !slices.ContainsFunc(small, func(key string) bool { return !slices.Contains(large, key) })
}

// maxClasses bounds the kinds of nodes in a first line.
//
//orrery:limit answers; kinds of nodes in the first line of an answer; the others are counted
const maxClasses = 4

// sentence says what keeps the pod from the nodes of each class.
func (c *causes) sentence(classes []class) string {
	named, more := 0, len(c.nodes)-len(classes[0].nodes)
	classes = least(classes)
	if len(c.nodes) == 1 && len(c.wants) > 0 {
		return "must go to " + c.wanted() + ", which " + c.predicate(&classes[0])
	}
	if len(classes) == 1 && len(classes[0].nodes) == len(c.nodes) {
		text := c.subject(classes[0].nodes) + " " + c.predicate(&classes[0])
		if whole := c.whole(&classes[0]); whole != "" {
			text = whole
		}
		if more > 0 {
			text += fmt.Sprintf("; on %d of them more is in the way", more)
		}
		return text
	}
	var clauses []string
	for i := range classes[:min(len(classes), maxClasses)] {
		k := &classes[i]
		named += len(k.nodes)
		subject := c.subject(k.nodes)
		if i > 0 && len(k.nodes) > 1 {
			subject = fmt.Sprintf("%d", len(k.nodes))
		}
		clauses = append(clauses, subject+" "+c.predicate(k))
	}
	text := strings.Join(clauses, "; ")
	if rest := len(c.nodes) - named; rest > 0 {
		text += fmt.Sprintf("; on the other %d more is in the way", rest)
	}
	if len(c.wants) > 0 {
		text = "of " + c.wanted() + ", " + text
	}
	return text
}

// whole is the sentence of the only cause on all nodes; empty if there are several, or if it has none of its own.
func (c *causes) whole(k *class) string {
	if len(k.keys) > 1 || len(c.wants) > 0 {
		return ""
	}
	for _, plugin := range c.plugins {
		for i := range c.all[plugin] {
			if e := &c.all[plugin][i]; keyOf(e) == k.keys[0] && e.Sentence != "" {
				return e.Sentence
			}
		}
	}
	return ""
}

// subject names some of the wanted nodes.
func (c *causes) subject(nodes []string) string {
	switch n := len(nodes); {
	case n == 1 && len(c.nodes) == 1 && len(c.wants) == 0:
		return "the only node, " + nodes[0] + ","
	case n == 1:
		return nodes[0]
	case n == len(c.nodes) && len(c.wants) > 0:
		return all(n) + " with " + strings.Join(c.wants, ", ")
	case n == len(c.nodes):
		return all(n)
	case len(c.wants) > 0:
		return fmt.Sprintf("%d", n)
	default:
		return fmt.Sprintf("%d of %d nodes", n, c.total)
	}
}

func all(nodes int) string {
	if nodes == 2 {
		return "both nodes"
	}
	return fmt.Sprintf("all %d nodes", nodes)
}

// predicate says what the nodes of a class are or have, asking the plugins about those nodes alone.
func (c *causes) predicate(k *class) string {
	var clauses, told []string
	for _, plugin := range c.plugins {
		var rejected []string
		for _, name := range k.nodes {
			if slices.ContainsFunc(c.byName[name].Statuses, func(s engine.PluginStatus) bool { return s.Plugin == plugin && s.Rejects() }) {
				rejected = append(rejected, name)
			}
		}
		if len(rejected) == 0 {
			continue
		}
		list := c.evidence(plugin, rejected)
		for i := range list {
			if key := keyOf(&list[i]); slices.Contains(k.keys, key) && !slices.Contains(told, key) {
				clauses, told = append(clauses, list[i].Predicate), append(told, key)
			}
		}
	}
	return strings.Join(clauses, " and ")
}

// keptFrom says what keeps the pod from one node, in a clause whose subject the node is; empty if nothing does, or before Filter.
func (p *pendingPod) keptFrom(x *engine.Explanation, node string) string {
	c := newCauses(p, x)
	if v := c.byName[node]; v == nil || v.Feasible || len(v.Statuses) == 0 {
		return ""
	}
	var clauses []string
	for _, plugin := range c.plugins {
		if slices.Contains(x.RejectedOn(plugin), node) {
			for _, e := range c.evidence(plugin, []string{node}) {
				clauses = append(clauses, e.Predicate)
			}
		}
	}
	return strings.Join(clauses, " and ")
}
