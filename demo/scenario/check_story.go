package scenario

import (
	"time"
	"unicode/utf8"

	v1 "k8s.io/api/core/v1"

	"orrery/core/world"
	"orrery/demo/scenario/strict"
)

// checkStory finds out whether what the story is about exists, and how much there is of it.
func (f *file) checkStory() error {
	c := &checker{file: f, nodes: map[string]*v1.Node{}, replicas: map[string]int{}}
	for i := range f.Cluster.Nodes {
		c.more(&f.Cluster.Nodes[i])
	}
	for i := range f.Story {
		for g := range f.Story[i].Add {
			if err := c.added(&f.Story[i].Add[g]); err != nil {
				return err
			}
		}
	}
	if err := c.daemons(); err != nil {
		return err
	}
	for i := range f.Story {
		m := &f.Story[i]
		for _, check := range []func(*moment) error{
			c.when, c.said, c.workloads, c.sizes, c.whichNodes, c.drains, c.server, c.schedulers,
		} {
			if err := check(m); err != nil {
				return err
			}
		}
	}
	return nil
}

// checker knows what there is for a story to be about.
type checker struct {
	*file
	nodes    map[string]*v1.Node // those that are added later, too
	moments  int
	pods     int
	replicas map[string]int
}

func (c *checker) more(g *nodeGroup) {
	for _, node := range g.nodes() {
		c.nodes[node.Name] = node
	}
}

func (c *checker) added(g *nodeGroup) error {
	seen := map[string]bool{}
	for name := range c.nodes {
		seen[name] = true
	}
	total := len(c.nodes)
	if err := c.checkGroup(g, seen, &total); err != nil {
		return err
	}
	c.more(g)
	return nil
}

// daemons counts the pods of daemon sets, one for each node.
func (c *checker) daemons() error {
	for i := range c.Workloads {
		w := &c.Workloads[i]
		if w.kind != world.DaemonSet {
			continue
		}
		if c.pods += len(c.nodes); c.pods > mostPods {
			return w.Fail("daemonset", "with a pod on each of %d nodes, there are more than %d pods", len(c.nodes), mostPods)
		}
	}
	return nil
}

// times is how often a moment comes.
func (m *moment) times() int { return max(1, m.Times) }

func (c *checker) when(m *moment) error {
	switch {
	case !m.Has("at"):
		return m.Fail("at", "say when, counted from the beginning, as in at: 30s")
	case m.Has("every") != m.Has("times"):
		return m.Fail("every", "every and times go together, as in every: 2s and times: 10")
	case m.Has("every") && (m.Every.of() < time.Millisecond || m.Times < 1 || m.Times > mostMoments):
		return m.Fail("times", "a moment comes between 1 and %d times, and a millisecond apart at least", mostMoments)
	}
	last := m.At.of() + time.Duration(m.times()-1)*m.Every.of()
	if last > c.Length.of() {
		return m.Fail("at", "it comes after %v, when the scenario has ended: make length longer", last)
	}
	if c.moments += m.times(); c.moments > mostMoments {
		return m.Fail("times", "the story has more than %d moments, repeated ones counted each time", mostMoments)
	}
	return nil
}

func (c *checker) said(m *moment) error {
	if utf8.RuneCountInString(m.Say) > mostSaid {
		return m.Fail("say", "it has more than %d characters, and does not fit on a line", mostSaid)
	}
	return nil
}

// workloads checks the names of workloads that a moment is about.
func (c *checker) workloads(m *moment) error {
	all := map[string][]string{
		"create": m.Create, "roll": m.Roll, "delete": m.Delete,
		"scale": sortedKeys(m.Scale), "evict": sortedKeys(m.Evict), "ungate": sortedKeys(m.Ungate), "use": m.usedApps(),
	}
	for _, field := range sortedKeys(all) {
		for _, name := range all[field] {
			w := c.workload(name)
			switch {
			case w == nil:
				return m.Fail(field, "there is no workload %q: %s", name, strict.Among(name, c.workloadNames()))
			case field == "roll" && w.kind != world.Deployment:
				return m.Fail(field, "only a deployment can be rolled over, and %s is a %s", name, w.kind)
			case field == "scale" && w.kind != world.Deployment && w.kind != world.StatefulSet:
				return m.Fail(field, "only a deployment or a stateful set can be scaled, and %s is a %s", name, w.kind)
			case field == "create" && m.times() > 1:
				return m.Fail(field, "%s can be created once only", name)
			}
		}
	}
	return nil
}

// sizes adds up how many pods the story makes at most.
func (c *checker) sizes(m *moment) error {
	for _, name := range sortedKeys(m.Scale) {
		change := m.Scale[name]
		more := change.replicas
		if change.by {
			more *= m.times()
		}
		if c.pods += max(0, more); c.pods > mostPods {
			return m.Fail("scale", "the story makes more than %d pods", mostPods)
		}
	}
	for _, counts := range []map[string]int{m.Evict, m.Ungate} {
		for _, name := range sortedKeys(counts) {
			if counts[name] < 1 {
				return m.Fail("", "of %s, there must be one pod at least", name)
			}
		}
	}
	return nil
}

func (c *checker) whichNodes(m *moment) error {
	all := map[string][]string{
		"remove": m.Remove, "cordon": m.Cordon, "uncordon": m.Uncordon, "lose": m.Lose, "recover": m.Recover,
	}
	for _, field := range sortedKeys(all) {
		if err := c.anyOf(&m.Place, field, all[field]); err != nil {
			return err
		}
	}
	for i := range m.Use {
		u := &m.Use[i]
		if u.App == "" && len(u.On) == 0 {
			return u.Fail("", "say of which workload, or on which nodes, as in {app: cache, on: web-1, memory: 2Gi}")
		}
		if err := c.anyOf(&u.Place, "on", u.On); err != nil {
			return err
		}
	}
	for _, t := range []*tainting{m.Taint, m.Untaint} {
		if t == nil {
			continue
		}
		if len(t.Nodes) == 0 || len(t.With) == 0 {
			return t.Fail("", "say which nodes, and which taints, as in {nodes: zone=east, with: [maintenance:NoExecute]}")
		}
		if err := c.anyOf(&t.Place, "nodes", t.Nodes); err != nil {
			return err
		}
	}
	return nil
}

// anyOf checks that every word means a node.
func (c *checker) anyOf(p *strict.Place, field string, words []string) error {
	for _, word := range words {
		found := false
		for _, node := range c.nodes {
			found = found || matches(word, node)
		}
		if !found {
			return p.Fail(field, "there is no node %q: write a name, a pattern such as web-*, or a label such as zone=east; %s", word, strict.Among(word, sortedKeys(c.nodes)))
		}
	}
	return nil
}

func (c *checker) drains(m *moment) error {
	d := m.Drain
	switch {
	case d == nil:
		return nil
	case len(d.Nodes) == 0:
		return d.Fail("nodes", "say which nodes are to be drained")
	case d.Together < 0:
		return d.Fail("together", "one node at least is drained at a time")
	}
	return c.anyOf(&d.Place, "nodes", d.Nodes)
}

func (c *checker) server(m *moment) error {
	a := m.API
	if a == nil {
		return nil
	}
	all := map[string]map[string]int{"refuse": a.Refuse, "lose": a.Lose}
	for _, field := range sortedKeys(all) {
		counts := all[field]
		for _, call := range sortedKeys(counts) {
			if _, known := calls[call]; !known {
				return a.Fail(field, "there is no call %q: %s", call, strict.Among(call, sortedKeys(calls)))
			}
			if counts[call] < 1 || counts[call] > mostPods {
				return a.Fail(field, "say how many of the next calls, 1 at least")
			}
		}
	}
	for i := range a.Break {
		b := &a.Break[i]
		if _, err := world.New(world.Kind(b.Watch)); err != nil {
			var kinds []string
			for _, kind := range world.Kinds() {
				kinds = append(kinds, string(kind))
			}
			return b.Fail("watch", "there is no kind %q: %s", b.Watch, strict.Among(b.Watch, kinds))
		}
	}
	return nil
}

func (c *checker) schedulers(m *moment) error {
	all := []string{leading}
	for i := range c.Scheduler.Replicas {
		all = append(all, replicaName(i))
	}
	named := map[string][]string{"kill": m.Kill, "pause": sortedKeys(m.Pause), "cut": sortedKeys(m.Cut)}
	for _, field := range sortedKeys(named) {
		for _, name := range named[field] {
			if strict.Nearest(name, all) != name {
				return m.Fail(field, "there is no scheduler %q: %s", name, strict.Among(name, all))
			}
		}
	}
	return nil
}

func (m *moment) usedApps() []string {
	var apps []string
	for _, u := range m.Use {
		if u.App != "" {
			apps = append(apps, u.App)
		}
	}
	return apps
}
