package scenario

import (
	"slices"
	"time"
	"unicode/utf8"

	v1 "k8s.io/api/core/v1"

	"orrery/core/world"
	"orrery/demo/scenario/strict"
)

// checkStory checks that the objects of the steps exist, and how many there are.
func (f *file) checkStory() error {
	c := &storyChecker{file: f, nodes: map[string]*v1.Node{}, replicas: map[string]int{}}
	for i := range f.Cluster.Nodes {
		c.more(&f.Cluster.Nodes[i])
	}
	for i := range f.Steps {
		for g := range f.Steps[i].Add {
			if err := c.added(&f.Steps[i].Add[g]); err != nil {
				return err
			}
		}
	}
	if err := firstError(c.drivers, c.classes, c.volumes, c.claims, c.podVolumes, c.deviceModels, c.deviceClasses, c.podDevices, c.daemons, c.extenderNodes); err != nil {
		return err
	}
	for i := range f.Steps {
		m := &f.Steps[i]
		for _, check := range []func(*moment) error{
			c.when, c.said, c.workloads, c.sizes, c.whichNodes, c.patches, c.drains, c.storage, c.devices, c.server, c.schedulers, c.extenders,
		} {
			if err := check(m); err != nil {
				return err
			}
		}
	}
	return nil
}

// storyChecker holds the objects that steps may name.
type storyChecker struct {
	*file
	nodes    map[string]*v1.Node        // those that are added later, too
	segments map[string]map[string]bool // of nodes, by driver: the values of its topology
	moments  int
	named    int // workloads in the steps
	pods     int
	patched  int // bytes that patches may write
	replicas map[string]int
}

func (c *storyChecker) more(g *nodeGroup) {
	for _, node := range g.nodes() {
		c.nodes[node.Name] = node
	}
}

func (c *storyChecker) added(g *nodeGroup) error {
	if err := c.checkGroup(g); err != nil {
		return err
	}
	c.more(g)
	return nil
}

// daemons counts the pods of daemon sets, one for each node.
func (c *storyChecker) daemons() error {
	for i := range c.Workloads {
		w := &c.Workloads[i]
		if w.kind != world.DaemonSet {
			continue
		}
		if c.pods += len(c.nodes); c.pods > maxPods {
			return w.Fail("daemonset", "with a pod on each of %d nodes, there are more than %d pods", len(c.nodes), maxPods)
		}
		if err := c.made.addPods(w, "daemonset", len(c.nodes)); err != nil {
			return err
		}
	}
	return nil
}

// times returns how often a step happens.
func (m *moment) times() int { return max(1, m.Times) }

func (c *storyChecker) when(m *moment) error {
	switch {
	case !m.Has("at"):
		return m.Fail("at", "say when, counted from the beginning, as in at: 30s")
	case m.Has("every") != m.Has("times"):
		return m.Fail("every", "every and times go together, as in every: 2s and times: 10")
	case m.Has("every") && (m.Every.of() < time.Millisecond || m.Times < 1 || m.Times > maxMoments):
		return m.Fail("times", "a moment comes between 1 and %d times, and a millisecond apart at least", maxMoments)
	}
	last := m.At.of() + time.Duration(m.times()-1)*m.Every.of()
	if last > c.Length.of() {
		return m.Fail("at", "it comes after %v, when the scenario has ended: make length longer", last)
	}
	if c.moments += m.times(); c.moments > maxMoments {
		return m.Fail("times", "there are more than %d moments, repeated ones counted each time", maxMoments)
	}
	return nil
}

func (c *storyChecker) said(m *moment) error {
	if utf8.RuneCountInString(m.Mark) > maxMark {
		return m.Fail("mark", "it has more than %d characters, and does not fit on a line", maxMark)
	}
	return nil
}

// workloads checks the names of workloads in a step.
func (c *storyChecker) workloads(m *moment) error {
	all := map[string][]string{
		"create": m.Create, "restart": m.Restart, "delete": m.Delete,
		"scale": sortedKeys(m.Scale), "evict": sortedKeys(m.Evict), "ungate": sortedKeys(m.Ungate), "usage": m.usedApps(),
	}
	for _, field := range sortedKeys(all) {
		if c.named += m.times() * len(all[field]); c.named > maxNamed {
			return m.Fail(field, "the steps name workloads more than %d times, repeated steps counted each time", maxNamed)
		}
		for _, name := range all[field] {
			w := c.workload(name)
			switch {
			case w == nil:
				return m.Fail(field, "there is no workload %q: %s", name, strict.Suggest(name, c.workloadNames()))
			case field == "restart" && w.kind != world.Deployment:
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

// sizes adds up the maximum number of pods.
func (c *storyChecker) sizes(m *moment) error {
	for _, name := range sortedKeys(m.Scale) {
		change := m.Scale[name]
		more := change.replicas
		if change.by {
			more *= m.times()
		}
		if c.pods += max(0, more); c.pods > maxPods {
			return m.Fail("scale", "the steps make more than %d pods", maxPods)
		}
		if err := c.made.addPods(c.workload(name), "replicas", max(0, more)); err != nil {
			return err
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

func (c *storyChecker) whichNodes(m *moment) error {
	all := map[string][]string{
		"remove": m.Remove, "cordon": m.Cordon, "uncordon": m.Uncordon, "disconnect": m.Disconnect, "reconnect": m.Reconnect,
	}
	for _, field := range sortedKeys(all) {
		if err := c.anyOf(&m.Position, field, all[field]); err != nil {
			return err
		}
	}
	for i := range m.Usage {
		u := &m.Usage[i]
		if u.App == "" && len(u.On) == 0 {
			return u.Fail("", "say of which workload, or on which nodes, as in {app: cache, on: web-1, memory: 2Gi}")
		}
		if err := c.anyOf(&u.Position, "on", u.On); err != nil {
			return err
		}
		if err := u.check(u.App == ""); err != nil {
			return err
		}
	}
	for _, t := range []*taintChange{m.Taint, m.Untaint} {
		if t == nil {
			continue
		}
		if len(t.Nodes) == 0 || len(t.Taints) == 0 {
			return t.Fail("", "say which nodes, and which taints, as in {nodes: zone=east, with: [maintenance:NoExecute]}")
		}
		if err := c.anyOf(&t.Position, "nodes", t.Nodes); err != nil {
			return err
		}
	}
	return nil
}

// check refuses what pods have and nodes have not, and the reverse.
func (u *usage) check(ofNode bool) error {
	if ofNode {
		if u.Has("volumes") {
			return u.Fail("volumes", "volumes are those of pods: a node has disk")
		}
		return nil
	}
	for _, field := range []string{"images", "unusedImages", "deadContainers"} {
		if u.Has(field) {
			return u.Fail(field, "these are on a node: write them in a step, as in usage: {on: web-1, %s: 10Gi}", field)
		}
	}
	return nil
}

func (w *workload) checkUsage() error {
	if w.Usage == nil {
		return nil
	}
	return w.Usage.check(false)
}

func (c *storyChecker) anyOf(p *strict.Position, field string, words []string) error {
	return c.made.anyOf(c.nodes, p, field, words)
}

func (c *storyChecker) patches(m *moment) error {
	for i := range m.Patch {
		p := &m.Patch[i]
		switch {
		case (p.Node == "") == (p.Pod == ""):
			return p.Fail("", "say which node or which pod is changed, as in {node: web-1, with: {metadata: {labels: {disk: ssd}}}}")
		case p.Node != "" && p.Has("namespace"):
			return p.Fail("namespace", "nodes have no namespace: leave it out")
		case !p.With.IsSet():
			return p.Fail("with", "say what is changed, as in with: {metadata: {labels: {disk: ssd}}}")
		case p.Node != "":
			if err := c.anyOf(&p.Position, "node", []string{p.Node}); err != nil {
				return err
			}
		}
		with, err := p.With.JSON()
		if err != nil {
			return err
		}
		objects := 1
		if p.Node != "" && c.nodes[p.Node] == nil {
			objects = len(c.nodes)
		}
		if c.patched += objects * len(with); c.patched > maxPatched {
			return p.Fail("with", "all patches together may write more than %d MiB: write fewer or smaller ones", maxPatched>>20)
		}
	}
	return nil
}

func (c *storyChecker) drains(m *moment) error {
	d := m.Drain
	switch {
	case d == nil:
		return nil
	case len(d.Nodes) == 0:
		return d.Fail("nodes", "say which nodes are to be drained")
	case d.Parallel < 0:
		return d.Fail("parallel", "one node at least is drained at a time")
	}
	return c.anyOf(&d.Position, "nodes", d.Nodes)
}

func (c *storyChecker) server(m *moment) error {
	a := m.APIServer
	if a == nil {
		return nil
	}
	all := map[string]map[string]int{"reject": a.Reject, "dropResponses": a.DropResponses}
	for _, field := range sortedKeys(all) {
		counts := all[field]
		for _, call := range sortedKeys(counts) {
			if _, known := calls[call]; !known {
				return a.Fail(field, "there is no call %q: %s", call, strict.Suggest(call, sortedKeys(calls)))
			}
			if counts[call] < 1 || counts[call] > maxPods {
				return a.Fail(field, "say how many of the next calls, 1 at least")
			}
		}
	}
	for i := range a.BreakWatches {
		b := &a.BreakWatches[i]
		if _, err := world.New(world.Kind(b.Kind)); err != nil {
			var kinds []string
			for _, kind := range world.Kinds() {
				kinds = append(kinds, string(kind))
			}
			return b.Fail("kind", "there is no kind %q: %s", b.Kind, strict.Suggest(b.Kind, kinds))
		}
	}
	return nil
}

func (c *storyChecker) schedulers(m *moment) error {
	all := []string{leaderName}
	for i := range c.Scheduler.Replicas {
		all = append(all, replicaName(i))
	}
	named := map[string][]string{"kill": m.Kill, "pause": sortedKeys(m.Pause), "partition": sortedKeys(m.Partition)}
	for _, field := range sortedKeys(named) {
		for _, name := range named[field] {
			if !slices.Contains(all, name) {
				return m.Fail(field, "there is no scheduler %q: %s", name, strict.Suggest(name, all))
			}
		}
	}
	return nil
}

func (m *moment) usedApps() []string {
	var apps []string
	for _, u := range m.Usage {
		if u.App != "" {
			apps = append(apps, u.App)
		}
	}
	return apps
}
