package gangs

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	schedulingv1alpha1 "k8s.io/api/scheduling/v1alpha1"
	"k8s.io/apimachinery/pkg/types"
)

// Timeout is how long the pods of a group wait for each other.
const Timeout = 5 * time.Minute

// Key names a pod group. Replica is empty if a workload has one of each group. As text it is without the namespace.
type Key struct {
	Namespace, Workload, Group, Replica string
}

// KeyOf returns the group that a reference in a pod of the namespace names.
func KeyOf(namespace string, ref *v1.WorkloadReference) Key {
	return Key{namespace, ref.Name, ref.PodGroup, ref.PodGroupReplicaKey}
}

func (k Key) String() string {
	return strings.TrimSuffix(k.Workload+"/"+k.Group+"/"+k.Replica, "/")
}

// PolicyOf returns the policy of a workload's group, nil if it has no such group.
func PolicyOf(workload *schedulingv1alpha1.Workload, group string) *schedulingv1alpha1.PodGroupPolicy {
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
	Unscheduled Stage = iota // it has no place
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
	counts   [Assigned + 1]int
	deadline time.Time
}

// token is an identity: each State has one, and may change the groups that have it.
type token struct{ _ byte }

func newGroup(owner *token) *Group { return &Group{owner: owner, members: map[types.UID]Member{}} }

// Len is how many pods the group has.
func (g *Group) Len() int { return len(g.members) }

// Count is how many of them are at a stage.
func (g *Group) Count(stage Stage) int { return g.counts[stage] }

// Deadline is until when the pods wait for each other; zero if none has waited yet.
func (g *Group) Deadline() time.Time { return g.deadline }

// At yields the members at a stage by name.
func (g *Group) At(stage Stage) iter.Seq[*v1.Pod] {
	return func(yield func(*v1.Pod) bool) {
		for _, m := range g.Members() {
			if m.Stage == stage && !yield(m.Pod) {
				return
			}
		}
	}
}

// Members returns the members by name.
func (g *Group) Members() []Member {
	return slices.SortedFunc(maps.Values(g.members), func(a, b Member) int {
		return cmp.Or(cmp.Compare(a.Pod.Name, b.Pod.Name), cmp.Compare(a.Pod.UID, b.Pod.UID))
	})
}

// set puts a pod at a stage.
func (g *Group) set(pod *v1.Pod, stage Stage) {
	g.remove(pod.UID)
	g.members[pod.UID] = Member{pod, stage}
	g.counts[stage]++
}

func (g *Group) remove(uid types.UID) {
	if m, is := g.members[uid]; is {
		delete(g.members, uid)
		g.counts[m.Stage]--
	}
}
