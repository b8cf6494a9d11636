package collect

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/objects/workloads"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/gangs"
	"orrery/core/world"
	"orrery/views"
)

// gangIndex keeps pod groups in the order of their list. A refresh costs the groups of which pods have changed, or have moved in
// the queue, since the last one.
type gangIndex struct {
	changeFeed
	moves uint64 // up to where the queue's transitions were read

	order  objectOrder[*gang]
	counts [len(views.Gangs{}.Pods)]int
	// groupOf is the group of a pod, groupsOf are those of a workload.
	groupOf  map[types.NamespacedName]gangs.Key
	groupsOf map[types.NamespacedName]map[gangs.Key]struct{}
	// running are groups whose deadline is to come: when it is over, their state may be another one without any change.
	running map[gangs.Key]*gang
}

// follow refreshes the index if the cluster has, or had, any pod groups, or if a pane shows them. It reports whether it did. A model
// calls it once, so that it reads one part.
func (x *gangIndex) follow(e *engine.Engine, open views.PaneID) bool {
	if x.engine != e && e.Gangs().Len() == 0 && e.Store().Len(world.Workload) == 0 && e.Store().Len(world.PodGroup) == 0 && open != views.GangsPane {
		return false
	}
	x.refresh(e)
	return true
}

// refresh brings the index up to date with an engine.
func (x *gangIndex) refresh(e *engine.Engine) {
	if x.engine != e {
		*x = gangIndex{changeFeed: newChangeFeed(e, world.Pod, world.Workload, world.PodGroup, world.CompositePodGroup)}
	}
	changed, known := x.next()
	moved, knownMoves := x.moved()
	changed.add(world.Pod, moved...)
	if !known || !knownMoves {
		x.readAll()
		changed = nil
	}
	dirty := map[gangs.Key]struct{}{}
	for _, some := range [...]names{changed, x.part()} {
		x.podsChanged(some[world.Pod], dirty)
		x.workloadsChanged(some[world.Workload], dirty)
		x.podGroupsChanged(some, dirty)
	}
	for key, g := range x.running {
		if !g.deadline.After(e.Now()) {
			dirty[key] = struct{}{}
		}
	}
	if len(dirty) == 0 {
		return
	}
	x.order.begin(len(dirty))
	for _, replicas := range [...]bool{true, false} { // whether a group has replicas tells whether it has a row without them
		for key := range dirty {
			if (key.Replica != "") == replicas {
				x.read(key)
			}
		}
	}
	x.order.end()
	x.stamp++
}

// moved returns the pods that have moved in the queue, and whether all of them are known.
func (x *gangIndex) moved() (pods []types.NamespacedName, known bool) {
	last := x.moves
	known = last == 0
	if x.groupOf == nil { // everything is to be read
		for t := range x.engine.RecentTransitions() {
			x.moves = t.Seq
			break
		}
		return nil, true
	}
	for t := range x.engine.RecentTransitions() {
		if x.moves = max(x.moves, t.Seq); t.Seq <= last {
			known = true
			break
		}
		pods = append(pods, types.NamespacedName{Namespace: t.Namespace, Name: t.Name})
	}
	return pods, known || len(pods) == 0
}

// podsChanged marks the groups that pods are of, and those that they were of.
func (x *gangIndex) podsChanged(pods []types.NamespacedName, dirty map[gangs.Key]struct{}) {
	for _, name := range pods {
		was, had := x.groupOf[name]
		if had {
			x.mark(was, dirty)
		}
		pod := x.engine.Store().Pod(name.Namespace, name.Name)
		if pod != nil && gangs.IsMember(pod) {
			is := gangs.KeyOf(pod)
			x.mark(is, dirty)
			x.groupOf[name] = is
		} else if had {
			delete(x.groupOf, name)
		}
	}
}

// mark marks a group, and the row that stands for it if it has no pods.
func (x *gangIndex) mark(key gangs.Key, dirty map[gangs.Key]struct{}) {
	dirty[key] = struct{}{}
	key.Replica = ""
	dirty[key] = struct{}{} // the same one, if it is a PodGroup
}

// workloadsChanged marks all groups of workloads.
func (x *gangIndex) workloadsChanged(names []types.NamespacedName, dirty map[gangs.Key]struct{}) {
	for _, name := range names {
		for key := range x.groupsOf[name] {
			dirty[key] = struct{}{}
		}
		if workload := x.workload(name.Namespace, name.Name); workload != nil {
			x.eachGroup(workload, func(key gangs.Key) { dirty[key] = struct{}{} })
		}
	}
}

func (x *gangIndex) workload(namespace, name string) *workloads.Workload {
	workload, _ := x.engine.Store().Object(world.Workload, namespace, name).(*workloads.Workload)
	return workload
}

// eachGroup visits the groups of a workload by the keys that they have without pods.
func (x *gangIndex) eachGroup(workload *workloads.Workload, visit func(gangs.Key)) {
	for i := range workload.Spec.PodGroups {
		visit(gangs.Key{Namespace: workload.Namespace, Workload: workload.Name, Group: workload.Spec.PodGroups[i].Name})
	}
}

// readAll begins to read every group: its pods, and what workloads have without pods.
func (x *gangIndex) readAll() {
	*x = gangIndex{
		changeFeed: x.changeFeed, moves: x.moves, groupOf: map[types.NamespacedName]gangs.Key{},
		groupsOf: map[types.NamespacedName]map[gangs.Key]struct{}{}, running: map[gangs.Key]*gang{},
	}
	x.startOver(world.Workload, world.PodGroup)
	for _, key := range x.engine.Gangs().Keys() {
		for _, m := range x.engine.Gangs().Group(key).Members() {
			x.unread.add(world.Pod, nameOf(m.Pod))
		}
	}
}

// read takes in a group as it is now.
func (x *gangIndex) read(key gangs.Key) {
	name := nameOfGang(key)
	if was := x.order.byName[name]; was != nil {
		x.count(was, -1)
		delete(x.running, key)
	}
	of := types.NamespacedName{Namespace: key.Namespace, Name: key.Workload}
	g := x.gangOf(key)
	if g == nil {
		x.order.remove(name)
		if delete(x.groupsOf[of], key); len(x.groupsOf[of]) == 0 {
			delete(x.groupsOf, of)
		}
		return
	}
	if x.groupsOf[of] == nil {
		x.groupsOf[of] = map[gangs.Key]struct{}{}
	}
	x.groupsOf[of][key] = struct{}{}
	x.order.put(g)
	x.count(g, 1)
	if g.deadline.After(x.engine.Now()) {
		x.running[key] = g
	}
}

// count adds the pods of a gang to the sums, or takes them out.
func (x *gangIndex) count(g *gang, sign int) {
	if views.GangState(g.state) == views.GangBasic {
		return
	}
	for stage, n := range g.count {
		x.counts[stage] += sign * n
	}
}

// nameOfGang is the name of a group in the order. No API server takes a zero byte in a name.
func nameOfGang(key gangs.Key) types.NamespacedName {
	return types.NamespacedName{Namespace: key.Namespace, Name: key.Workload + "\x00" + key.Group + "\x00" + key.Replica}
}

// gangOf is the group of a pod as a filter finds it; empty for a pod of none.
func gangOf(pod *v1.Pod) string {
	if key := gangs.KeyOf(pod); key != (gangs.Key{}) {
		return scopeOfGang(key)
	}
	return ""
}
