package views

import (
	"time"

	"orrery/themes"
)

// Gangs are the pod groups of the cluster.
type Gangs struct {
	// Reading means that not everything was read: the next model has more.
	Reading bool
	// GateOff means that the feature gate GangScheduling is off: pods of a group are placed one by one. PodGroups means that there are groups
	// of 1.37, whose pods are placed one by one here in any case.
	GateOff, PodGroups bool
	// Count counts the groups by state, Pods the pods of gangs by how far they are.
	Count [gangStates]int
	Pods  [gangStages]int
	List  List[GangRow]
}

// all is how many groups there are.
func (g *Gangs) all() int {
	all := 0
	for _, n := range g.Count {
		all += n
	}
	return all
}

// waiting is how many gangs are not bound yet.
func (g *Gangs) waiting() int {
	waiting := 0
	for _, n := range g.Count[:GangPlaced] {
		waiting += n
	}
	return waiting
}

// GangState is how far a gang is.
type GangState uint8

// The states, the worst first. A gang that timed out has given its places back after the deadline, and got none since. One
// without a workload names one, or a group of one, or a PodGroup, that does not exist. A gang on permit has fewer places than its minimum, and
// holds them until the deadline; an unschedulable one has none. An incomplete gang has fewer pods than its minimum, a gated one has
// enough, some of them gated. The minimum of a placed one is being bound, of a partly bound one it has a place, and more pods wait.
// A basic group is no gang, and an empty one has no pods.
const (
	GangTimedOut GangState = iota
	GangWithoutWorkload
	GangOnPermit
	GangUnschedulable
	GangIncomplete
	GangGated
	GangQueued
	GangPlaced
	GangPartlyBound
	GangBound
	GangBasic
	GangEmpty

	gangStates
)

var gangStyles = [gangStates]glyphStyle{
	GangTimedOut:        {'☠', "timed out", "timeout", themes.Bad},
	GangWithoutWorkload: {'⊗', "no workload", "no wkld", themes.Bad},
	GangOnPermit:        {'◔', "on permit", "permit", themes.Backoff},
	GangUnschedulable:   {'✗', "unschedulable", "unsched", themes.Bad},
	GangIncomplete:      {'◑', "incomplete", "incompl", themes.Warn},
	GangGated:           {'◌', "gated", "gated", themes.Gated},
	GangQueued:          {'●', "queued", "queued", themes.Active},
	GangPlaced:          {'➤', "placed", "placed", themes.InFlight},
	GangPartlyBound:     {'◕', "partly bound", "partly", themes.Nominated},
	GangBound:           {'✓', "bound", "bound", themes.Good},
	GangBasic:           {'·', "no gang", "no gang", themes.Dim},
	GangEmpty:           {'○', "no pods", "no pods", themes.Dim},
}

func (s GangState) style() *glyphStyle { return &gangStyles[s] }

// Word returns the state's name.
func (s GangState) Word() string { return gangStyles[s].word }

// GangStage is how far a pod of a gang is.
type GangStage uint8

// The stages, in the order of a gang's bar. A placed pod is being bound, and one on permit waits for the others. A rejected one was
// tried and has no node, a queued one is to be tried. A missing one does not exist: the minimum is larger than the group by that many.
const (
	GangPodBound GangStage = iota
	GangPodPlaced
	GangPodOnPermit
	GangPodQueued
	GangPodGated
	GangPodMissing
	GangPodRejected

	gangStages
)

// gangStageStyles have as glyphs the fills of a gang's bar: the higher, the further a pod is.
var gangStageStyles = [gangStages]glyphStyle{
	GangPodBound:    {'▇', "bound", "bound", themes.Good},
	GangPodPlaced:   {'▅', "placed", "placed", themes.InFlight},
	GangPodOnPermit: {'▃', "on permit", "permit", themes.Backoff},
	GangPodQueued:   {'▁', "queued", "queued", themes.Active},
	GangPodGated:    {'∘', "gated", "gated", themes.Gated},
	GangPodMissing:  {'·', "missing", "missing", themes.Dim},
	GangPodRejected: {'▒', "unschedulable", "unsched", themes.Bad},
}

// Word returns the stage's name.
func (s GangStage) Word() string { return gangStageStyles[s].word }

// GangRow is one pod group.
type GangRow struct {
	// Name is the group's, with its workload and namespace; Scope finds its pods as a filter, and WorkloadKey is its workload's name; of a
	// PodGroup it is "PodGroup" and the name.
	Name, Key, Scope, WorkloadKey string
	State                         GangState
	// Count counts the pods by stage; Least is the minimum that is bound together.
	Count [gangStages]int
	Least int
	// Deadline is until when the pods on permit wait, Timeout how long that was at first; zero if none has waited.
	Deadline time.Time
	Timeout  time.Duration
	// Priority is the highest of its pods, Created when the first of them was created, or the workload.
	Priority int32
	Created  time.Time
	// Note describes what it waits for, Reason in the scheduler's words why the pod that keeps it back has no node.
	Note, Reason string
	// Pod is the pod that keeps it back, or the first.
	Pod, PodKey string
	Labels      map[string]string

	// What follows is of PodGroups, the groups of 1.37, alone.
	WithPodGroup bool
	// Path names what the group is part of, the outermost first: its workload, and CompositePodGroups, which Above has from the innermost on.
	Path  string
	Above []GroupAbove
	// Topology are its constraints. Disruption is "single" or "all": whether its pods are preempted one by one, or together.
	Topology   []GroupTopology
	Disruption string
	// Claims are the claims that its pods share.
	Claims     []string
	Conditions []GroupCondition
}

// GroupAbove is a CompositePodGroup that a group is in.
type GroupAbove struct {
	Name string
	// Least is how many of its groups are placed together; zero if each is for itself.
	Least      int
	Topology   []string
	Conditions []GroupCondition
}

// GroupTopology is a constraint: all pods have to be in one domain of the key. Domains are those in which placed pods are, with how many there are
// in each if it is more than one.
type GroupTopology struct{ Key, Domains string }

// GroupCondition is what a scheduler reports on a group.
type GroupCondition struct {
	Type, Status, Reason, Message string
	Since                         time.Time
}

// pods is how many pods exist.
func (g *GangRow) pods() int {
	n := 0
	for stage, count := range g.Count {
		if GangStage(stage) != GangPodMissing {
			n += count
		}
	}
	return n
}

// Placed is how many pods have a place.
func (g *GangRow) Placed() int {
	return g.Count[GangPodBound] + g.Count[GangPodPlaced] + g.Count[GangPodOnPermit]
}
