package world

import "strings"

const preempting = ": preempting to accommodate a higher priority pod"

// PreemptionMessage is the message of the DisruptionTarget condition that a scheduler writes before it deletes a victim. It
// does not write one that the victim has, so the message decides which effect comes first.
func PreemptionMessage(schedulerName string) string { return schedulerName + preempting }

// IsPreemptionMessage reports whether a message is that of a scheduler, and has nothing in it but the scheduler's name.
func IsPreemptionMessage(message string) bool {
	scheduler, ok := strings.CutSuffix(message, preempting)
	return ok && !strings.Contains(scheduler, " ")
}
