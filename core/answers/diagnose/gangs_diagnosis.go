package diagnose

import (
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/objects/workloads"
	"orrery/core/safe/plural"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/gangs"
	"orrery/core/world"
)

// Gang is why the pods of a gang are not bound, or that they are, and what would let them go.
type Gang struct {
	// Name is namespace/workload/group, and /replica if the workload has several of the group.
	Name  string         `json:"name"`
	State gangs.Progress `json:"state"`
	// MinCount pods are bound together. Pods exist, and Placed of them have a place: they wait on Permit, are being bound, or are bound.
	MinCount int `json:"minCount"`
	Pods     int `json:"pods"`
	Placed   int `json:"placed"`
	// Members are some of each state, Counts how many there are; those that hold the gang back come first.
	Counts  []GangCount  `json:"counts"`
	Members []GangMember `json:"members"`
	// Attempts is the greatest number that one of the members had, Deadline until when those with a place wait; zero if none does.
	Attempts int       `json:"attempts"`
	Deadline time.Time `json:"deadline,omitzero"`
	// HeldBackBy is the member that holds the gang back, empty if it lacks pods or a workload; Why is the reason.
	HeldBackBy string `json:"heldBackBy,omitempty"`
	Why        string `json:"why,omitempty"`
	// Trial is that of its members without a place; nil if it lacks none.
	Trial *GangTrial `json:"trial,omitempty"`
	// Rivals are the gangs whose pods have places and wait, too: those in the way of this one, or this one in theirs. Together are
	// those of which no single one is in the way, but all together.
	Rivals   []GangRival `json:"rivals,omitempty"`
	Together []string    `json:"together,omitempty"`
	// Goes says whether the gang has its places in the end if nothing changes; nil where that was not tried.
	Goes *bool `json:"goes,omitempty"`
	// Candidates are changes that may let the gang go, untried, and NodeLike is a node of which more may.
	Candidates []Combination `json:"-"`
	NodeLike   string        `json:"-"`

	now time.Time
}

// Held reports whether the gang keeps pods from being bound. One that has too few pods, as some have ended or are yet to come, holds none
// back if each of those that exist is bound.
func (g *Gang) Held() bool {
	return g.State != gangs.Going && slices.ContainsFunc(g.Counts, func(c GangCount) bool {
		return c.State != string(engine.StateBound) && c.State != memberTerminating
	})
}

// Deadlock reports whether another gang holds what this one lacks, and the other way round.
func (g *Gang) Deadlock() bool {
	return slices.ContainsFunc(g.Rivals, func(r GangRival) bool { return r.Deadlock() })
}

// GangsOf returns the gangs of a workload: the replicas of its groups, and groups without pods.
func GangsOf(e *engine.Engine, namespace, workload string) []gangs.Key {
	var keys []gangs.Key
	for _, key := range e.Gangs().Keys() {
		if key.Namespace == namespace && key.Workload == workload {
			keys = append(keys, key)
		}
	}
	if w := workloadOf(e, gangs.Key{Namespace: namespace, Workload: workload}); w != nil {
		for i := range w.Spec.PodGroups {
			name := w.Spec.PodGroups[i].Name
			if !slices.ContainsFunc(keys, func(key gangs.Key) bool { return key.Group == name }) {
				keys = append(keys, gangs.Key{Namespace: namespace, Workload: workload, Group: name})
			}
		}
	}
	return keys
}

// GangOfPod diagnoses the gang of a pod; nil if it is of none.
func GangOfPod(e *engine.Engine, pod *v1.Pod) (*Gang, error) {
	if !workloads.IsMember(pod) {
		return nil, nil
	}
	return GangOf(e, gangs.KeyOf(pod))
}

// GangOf diagnoses a gang; nil if the group is none, or gangs are not scheduled. The engine is only read.
func GangOf(e *engine.Engine, key gangs.Key) (*Gang, error) {
	s := newGangSearch(e, key)
	if s == nil {
		return nil, nil
	}
	g := &Gang{
		Name: key.FullName(), State: s.progress, MinCount: s.least, Pods: len(s.members), Placed: s.placed(), now: e.Now(),
		Counts: []GangCount{}, Members: []GangMember{},
	}
	s.describeMembers(g)
	switch g.State {
	case gangs.Incomplete:
		g.Why = plural.Count(g.MinCount-g.Pods, "more pod") + " of its group to be created"
	case gangs.NoWorkload:
		g.Why = "workload " + key.Workload + " does not exist"
	case gangs.NoGroup:
		g.Why = "workload " + key.Workload + " has no group " + key.Group
	case gangs.Pending, gangs.Waiting:
		return g, s.explain(g)
	}
	return g, nil
}

// gangSearch looks for what holds a gang back. All of its trials have a common limit.
type gangSearch struct {
	engine   *engine.Engine
	key      gangs.Key
	progress gangs.Progress
	least    int // how many pods are bound together
	group    *gangs.Group
	members  []gangs.Member
	missing  []*v1.Pod // those without a place
	visits   int       // what its trials may still cost
	// candidates are what would help the first member that got no node, untried.
	candidates []Remedy
}

// maxGangVisits bounds the cost of one answer.
//
//orrery:limit answers; nodes that are filtered in trials of a gang; the trials end
const maxGangVisits = 200_000

// newGangSearch returns nil for a group that is no gang, and where that is not known.
func newGangSearch(e *engine.Engine, key gangs.Key) *gangSearch {
	if !e.Features().Enabled(config.GangScheduling) || e.Unread(world.Workload) {
		return nil
	}
	s := &gangSearch{engine: e, key: key, group: e.Gangs().Group(key), visits: maxGangVisits}
	if s.progress, s.least = gangs.ProgressOf(workloadOf(e, key), key.Group, s.group); s.progress == gangs.Ungrouped {
		return nil
	}
	if s.group != nil {
		s.members, s.missing = s.group.Members(), s.group.At(gangs.Unscheduled)
	}
	return s
}

func (s *gangSearch) placed() int { return len(s.members) - len(s.missing) }

// needed is how many more members have to get a place.
func (s *gangSearch) needed() int { return s.least - s.placed() }

// explain says which member holds the gang back, which other gangs are in its way, and what might let it go.
func (s *gangSearch) explain(g *Gang) error {
	if err := s.tryAlone(g); err != nil {
		return err
	}
	if !g.Trial.Fits && g.Trial.Untried == "" {
		if err := s.findRivals(g); err != nil {
			return err
		}
	}
	s.propose(g)
	return nil
}

// gangName is a gang's name with its namespace.
