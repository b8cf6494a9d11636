package main

// others are constants that are called max or most and bound no amount of anything here, by the reason.
var others = map[string][]string{
	"a rule of the Kubernetes API, which is checked as an API server does": {
		"core/scheduler/cache maxWeight", "core/scheduler/config maxShapeScore", "core/scheduler/config maxUtilization",
		"core/answers/whatif maxNameBytes", "core/answers/whatif maxSuffixBytes", "core/world/memory maxGenerated", "demo/scenario maxDriverName",
	},
	"a rule of a kernel or a kubelet, which is simulated": {"core/evict/pressure maxBurstableAdj", "core/evict/pressure maxShares", "core/world/memory maxBackOff"},
	"a time of the clock": {
		"core/answers/compare maxDecision", "core/scheduler/drive maxLag", "core/scheduler/drive maxSleep", "core/scheduler/engine maxBatchAge", "core/scheduler/engine maxRunTime", "core/evict/device maxRetryDelay",
		"core/evict/pressure maxForecast", "core/evict/taint maxRetryDelay", "core/answers/whatif maxPermitWait", "tui maxElapsed", "views/collect maxSince",
	},
	"arithmetic": {
		"core/world/extender maxDigits", "core/safe/footprint maxSmall", "core/scheduler/framework maxLocals", "core/scheduler/plugins/imagelocality mostPerContainer", "core/trace maxObjectBytes",
		"core/operator/usage maxPIDs", "core/answers/whatif mostOvercommitted",
	},
	"how an answer is written": {"core/answers/diagnose maxListed", "core/scheduler/framework MaxListed", "core/scheduler/volumes maxMisfits", "demo/playback maxSteps", "views/collect maxEarlier", "views/collect maxRenewals"},
}
