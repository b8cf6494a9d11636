package diagnose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/scheduling/corev1"

	"orrery/core/safe/plural"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/preempt"
)

// Preemption is what the dry run of a preemption found, for a pod without a feasible node.
type Preemption struct {
	// Ineligible says why the pod may not preempt; Terminating are earlier victims that it waits for.
	Ineligible  string   `json:"ineligible,omitempty"`
	Terminating []Victim `json:"terminating,omitempty"`
	// EvictingOn is the node where victims of the pod are being evicted, which do not terminate yet.
	EvictingOn string   `json:"evictingOn,omitempty"`
	Evicting   []Victim `json:"evicting,omitempty"`
	// Groups are the nodes of the dry run by outcome.
	Groups []PreemptionGroup `json:"groups,omitempty"`
	// NotTried counts the nodes outside the sample, Unresolvable those whose rejection no eviction changes.
	NotTried     int `json:"notTried,omitempty"`
	Unresolvable int `json:"unresolvable,omitempty"`
	// Node is where Victims would be evicted, By the criterion that chose it, Budgets those that this violates.
	Node    string            `json:"node,omitempty"`
	Victims []Victim          `json:"victims,omitempty"`
	By      preempt.Criterion `json:"by,omitempty"`
	Budgets []string          `json:"budgets,omitempty"`

	priority int32
}

// PreemptionGroup is the nodes with the same outcome of the dry run.
type PreemptionGroup struct {
	Outcome PreemptionOutcome `json:"outcome"`
	// Reason is the rejection that remains without the pods of lower priority, for StillRejected.
	Reason string   `json:"reason,omitempty"`
	Nodes  []string `json:"nodes"`
}

// PreemptionOutcome says whether evictions would make room on a node.
type PreemptionOutcome string

// The outcomes. NoLowerPriority is also that of nodes without pods.
const (
	HasVictims      PreemptionOutcome = "HasVictims"
	StillRejected   PreemptionOutcome = "StillRejected"
	NoLowerPriority PreemptionOutcome = "NoLowerPriority"
	NoPods          PreemptionOutcome = "NoPods"
)

// Victim is a pod that is, or would be, evicted.
type Victim struct {
	Pod      string `json:"pod"` // namespace/name
	Priority int32  `json:"priority"`
	// Ends is when its grace period ends; zero before it terminates.
	Ends time.Time `json:"ends,omitzero"`
}

// preemption returns what the preemption in an explanation found; nil if none was tried.
func (p *pendingPod) preemption(x *engine.Explanation) *Preemption {
	if x.Cycle == nil || x.Decision.Verdict == engine.Placed {
		return nil
	}
	f := preempt.FindingsIn(x.Cycle)
	if f == nil || f.Ineligible == "" && len(f.Nodes) == 0 && f.Unresolvable == 0 {
		return nil
	}
	e := &Preemption{
		Ineligible: f.Ineligible, Terminating: victims(f.Terminating), EvictingOn: f.EvictingOn, Evicting: victims(f.Evicting),
		NotTried: f.NotTried, Unresolvable: f.Unresolvable, priority: corev1.PodPriority(p.pod),
	}
	for i := range f.Nodes {
		e.add(&f.Nodes[i])
	}
	if r := x.Decision.Preemption; r != nil {
		e.Node, e.Victims, e.By = r.Node, victims(r.Victims), r.By
		i := slices.IndexFunc(f.Nodes, func(n preempt.NodeFinding) bool { return n.Node == r.Node })
		e.Budgets = f.Nodes[i].Budgets
	}
	return e
}

func victims(pods []*v1.Pod) []Victim {
	var list []Victim
	for _, pod := range pods {
		v := Victim{Pod: fullName(pod), Priority: corev1.PodPriority(pod)}
		if pod.DeletionTimestamp != nil {
			v.Ends = pod.DeletionTimestamp.UTC()
		}
		list = append(list, v)
	}
	return list
}

// add puts a node into the group of its outcome.
func (e *Preemption) add(n *preempt.NodeFinding) {
	g := PreemptionGroup{Outcome: HasVictims}
	switch {
	case len(n.Victims) > 0:
	case n.Lower > 0:
		g.Outcome, g.Reason = StillRejected, strings.Join(n.Reasons, ", ")
	case n.Pods > 0:
		g.Outcome = NoLowerPriority
	default:
		g.Outcome = NoPods
	}
	i := slices.IndexFunc(e.Groups, func(other PreemptionGroup) bool { return other.Outcome == g.Outcome && other.Reason == g.Reason })
	if i < 0 {
		i = len(e.Groups)
		e.Groups = append(e.Groups, g)
	}
	e.Groups[i].Nodes = append(e.Groups[i].Nodes, n.Node)
}

// Facts are plain sentences, the most telling first.
func (e *Preemption) Facts() []string {
	switch {
	case len(e.Evicting) > 0:
		return []string{"is evicting " + victimText(e.Evicting) + " on " + e.EvictingOn}
	case len(e.Terminating) > 0:
		return []string{"evicts no more pods before its victims have terminated: " + victimText(e.Terminating)}
	case e.Ineligible != "":
		return []string{"evicts no pod: its preemptionPolicy is Never"}
	}
	var facts []string
	if e.Node != "" {
		text := "would evict " + victimText(e.Victims) + " on " + e.Node + ": " + string(e.By)
		if len(e.Budgets) > 0 {
			text += "; violates the budget " + listed(e.Budgets)
		}
		facts = append(facts, text)
	}
	for _, g := range e.sortedGroups() {
		if text := e.groupText(&g); text != "" {
			facts = append(facts, text)
		}
	}
	if e.Unresolvable > 0 {
		facts = append(facts, "preemption would not help on "+plural.Count(e.Unresolvable, "node"))
	}
	if e.NotTried > 0 {
		facts = append(facts, plural.Count(e.NotTried, "more node")+" not tried: there were candidates enough")
	}
	return facts
}

// sortedGroups has the groups of the most nodes first, and nodes by name: the dry run starts at a random one.
func (e *Preemption) sortedGroups() []PreemptionGroup {
	groups := slices.Clone(e.Groups)
	for i := range groups {
		groups[i].Nodes = slices.Sorted(slices.Values(groups[i].Nodes))
	}
	slices.SortFunc(groups, func(a, b PreemptionGroup) int {
		return cmp.Or(cmp.Compare(len(b.Nodes), len(a.Nodes)), cmp.Compare(a.Outcome, b.Outcome), cmp.Compare(a.Reason, b.Reason))
	})
	return groups
}

func (e *Preemption) groupText(g *PreemptionGroup) string {
	names := listed(g.Nodes)
	switch g.Outcome {
	case HasVictims:
		others := slices.DeleteFunc(slices.Clone(g.Nodes), func(name string) bool { return name == e.Node })
		if len(others) == 0 {
			return ""
		}
		return "other nodes with victims: " + listed(others)
	case StillRejected:
		return fmt.Sprintf("would not fit even if all lower-priority pods were evicted: %s on %s", g.Reason, names)
	case NoLowerPriority:
		return fmt.Sprintf("no lower-priority pods (its priority is %d) on %s", e.priority, names)
	}
	return "no pod at all on " + names
}

// victimText names the pods with their priority.
func victimText(list []Victim) string {
	names := make([]string, len(list))
	for i, v := range list {
		terminating := ""
		if !v.Ends.IsZero() {
			terminating = ", terminating until " + v.Ends.Format(time.RFC3339)
		}
		names[i] = fmt.Sprintf("%s (priority %d%s)", v.Pod, v.Priority, terminating)
	}
	return listed(names)
}
