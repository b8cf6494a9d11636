package app

import (
	"github.com/spf13/pflag"

	"orrery/core/queue"
)

// The flag of run, demo and compare that chooses how failed pods are requeued.
const (
	requeueRuleFlag  = "requeue-rule"
	requeueRuleUsage = "how failed pods are requeued: queueingHints, or moveRequestCycle, the rule from before queueing hints, by which any event moves all of them"
)

func addRequeueRule(flags *pflag.FlagSet, rule *queue.RequeueRule, usage string) {
	flags.TextVar(rule, requeueRuleFlag, queue.QueueingHints, usage)
}
