package gangs

import (
	"cmp"

	"k8s.io/apimachinery/pkg/types"

	"orrery/core/scheduler/codec"
)

// CodeState codes the groups, after the store was coded.
func (s *State) CodeState(c *codec.Coder) {
	codec.MapBy(c, &s.groups, compareKeys, func(key *Key, g **Group) {
		codec.Text(c, &key.Namespace)
		codec.Text(c, &key.Workload)
		codec.Text(c, &key.Group)
		codec.Text(c, &key.Replica)
		if c.Reading() {
			*g = newGroup(s.owner)
		}
		(*g).codeState(c, *key)
	})
}

// codeState codes a group's members by UID.
func (g *Group) codeState(c *codec.Coder, key Key) {
	c.Time(&g.deadline)
	codec.Map(c, &g.members, func(uid *types.UID, m *Member) {
		codec.Text(c, uid)
		codec.Object(c, &m.Pod)
		stage := uint8(m.Stage)
		codec.Enum(c, &stage, uint8(Assigned))
		_, idle := g.idle[*uid]
		_, held := g.held[*uid]
		c.Bool(&idle)
		c.Bool(&held)
		if c.Reading() && c.OK() {
			m.Stage = Stage(stage)
			g.read(c, key, *uid, *m, idle, held)
		}
	})
}

// read takes in a member that was read.
func (g *Group) read(c *codec.Coder, key Key, uid types.UID, m Member, idle, held bool) {
	c.Check(uid == m.Pod.UID && IsMember(m.Pod) && KeyOf(m.Pod) == key, "pod %q is not of the group %q", m.Pod.Name, key)
	c.Check((!idle || m.Stage == Unscheduled) && (!held || m.Stage == Assumed), "pod %q is idle or held at another stage", m.Pod.Name)
	g.counts[m.Stage]++
	if idle {
		g.idle[uid] = m.Pod
	}
	if held {
		g.held[uid] = m.Pod
	}
}

func compareKeys(a, b Key) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Workload, b.Workload),
		cmp.Compare(a.Group, b.Group), cmp.Compare(a.Replica, b.Replica))
}
