package diagnose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/scheduling/corev1"

	"orrery/core/answers/answer"
	"orrery/core/safe/plural"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/preempt"
)

// preemption returns what the preemption in an explanation found; nil if none was tried.
func (p *pendingPod) preemption(x *engine.Explanation) *answer.PreemptionEvidence {
	if x.Cycle == nil || x.Decision.Verdict == engine.Placed {
		return nil
	}
	f := preempt.FindingsIn(x.Cycle)
	if f == nil || f.Ineligible == "" && len(f.Nodes) == 0 && f.Unresolvable == 0 {
		return nil
	}
	e := &answer.PreemptionEvidence{
		Ineligible: f.Ineligible, Terminating: victims(f.Terminating), EvictingOn: f.EvictingOn, Evicting: victims(f.Evicting),
		NotTried: f.NotTried, Unresolvable: f.Unresolvable, Priority: corev1.PodPriority(p.pod),
	}
	for i := range f.Nodes {
		addOutcome(e, &f.Nodes[i])
	}
	if r := x.Decision.Preemption; r != nil {
		e.Node, e.Victims, e.By = r.Node, victims(r.Victims), string(r.By)
		i := slices.IndexFunc(f.Nodes, func(n preempt.NodeFinding) bool { return n.Node == r.Node })
		e.Budgets = f.Nodes[i].Budgets
	}
	return e
}

func victims(pods []*v1.Pod) []answer.Victim {
	var list []answer.Victim
	for _, pod := range pods {
		v := answer.Victim{Pod: fullName(pod), Priority: corev1.PodPriority(pod)}
		if pod.DeletionTimestamp != nil {
			v.Ends = pod.DeletionTimestamp.UTC()
		}
		list = append(list, v)
	}
	return list
}

// addOutcome puts a node into the group of its outcome.
func addOutcome(e *answer.PreemptionEvidence, n *preempt.NodeFinding) {
	g := answer.PreemptionGroup{Outcome: answer.HasVictims}
	switch {
	case len(n.Victims) > 0:
	case n.Lower > 0:
		g.Outcome, g.Reason = answer.StillRejected, strings.Join(n.Reasons, ", ")
	case n.Pods > 0:
		g.Outcome = answer.NoLowerPriority
	default:
		g.Outcome = answer.NoPods
	}
	i := slices.IndexFunc(e.Groups, func(other answer.PreemptionGroup) bool { return other.Outcome == g.Outcome && other.Reason == g.Reason })
	if i < 0 {
		i = len(e.Groups)
		e.Groups = append(e.Groups, g)
	}
	e.Groups[i].Nodes = append(e.Groups[i].Nodes, n.Node)
}

// preemptionFacts are plain sentences, the most telling first.
func preemptionFacts(e *answer.PreemptionEvidence) []string {
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
		text := "would evict " + victimText(e.Victims) + " on " + e.Node + ": " + e.By
		if len(e.Budgets) > 0 {
			text += "; violates the budget " + listed(e.Budgets)
		}
		facts = append(facts, text)
	}
	for _, g := range sortedGroups(e) {
		if text := groupText(e, &g); text != "" {
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
func sortedGroups(e *answer.PreemptionEvidence) []answer.PreemptionGroup {
	groups := slices.Clone(e.Groups)
	for i := range groups {
		groups[i].Nodes = slices.Sorted(slices.Values(groups[i].Nodes))
	}
	slices.SortFunc(groups, func(a, b answer.PreemptionGroup) int {
		return cmp.Or(cmp.Compare(len(b.Nodes), len(a.Nodes)), cmp.Compare(a.Outcome, b.Outcome), cmp.Compare(a.Reason, b.Reason))
	})
	return groups
}

func groupText(e *answer.PreemptionEvidence, g *answer.PreemptionGroup) string {
	names := listed(g.Nodes)
	switch g.Outcome {
	case answer.HasVictims:
		others := slices.DeleteFunc(slices.Clone(g.Nodes), func(name string) bool { return name == e.Node })
		if len(others) == 0 {
			return ""
		}
		return "other nodes with victims: " + listed(others)
	case answer.StillRejected:
		return fmt.Sprintf("would not fit even if all lower-priority pods were evicted: %s on %s", g.Reason, names)
	case answer.NoLowerPriority:
		return fmt.Sprintf("no lower-priority pods (its priority is %d) on %s", e.Priority, names)
	}
	return "no pod at all on " + names
}

// victimText names the pods with their priority.
func victimText(list []answer.Victim) string {
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
