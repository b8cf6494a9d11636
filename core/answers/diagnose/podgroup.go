package diagnose

import (
	"cmp"
	"slices"

	v1 "k8s.io/api/core/v1"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/gangs"
	"orrery/core/world"
)

// PodGroup is how far a group of pods of Kubernetes 1.37 is, which of its pods have no node and why, and where these would fit together. It is
// about a PodGroup, or about a CompositePodGroup and the groups in it.
type PodGroup struct {
	Kind world.Kind `json:"kind"`
	// Name is namespace/name, Within what it is part of, the outermost first: its workload, and CompositePodGroups.
	Name   string   `json:"name"`
	Within []string `json:"within,omitempty"`
	// Missing says that pods or groups name it, and it does not exist.
	Missing bool `json:"missing,omitempty"`
	// Policy is "gang" or "basic": at least MinCount pods, or MinGroupCount groups, are placed together, or each for itself.
	Policy        string `json:"policy,omitempty"`
	MinCount      int    `json:"minCount,omitempty"`
	MinGroupCount int    `json:"minGroupCount,omitempty"`
	// Pods are those that exist, and Placed of them have a place: they are bound, or being bound. Of a CompositePodGroup, Groups are right in it, and Complete of them have as
	// many places as they need.
	Pods     int `json:"pods"`
	Placed   int `json:"placed"`
	Groups   int `json:"groups,omitempty"`
	Complete int `json:"completeGroups,omitempty"`
	// Topology are the keys of which all pods have to be in one domain. Domains are those of the first key in which the pods with a place are: more
	// than one cannot be right. Disruption is "single" or "all".
	Topology   []string           `json:"topology,omitempty"`
	Domains    []string           `json:"domains,omitempty"`
	Disruption string             `json:"disruptionMode,omitempty"`
	Conditions []PodGroupReported `json:"conditions"`
	// Counts is how many pods are in each state, Causes are why those without a node have none, the most frequent first.
	Counts []GangCount     `json:"counts"`
	Causes []PodGroupCause `json:"causes"`
	// Room is where the pods that are needed would fit together; nil if none is needed, or can be tried.
	Room *PodGroupRoom `json:"room,omitempty"`
}

// PodGroupReported is a condition of a group, as a scheduler wrote it.
type PodGroupReported struct {
	Type    string `json:"type"`
	Status  string `json:"status"`
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
}

// PodGroupCause is why pods have no node, each tried for itself.
type PodGroupCause struct {
	Message string `json:"message"`
	Pods    int    `json:"pods"`
	// Names are some of them.
	Names []string `json:"names"`
}

// PodGroupOf diagnoses a PodGroup; nil if it does not exist, and no pod names it. The engine is only read.
func PodGroupOf(e *engine.Engine, namespace, name string) (*PodGroup, error) {
	key := gangs.PodGroupKey(namespace, name)
	object, _ := e.Store().Object(world.PodGroup, namespace, name).(*schedulingv1beta1.PodGroup)
	pods := e.Gangs().Group(key)
	if object == nil && pods == nil {
		return nil, nil
	}
	g := &PodGroup{
		Kind: world.PodGroup, Name: key.FullName(), Missing: object == nil, Counts: []GangCount{}, Causes: []PodGroupCause{}, Conditions: []PodGroupReported{},
	}
	if object != nil {
		g.describe(e, object)
	}
	s := newPodGroupSearch(e, key)
	g.Pods, g.Placed, g.Domains = len(s.members), s.placed(), s.placedIn(g.Topology)
	if err := g.explainMembers(s); err != nil || len(s.missing) == 0 || g.Missing {
		return g, err
	}
	room, err := s.findRoom(g.Topology, []wantedPods{{s.missing, g.needed(s)}}, g.Domains)
	g.Room = room
	return g, err
}

// newPodGroupSearch looks into a PodGroup as into a gang.
func newPodGroupSearch(e *engine.Engine, key gangs.Key) *gangSearch {
	s := &gangSearch{engine: e, key: key, group: e.Gangs().Group(key), visits: maxGroupVisits}
	if s.group == nil {
		return s
	}
	s.members = s.group.Members()
	for _, m := range s.members {
		switch e.PodState(m.Pod.Namespace, m.Pod.Name) {
		case engine.StateBound, engine.StateBinding, engine.StateWaiting:
		default:
			s.missing = append(s.missing, m.Pod)
		}
	}
	// The order in which a scheduler takes them, as far as it is known.
	slices.SortStableFunc(s.missing, func(a, b *v1.Pod) int {
		return cmp.Or(cmp.Compare(priorityOf(b), priorityOf(a)), a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name))
	})
	return s
}

func priorityOf(pod *v1.Pod) int32 {
	if pod.Spec.Priority == nil {
		return 0
	}
	return *pod.Spec.Priority
}

// needed is how many of the pods without a node have to get one: those that a gang lacks, or all of a group whose pods are placed each for itself.
func (g *PodGroup) needed(s *gangSearch) int {
	if g.Policy == "gang" {
		return max(g.MinCount-g.Placed, 0)
	}
	return len(s.missing)
}

// isComplete reports whether as many pods as the group needs have a place.
func (g *PodGroup) isComplete() bool {
	if g.Policy == "gang" {
		return g.Placed >= g.MinCount
	}
	return !g.Missing && g.Placed == g.Pods
}

func (g *PodGroup) describe(e *engine.Engine, object *schedulingv1beta1.PodGroup) {
	spec := &object.Spec
	g.Policy = "basic"
	if gang := spec.SchedulingPolicy.Gang; gang != nil {
		g.Policy, g.MinCount = "gang", int(gang.MinCount)
	}
	if spec.SchedulingConstraints != nil {
		for _, c := range spec.SchedulingConstraints.Topology {
			g.Topology = append(g.Topology, c.Key)
		}
	}
	g.Disruption = "single"
	if spec.DisruptionMode != nil && spec.DisruptionMode.All != nil {
		g.Disruption = "all"
	}
	g.report(object.Status.Conditions)
	workload := ""
	if spec.WorkloadRef != nil {
		workload = spec.WorkloadRef.WorkloadName
	}
	g.Within = within(e, object.Namespace, spec.ParentCompositePodGroupName, workload)
}

// report takes in the conditions of a group.
func (g *PodGroup) report(all []metav1.Condition) {
	for i := range all[:min(len(all), maxReported)] {
		c := &all[i]
		g.Conditions = append(g.Conditions, PodGroupReported{c.Type, string(c.Status), c.Reason, c.Message})
	}
}

const (
	// maxReported bounds the conditions of a group in an answer; schedulers write two.
	//
	//orrery:limit answers; conditions of a group in an answer; the others are left out
	maxReported = 8
	// maxWithin bounds how many CompositePodGroups a group is in: API servers allow four.
	//
	//orrery:limit answers; groups above a group in an answer; those further up are left out
	maxWithin = 8
)

// within names what a group is part of, the outermost first.
func within(e *engine.Engine, namespace string, parent *string, workload string) []string {
	var path []string
	for parent != nil && len(path) < maxWithin && !slices.Contains(path, "compositepodgroup/"+*parent) {
		path = append(path, "compositepodgroup/"+*parent)
		c, is := e.Store().Object(world.CompositePodGroup, namespace, *parent).(*schedulingv1alpha3.CompositePodGroup)
		if !is {
			break
		}
		parent = c.Spec.ParentCompositePodGroupName
	}
	if workload != "" {
		path = append(path, "workload/"+workload)
	}
	slices.Reverse(path)
	return path
}

// maxMemberCauses bounds the members of a group that are explained; others like them have the same cause.
//
//orrery:limit answers; members of a group that are explained each for itself; the others are counted as not tried
const maxMemberCauses = 16

// explainMembers counts the members by state, and says of those without a node why they have none.
func (g *PodGroup) explainMembers(s *gangSearch) error {
	counted := &Gang{}
	s.describeMembers(counted)
	g.Counts = append(g.Counts, counted.Counts...)
	var tried []*v1.Pod
	var causes []string // of tried
	for _, pod := range s.missing {
		at := slices.IndexFunc(tried, func(other *v1.Pod) bool { return alike(pod, other) && s.stateOf(pod) == s.stateOf(other) })
		cause := "not tried: too many of the group differ"
		switch {
		case at >= 0:
			cause = causes[at]
		case len(tried) < maxMemberCauses:
			var err error
			if cause, err = s.causeOf(pod); err != nil {
				return err
			}
			tried, causes = append(tried, pod), append(causes, cause)
		}
		g.addCause(cause, pod.Name)
	}
	slices.SortStableFunc(g.Causes, func(a, b PodGroupCause) int { return cmp.Compare(b.Pods, a.Pods) })
	return nil
}

func (g *PodGroup) addCause(message, pod string) {
	at := slices.IndexFunc(g.Causes, func(c PodGroupCause) bool { return c.Message == message })
	if at < 0 {
		at = len(g.Causes)
		g.Causes = append(g.Causes, PodGroupCause{Message: message})
	}
	c := &g.Causes[at]
	if c.Pods++; c.Pods <= maxGangMembers {
		c.Names = append(c.Names, pod)
	}
}

// causeOf says why a member has no node, as if it were of no group.
func (s *gangSearch) causeOf(pod *v1.Pod) (string, error) {
	if held := s.untriable(pod); held != "" {
		return held, nil
	}
	d, _, err := explain(s.engine, world.PodRefOf(pod))
	if err != nil {
		return "", err
	}
	if d.Decision.Verdict == engine.Placed {
		return "fits for itself, and is " + memberWords[s.stateOf(pod)], nil
	}
	return cmp.Or(d.Waiting, d.Summary), nil
}
