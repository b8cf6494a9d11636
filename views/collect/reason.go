package collect

import (
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"
)

// conditionMessage is what the scheduler last told of a pod.
func conditionMessage(pod *v1.Pod) string {
	for i := range pod.Status.Conditions {
		if c := &pod.Status.Conditions[i]; c.Type == v1.PodScheduled && c.Status == v1.ConditionFalse {
			return c.Message
		}
	}
	return ""
}

// dominant is the reason given for most nodes in a message such as "0/5 nodes are available: 1 node(s) were
// unschedulable, 4 Insufficient cpu. preemption: …": 4 Insufficient cpu. A message of another shape is its own reason.
func dominant(message string) string {
	head, clauses, found := strings.Cut(message, " nodes are available: ")
	if !found || strings.ContainsAny(head, " \t") {
		return message
	}
	clauses, _, _ = strings.Cut(clauses, ". ")
	best, most := "", -1
	for _, clause := range strings.Split(strings.TrimSuffix(strings.TrimSpace(clauses), "."), ", ") {
		number, _, _ := strings.Cut(clause, " ")
		if n, err := strconv.Atoi(number); err == nil && n > most {
			best, most = clause, n
		}
	}
	if best == "" {
		return message
	}
	return best
}
