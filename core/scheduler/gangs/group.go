package gangs

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/objects/workloads"
)

// Timeout is how long the pods of a group wait for each other.
const Timeout = 5 * time.Minute

// Key names a pod group. Of 1.35 it is a group of a workload, and Replica is empty if the workload has one of each group. Since 1.36 a group is an
// object, a PodGroup, of which Group is the name, and Workload is empty. As text a key is without the namespace.
type Key struct {
	Namespace, Workload, Group, Replica string
}

// KeyOf returns the group that a pod is a member of; the zero Key if it is of none. It is the one place that knows which field of a pod says
// so: spec.workloadRef in 1.35, spec.schedulingGroup since 1.36. No API server serves both.
func KeyOf(pod *v1.Pod) (key Key) {
	if ref, is := workloads.RefOf(pod); is {
		return Key{pod.Namespace, ref.Name, ref.PodGroup, ref.PodGroupReplicaKey}
	}
	if group := pod.Spec.SchedulingGroup; group != nil && group.PodGroupName != nil && *group.PodGroupName != "" {
		return PodGroupKey(pod.Namespace, *group.PodGroupName)
	}
	return key
}

// IsMember reports whether a pod is of a group, of any release.
func IsMember(pod *v1.Pod) bool { return KeyOf(pod) != Key{} }

// PodGroupKey names the PodGroup of a name.
func PodGroupKey(namespace, name string) Key { return Key{Namespace: namespace, Group: name} }

// IsPodGroup reports whether the group is a PodGroup, an object of its own since 1.36, and not part of a workload of 1.35.
func (k Key) IsPodGroup() bool { return k.Workload == "" && k.Replica == "" && k.Group != "" }

// FullName is NAMESPACE/WORKLOAD/GROUP, with the replica if the group has several.
func (k Key) FullName() string { return k.Namespace + "/" + k.String() }

func (k Key) String() string {
	if k.IsPodGroup() {
		return k.Group
	}
	return strings.TrimSuffix(k.Workload+"/"+k.Group+"/"+k.Replica, "/")
}

// PolicyOf returns the policy of a workload's group, nil if it has no such group.
func PolicyOf(workload *workloads.Workload, group string) *workloads.Policy {
	for i := range workload.Spec.PodGroups {
		if workload.Spec.PodGroups[i].Name == group {
			return &workload.Spec.PodGroups[i].Policy
		}
	}
	return nil
}

// Stage is how far a member of a group is.
type Stage int

// The stages of a member.
const (
	Unscheduled Stage = iota // it has no node
	Assumed                  // it has a place, and is not bound
	Assigned                 // the cluster says that it has a node
)

// Member is a pod of a group.
type Member struct {
	Pod   *v1.Pod
	Stage Stage
}

// Group is a pod group as it is now.
type Group struct {
	owner    *token
	members  map[types.UID]Member
	idle     map[types.UID]*v1.Pod // unscheduled, and not known to be in activeQ
	held     map[types.UID]*v1.Pod // assumed, and not allowed to be bound
	counts   [Assigned + 1]int
	deadline time.Time
}

// token is an identity: each State has one, and may change the groups that have it.
type token struct{ _ byte }

func newGroup(owner *token) *Group {
	return &Group{owner: owner, members: map[types.UID]Member{}, idle: map[types.UID]*v1.Pod{}, held: map[types.UID]*v1.Pod{}}
}

// copyFor returns a copy for another owner.
func (g *Group) copyFor(owner *token) *Group {
	twin := *g
	twin.owner, twin.members, twin.idle, twin.held = owner, maps.Clone(g.members), maps.Clone(g.idle), maps.Clone(g.held)
	return &twin
}

// Len is how many pods the group has.
func (g *Group) Len() int { return len(g.members) }

// Count is how many of them are at a stage.
func (g *Group) Count(stage Stage) int { return g.counts[stage] }

// Deadline is until when the pods wait for each other; zero if none has waited yet.
func (g *Group) Deadline() time.Time { return g.deadline }

// At returns the members at a stage by name.
func (g *Group) At(stage Stage) []*v1.Pod {
	var pods []*v1.Pod
	for _, m := range g.members {
		if m.Stage == stage {
			pods = append(pods, m.Pod)
		}
	}
	slices.SortFunc(pods, byName)
	return pods
}

// Idle returns by name the members that have no node and are not in activeQ.
func (g *Group) Idle() []*v1.Pod { return slices.SortedFunc(maps.Values(g.idle), byName) }

// Held returns by name the members that have a place since the last time that all were allowed to be bound.
func (g *Group) Held() []*v1.Pod { return slices.SortedFunc(maps.Values(g.held), byName) }

// Members returns the members by name.
func (g *Group) Members() []Member {
	return slices.SortedFunc(maps.Values(g.members), func(a, b Member) int { return byName(a.Pod, b.Pod) })
}

func byName(a, b *v1.Pod) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.UID, b.UID)) }

// set puts a pod at a stage. One that is new or has lost its place is idle, and one that gets a place is held.
func (g *Group) set(pod *v1.Pod, stage Stage) {
	was, known := g.members[pod.UID]
	_, idle := g.idle[pod.UID]
	_, held := g.held[pod.UID]
	g.remove(pod.UID)
	g.members[pod.UID] = Member{pod, stage}
	g.counts[stage]++
	changed := !known || was.Stage != stage
	if stage == Unscheduled && (idle || changed) {
		g.idle[pod.UID] = pod
	}
	if stage == Assumed && (held || changed) {
		g.held[pod.UID] = pod
	}
}

func (g *Group) remove(uid types.UID) {
	if m, is := g.members[uid]; is {
		delete(g.members, uid)
		delete(g.idle, uid)
		delete(g.held, uid)
		g.counts[m.Stage]--
	}
}
