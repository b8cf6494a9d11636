package app

import (
	"github.com/spf13/pflag"

	"orrery/core/scheduler/queue"
)

// The flag of run, demo and compare that chooses how failed pods are requeued.
const (
	requeueRuleFlag  = "requeue-rule"
	requeueRuleUsage = "how failed pods are requeued: queueingHints, or moveRequestCycle, legacy requeueing (pre-QueueingHint): any event retries all of them"
)

// addNoReuse adds the flag that turns reuse off.
func addNoReuse(flags *pflag.FlagSet, noReuse *bool, where string) {
	flags.BoolVar(noReuse, "no-reuse", false,
		"compute every verdict and score of a node afresh, and keep none for the next pod of the same kind; decisions are the same."+where)
}

func addRequeueRule(flags *pflag.FlagSet, rule *queue.RequeueRule, usage string) {
	flags.TextVar(rule, requeueRuleFlag, queue.QueueingHints, usage)
}
