package diagnose

import (
	"slices"
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"

	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/plugins/nodevolumelimits"
	"orrery/core/scheduler/plugins/volumebinding"
	"orrery/core/scheduler/plugins/volumerestrictions"
	"orrery/core/scheduler/plugins/volumezone"
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
	best, most := message, -1
	for _, clause := range clauses(message) {
		number, _, _ := strings.Cut(clause, " ")
		if n, err := strconv.Atoi(number); err == nil && n > most {
			best, most = clause, n
		}
	}
	return best
}

// StorageFirst returns the clauses of a condition's message, those about storage first. It returns a message of another form
// whole.
func StorageFirst(message string) string {
	list := clauses(message)
	if len(list) == 0 {
		return message
	}
	slices.SortStableFunc(list, func(a, b string) int { return boolRank(!ofStorage(a)) - boolRank(!ofStorage(b)) })
	return strings.Join(list, ", ")
}

// clauses returns the clauses of a condition's message; none for a message of another form.
func clauses(message string) []string {
	head, list, found := strings.Cut(message, " nodes are available: ")
	if !found || strings.ContainsAny(head, " \t") {
		return nil
	}
	list, _, _ = strings.Cut(list, ". ")
	return strings.Split(strings.TrimSuffix(strings.TrimSpace(list), "."), ", ")
}

// ofStorage reports whether a clause has a reason of a volume plugin.
func ofStorage(clause string) bool {
	return slices.ContainsFunc([]string{
		volumebinding.ReasonVolumeElsewhere, volumebinding.ReasonNothingToBind, volumebinding.ReasonNotEnoughSpace, volumebinding.ReasonVolumeMissing,
		volumebinding.ReasonUnboundImmediate, volumerestrictions.ReasonDiskInUse, volumerestrictions.ReasonClaimInUse, volumezone.ReasonOtherZone,
		nodevolumelimits.ReasonExceeded,
	}, func(reason string) bool { return strings.Contains(clause, reason) })
}

func boolRank(b bool) int {
	if b {
		return 1
	}
	return 0
}
