package diagnose

import (
	"slices"
	"strings"

	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"

	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/gangs"
	"orrery/core/world"
)

// groupTree has the groups of a namespace by what they are in.
type groupTree struct {
	engine     *engine.Engine
	namespace  string
	composites []*schedulingv1alpha3.CompositePodGroup
	groups     []*schedulingv1beta1.PodGroup
}

// treeOf reads the groups of a namespace, in the order of their names.
func treeOf(e *engine.Engine, namespace string) *groupTree {
	t := &groupTree{engine: e, namespace: namespace}
	for o := range e.Store().Objects(world.CompositePodGroup) {
		if o.GetNamespace() == namespace {
			t.composites = append(t.composites, o.(*schedulingv1alpha3.CompositePodGroup))
		}
	}
	for o := range e.Store().Objects(world.PodGroup) {
		if o.GetNamespace() == namespace {
			t.groups = append(t.groups, o.(*schedulingv1beta1.PodGroup))
		}
	}
	return t
}

func (t *groupTree) composite(name string) *schedulingv1alpha3.CompositePodGroup {
	at := slices.IndexFunc(t.composites, func(c *schedulingv1alpha3.CompositePodGroup) bool { return c.Name == name })
	if at < 0 {
		return nil
	}
	return t.composites[at]
}

// below diagnoses what is in a CompositePodGroup, each CompositePodGroup before what is in it, and says how many groups are right in it and how
// many of these are complete. Groups that are in themselves are visited once.
func (t *groupTree) below(parent string, seen map[string]bool) (all []*PodGroup, groups, complete int, err error) {
	seen[parent] = true
	for _, c := range t.composites {
		if in := c.Spec.ParentCompositePodGroupName; in == nil || *in != parent || seen[c.Name] || len(seen) > maxWithin*maxWithin {
			continue
		}
		g, inside, err := t.diagnose(c.Name, seen)
		if err != nil {
			return nil, 0, 0, err
		}
		if groups++; g.isComplete() || g.Policy == "gang" && g.Complete >= g.MinGroupCount {
			complete++
		}
		all = append(append(all, g), inside...)
	}
	for _, group := range t.groups {
		if in := group.Spec.ParentCompositePodGroupName; in == nil || *in != parent {
			continue
		}
		g, err := PodGroupOf(t.engine, t.namespace, group.Name)
		if err != nil {
			return nil, 0, 0, err
		}
		if groups++; g.isComplete() {
			complete++
		}
		all = append(all, g)
	}
	return all, groups, complete, nil
}

// diagnose diagnoses a CompositePodGroup, and what is in it.
func (t *groupTree) diagnose(name string, seen map[string]bool) (g *PodGroup, inside []*PodGroup, err error) {
	g = &PodGroup{
		Kind: world.CompositePodGroup, Name: t.namespace + "/" + name, Counts: []GangCount{}, Causes: []PodGroupCause{}, Conditions: []PodGroupReported{},
	}
	c := t.composite(name)
	if g.Missing = c == nil; c != nil {
		g.describeComposite(t.engine, c)
	}
	if inside, g.Groups, g.Complete, err = t.below(name, seen); err != nil {
		return nil, nil, err
	}
	var wanted []wantedPods
	s := &gangSearch{engine: t.engine, visits: maxGroupVisits}
	for _, in := range inside {
		if in.Kind != world.PodGroup {
			continue
		}
		g.Pods, g.Placed = g.Pods+in.Pods, g.Placed+in.Placed
		of := newPodGroupSearch(t.engine, podGroupKeyOf(in))
		s.members = append(s.members, of.members...)
		if needed := in.needed(of); needed > 0 {
			wanted = append(wanted, wantedPods{of.missing, needed})
		}
	}
	// A domain of its own has to hold all; without one, each group has its own answer.
	if g.Domains = s.placedIn(g.Topology); len(g.Topology) > 0 && len(wanted) > 0 {
		g.Room, err = s.findRoom(g.Topology, wanted, g.Domains)
	}
	return g, inside, err
}

func podGroupKeyOf(g *PodGroup) gangs.Key {
	namespace, name, _ := strings.Cut(g.Name, "/")
	return gangs.PodGroupKey(namespace, name)
}

func (g *PodGroup) describeComposite(e *engine.Engine, c *schedulingv1alpha3.CompositePodGroup) {
	g.Policy = "basic"
	if gang := c.Spec.SchedulingPolicy.Gang; gang != nil {
		g.Policy, g.MinGroupCount = "gang", int(gang.MinGroupCount)
	}
	if c.Spec.SchedulingConstraints != nil {
		for _, constraint := range c.Spec.SchedulingConstraints.Topology {
			g.Topology = append(g.Topology, constraint.Key)
		}
	}
	g.Disruption = "single"
	if c.Spec.DisruptionMode != nil && c.Spec.DisruptionMode.All != nil {
		g.Disruption = "all"
	}
	g.report(c.Status.Conditions)
	workload := ""
	if c.Spec.WorkloadRef != nil {
		workload = c.Spec.WorkloadRef.WorkloadName
	}
	g.Within = within(e, c.Namespace, c.Spec.ParentCompositePodGroupName, workload)
}

// roots diagnoses the groups of a workload that are in no other group, and what is in them.
func (t *groupTree) roots(workload string) (all []*PodGroup, err error) {
	isRoot := func(parent *string, ref string) bool { return parent == nil && ref == workload }
	for _, c := range t.composites {
		if c.Spec.WorkloadRef == nil || !isRoot(c.Spec.ParentCompositePodGroupName, c.Spec.WorkloadRef.WorkloadName) {
			continue
		}
		g, inside, err := t.diagnose(c.Name, map[string]bool{})
		if err != nil {
			return nil, err
		}
		all = append(append(all, g), inside...)
	}
	for _, group := range t.groups {
		if group.Spec.WorkloadRef == nil || !isRoot(group.Spec.ParentCompositePodGroupName, group.Spec.WorkloadRef.WorkloadName) {
			continue
		}
		g, err := PodGroupOf(t.engine, t.namespace, group.Name)
		if err != nil {
			return nil, err
		}
		all = append(all, g)
	}
	return all, nil
}
