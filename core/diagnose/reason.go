package diagnose

import (
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"

	"orrery/core/engine"
)

// OfDecision returns the reason with the most nodes; a decision without rejections has only its message.
func OfDecision(d *engine.Decision) Reason {
	best := Reason{Message: d.Message}
	for _, r := range d.Rejections {
		if r.Nodes > best.Nodes {
			best = Reason{Plugin: r.Plugin, Message: r.Reason, Nodes: r.Nodes}
		}
	}
	return best
}

// OfCondition returns the message of a false PodScheduled condition; empty if there is none.
func OfCondition(pod *v1.Pod) string {
	for i := range pod.Status.Conditions {
		if c := &pod.Status.Conditions[i]; c.Type == v1.PodScheduled && c.Status == v1.ConditionFalse {
			return c.Message
		}
	}
	return ""
}

// MainClause returns the clause with the most nodes of a condition's message: "4 Insufficient cpu" in "0/5 nodes are
// available: 1 node(s) were unschedulable, 4 Insufficient cpu. preemption: …". It returns a message of another form
// whole.
func MainClause(message string) string {
	head, clauses, found := strings.Cut(message, " nodes are available: ")
	if !found || strings.ContainsAny(head, " \t") {
		return message
	}
	clauses, _, _ = strings.Cut(clauses, ". ")
	best, most := message, -1
	for clause := range strings.SplitSeq(strings.TrimSuffix(strings.TrimSpace(clauses), "."), ", ") {
		number, _, _ := strings.Cut(clause, " ")
		if n, err := strconv.Atoi(number); err == nil && n > most {
			best, most = clause, n
		}
	}
	return best
}
