package collect

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/safe/printable"
	"orrery/core/scheduler/gangs"
	"orrery/core/world"
	"orrery/views"
)

// podGroupsChanged marks the PodGroups that changed, and those below a CompositePodGroup if any of these did.
func (x *gangIndex) podGroupsChanged(changed names, dirty map[gangs.Key]struct{}) {
	for _, name := range changed[world.PodGroup] {
		dirty[gangs.PodGroupKey(name.Namespace, name.Name)] = struct{}{}
	}
	if len(changed[world.CompositePodGroup]) == 0 {
		return
	}
	for o := range x.engine.Store().Objects(world.PodGroup) {
		if group := o.(*schedulingv1beta1.PodGroup); group.Spec.ParentCompositePodGroupName != nil {
			dirty[gangs.PodGroupKey(group.Namespace, group.Name)] = struct{}{}
		}
	}
}

// podGroupOf reads a PodGroup; nil if it does not exist, and no pod names it.
func (x *gangIndex) podGroupOf(key gangs.Key) *gang {
	g := &gang{rank: rank{name: nameOfGang(key)}, key: key}
	g.object, _ = x.engine.Store().Object(world.PodGroup, key.Namespace, key.Group).(*schedulingv1beta1.PodGroup)
	group := x.engine.Gangs().Group(key)
	if group == nil && g.object == nil {
		return nil
	}
	gang := g.object != nil && g.object.Spec.SchedulingPolicy.Gang != nil
	if gang {
		g.least = int(g.object.Spec.SchedulingPolicy.Gang.MinCount)
	}
	if g.object != nil {
		g.created = g.object.CreationTimestamp.Time
	}
	if group != nil {
		g.readMembers(x, group)
	}
	if g.object != nil && g.object.Spec.Priority != nil {
		g.priority = *g.object.Spec.Priority
	}
	g.state = uint8(x.stateOfPodGroup(g, group, gang))
	g.setSince()
	return g
}

func (x *gangIndex) stateOfPodGroup(g *gang, group *gangs.Group, gang bool) views.GangState {
	switch {
	case g.object == nil:
		return views.GangWithoutWorkload
	case group == nil:
		return views.GangEmpty
	case !gang:
		return views.GangBasic
	}
	return x.progressOf(g, group)
}

// maxPath bounds how many CompositePodGroups are above a group: API servers allow four.
//
//orrery:limit screen; groups above a group that are shown; those further up are left out
const maxPath = 8

// pathOf names what a PodGroup is part of, the outermost first: its workload, and the CompositePodGroups above it.
func (x *gangIndex) pathOf(g *gang) string {
	if g.object == nil {
		return ""
	}
	var path []string
	ref := g.object.Spec.WorkloadRef
	for _, c := range x.above(g) {
		path = append(path, printable.Text(c.Name))
	}
	if ref != nil {
		path = append(path, printable.Text(ref.WorkloadName))
	}
	slices.Reverse(path)
	return strings.Join(path, " › ")
}

// above are the CompositePodGroups that a PodGroup is in, the innermost first.
func (x *gangIndex) above(g *gang) []*schedulingv1alpha3.CompositePodGroup {
	var all []*schedulingv1alpha3.CompositePodGroup
	for parent := g.object.Spec.ParentCompositePodGroupName; parent != nil && len(all) < maxPath; {
		c, is := x.engine.Store().Object(world.CompositePodGroup, g.key.Namespace, *parent).(*schedulingv1alpha3.CompositePodGroup)
		if !is || slices.Contains(all, c) {
			break
		}
		all, parent = append(all, c), c.Spec.ParentCompositePodGroupName
	}
	return all
}

// describePodGroup adds what a row tells of a PodGroup beyond its pods.
func (x *gangIndex) describePodGroup(g *gang, row *views.GangRow) {
	if g.object == nil {
		return
	}
	spec := &g.object.Spec
	for _, c := range x.above(g) {
		row.Above = append(row.Above, x.composite(c))
	}
	if spec.SchedulingConstraints != nil {
		for _, constraint := range spec.SchedulingConstraints.Topology {
			row.Topology = append(row.Topology, views.GroupTopology{Key: printable.Text(constraint.Key), Domains: x.domainsOf(g.key, constraint.Key)})
		}
	}
	row.Disruption = "single"
	if spec.DisruptionMode != nil && spec.DisruptionMode.All != nil {
		row.Disruption = "all"
	}
	for i := range spec.ResourceClaims {
		row.Claims = append(row.Claims, printable.Text(claimOfGroup(g.object, &spec.ResourceClaims[i])))
	}
	row.Conditions = groupConditionsOf(g.object.Status.Conditions)
}

// claimOfGroup names a claim of a group, and the ResourceClaim that stands for it.
func claimOfGroup(group *schedulingv1beta1.PodGroup, claim *schedulingv1beta1.PodGroupResourceClaim) string {
	if claim.ResourceClaimName != nil {
		return claim.Name + " = " + *claim.ResourceClaimName
	}
	for _, s := range group.Status.ResourceClaimStatuses {
		if s.Name == claim.Name && s.ResourceClaimName != nil {
			return claim.Name + " = " + *s.ResourceClaimName
		}
	}
	if claim.ResourceClaimTemplateName != nil {
		return claim.Name + ", not created yet of template " + *claim.ResourceClaimTemplateName
	}
	return claim.Name
}

// maxConditions bounds the conditions that are shown; schedulers write two.
//
//orrery:limit screen; conditions of a group that are shown; the others are left out
const maxConditions = 8

func groupConditionsOf(all []metav1.Condition) (shown []views.GroupCondition) {
	for i := range all[:min(len(all), maxConditions)] {
		c := &all[i]
		shown = append(shown, views.GroupCondition{
			Type: printable.Text(c.Type), Status: printable.Text(string(c.Status)), Reason: printable.Text(c.Reason), Message: printable.Text(c.Message),
			Since: c.LastTransitionTime.Time,
		})
	}
	return shown
}

// composite describes a CompositePodGroup by the groups right below it.
func (x *gangIndex) composite(c *schedulingv1alpha3.CompositePodGroup) views.GroupAbove {
	above := views.GroupAbove{Name: printable.Text(c.Name), Conditions: groupConditionsOf(c.Status.Conditions)}
	if c.Spec.SchedulingPolicy.Gang != nil {
		above.Least = int(c.Spec.SchedulingPolicy.Gang.MinGroupCount)
	}
	if c.Spec.SchedulingConstraints != nil {
		for _, constraint := range c.Spec.SchedulingConstraints.Topology {
			above.Topology = append(above.Topology, printable.Text(constraint.Key))
		}
	}
	return above
}

// domainsOf are the domains of a topology key that the placed pods of a group are in, those with the most pods first.
func (x *gangIndex) domainsOf(key gangs.Key, topology string) string {
	group := x.engine.Gangs().Group(key)
	if group == nil {
		return ""
	}
	in := map[string]int{}
	for _, pod := range group.At(gangs.Assigned) {
		if node, is := x.engine.Store().Object(world.Node, "", pod.Spec.NodeName).(*v1.Node); is {
			in[node.Labels[topology]]++
		}
	}
	byPods := slices.SortedFunc(maps.Keys(in), func(a, b string) int { return cmp.Or(cmp.Compare(in[b], in[a]), cmp.Compare(a, b)) })
	var texts []string
	for i, domain := range byPods {
		const shown = 3
		if i == shown {
			texts = append(texts, strconv.Itoa(len(byPods)-shown)+" more")
			break
		}
		name := printable.Text(domain)
		if domain == "" {
			name = "nodes without the label"
		}
		if len(byPods) > 1 {
			name += " (" + strconv.Itoa(in[domain]) + ")"
		}
		texts = append(texts, name)
	}
	return strings.Join(texts, ", ")
}
