package scenario

import (
	"errors"
	"slices"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	configv1 "k8s.io/kube-scheduler/config/v1"

	"orrery/core/scheduler/config"
	"orrery/core/world/memory"
	"orrery/demo/scenario/strict"
)

// extenderPart is a simulated extender of the scheduler.
type extenderPart struct {
	strict.Position
	Name      string     `yaml:"name"`
	Refuses   stringList `yaml:"refuses"`
	Reason    string     `yaml:"reason"`
	Prefers   stringList `yaml:"prefers"`
	Binds     bool       `yaml:"binds"`
	Preempts  bool       `yaml:"preempts"`
	Takes     span       `yaml:"takes"`
	Timeout   duration   `yaml:"timeout"`
	Weight    int64      `yaml:"weight"`
	Ignorable bool       `yaml:"ignorable"`
	Resources stringList `yaml:"resources"`
}

// extenderChange stops and starts extenders, and changes how long they take to answer.
type extenderChange struct {
	strict.Position
	Stop  stringList      `yaml:"stop"`
	Start stringList      `yaml:"start"`
	Takes map[string]span `yaml:"takes"`
}

// address is the extender's in the configuration.
func (x *extenderPart) address() string { return "http://" + x.Name }

// configured is the extender in the configuration. It knows the nodes itself.
func (x *extenderPart) configured() configv1.Extender {
	c := configv1.Extender{
		URLPrefix: x.address(), HTTPTimeout: metav1.Duration{Duration: x.Timeout.of()}, NodeCacheCapable: true, Ignorable: x.Ignorable,
	}
	if len(x.Refuses) > 0 {
		c.FilterVerb = "filter"
	}
	if len(x.Prefers) > 0 {
		c.PrioritizeVerb, c.Weight = "prioritize", max(1, x.Weight)
	}
	if x.Binds {
		c.BindVerb = "bind"
	}
	if x.Preempts {
		c.PreemptVerb = "preempt"
	}
	for _, name := range x.Resources {
		c.ManagedResources = append(c.ManagedResources, configv1.ExtenderManagedResource{Name: name})
	}
	return c
}

// addExtenders adds the simulated extenders to the configuration, before those that are in it.
func (p *schedulerPart) addExtenders(c *config.Configuration) error {
	var all []configv1.Extender
	for i := range p.Extenders {
		all = append(all, p.Extenders[i].configured())
	}
	if len(all) == 0 {
		return nil
	}
	c.Extenders = append(all, c.Extenders...)
	var invalid *config.Error
	if err := c.Validate(); errors.As(err, &invalid) && len(invalid.List) > 0 {
		return p.Fail("extenders", "in the configuration, %v", invalid.List[0])
	}
	return nil
}

func (p *schedulerPart) simulatedExtenders() map[string]memory.Extender {
	all := map[string]memory.Extender{}
	for i := range p.Extenders {
		all[p.Extenders[i].address()] = p.Extenders[i].simulated()
	}
	return all
}

func (x *extenderPart) simulated() memory.Extender {
	return memory.Extender{
		Refuses: nodesOf(x.Refuses), Reason: x.Reason, Prefers: nodesOf(x.Prefers), Takes: x.Takes.delay(),
	}
}

// nodesOf reports whether a node is one of those that words select.
func nodesOf(words stringList) func(*v1.Node) bool {
	return func(node *v1.Node) bool {
		return slices.ContainsFunc(words, func(word string) bool { return matchesNode(word, node) })
	}
}

// changeExtenders stops, starts and slows extenders.
func (s *simulation) changeExtenders(m *moment) error {
	change := m.Extenders
	if change == nil {
		return nil
	}
	for _, name := range change.Stop {
		s.changeExtender(name, func(x *memory.Extender) { x.Down = true })
	}
	for _, name := range change.Start {
		s.changeExtender(name, func(x *memory.Extender) { x.Down = false })
	}
	for _, name := range sortedKeys(change.Takes) {
		s.changeExtender(name, func(x *memory.Extender) { x.Takes = change.Takes[name].delay() })
	}
	return nil
}

func (s *simulation) changeExtender(name string, change func(*memory.Extender)) {
	address := (&extenderPart{Name: name}).address()
	x := s.extenders[address]
	change(&x)
	s.extenders[address] = x
	s.cluster.SetExtender(address, x)
}

// checkExtenders checks the extenders by themselves; the configuration that they are added to is validated.
func (p *schedulerPart) checkExtenders() error {
	if len(p.Extenders) > maxExtenders {
		return p.Fail("extenders", "there are %d extenders at most", maxExtenders)
	}
	seen := map[string]bool{}
	for i := range p.Extenders {
		x := &p.Extenders[i]
		switch problems := validation.IsDNS1123Label(x.Name); {
		case len(problems) > 0:
			return x.Fail("name", "an extender needs a name of small letters, digits and dashes, as in name: licences")
		case seen[x.Name]:
			return x.Fail("name", "there is another extender of the name %s", x.Name)
		case len(x.Refuses) == 0 && len(x.Prefers) == 0 && !x.Binds && !x.Preempts:
			return x.Fail("", "it is never asked: write which nodes it refuses or prefers, or that it binds or preempts")
		case x.Has("weight") && len(x.Prefers) == 0:
			return x.Fail("weight", "it prefers no nodes, and so its weight has no effect: leave it out")
		case len(x.Refuses)+len(x.Prefers) > maxNodeWords:
			return x.Fail("refuses", "an extender refuses and prefers nodes by %d words at most", maxNodeWords)
		}
		seen[x.Name] = true
	}
	return nil
}

// extenderNodes checks the nodes that extenders refuse and prefer.
func (c *storyChecker) extenderNodes() error {
	for i := range c.Scheduler.Extenders {
		x := &c.Scheduler.Extenders[i]
		if err := c.anyOf(&x.Position, "refuses", x.Refuses); err != nil {
			return err
		}
		if err := c.anyOf(&x.Position, "prefers", x.Prefers); err != nil {
			return err
		}
	}
	return nil
}

// extenders checks the names of extenders in a step.
func (c *storyChecker) extenders(m *moment) error {
	if m.Extenders == nil {
		return nil
	}
	var names []string
	for i := range c.Scheduler.Extenders {
		names = append(names, c.Scheduler.Extenders[i].Name)
	}
	all := map[string][]string{"stop": m.Extenders.Stop, "start": m.Extenders.Start, "takes": sortedKeys(m.Extenders.Takes)}
	for _, field := range sortedKeys(all) {
		for _, name := range all[field] {
			if !slices.Contains(names, name) {
				return m.Extenders.Fail(field, "there is no extender %q in scheduler.extenders: %s", name, strict.Suggest(name, names))
			}
		}
	}
	return nil
}
