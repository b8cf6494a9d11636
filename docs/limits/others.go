package main

// others are constants that are called max or most and bound no amount of anything here, by the reason.
var others = map[string][]string{
	"a rule of the Kubernetes API, which is checked as an API server does": {
		"core/config maxShapeScore", "core/config maxUtilization", "core/deviceapi maxKey", "core/deviceapi maxValues", "core/storageapi maxExpiration",
		"core/whatif maxNameBytes", "core/whatif maxSuffixBytes", "core/world/memory maxGenerated", "demo/scenario maxDriverName",
	},
	"a rule of a kernel or a kubelet, which is simulated": {"core/evict/pressure maxBurstableAdj", "core/evict/pressure maxShares", "core/world/memory maxBackOff"},
	"a time of the clock": {
		"core/compare maxDecision", "core/drive maxLag", "core/drive maxSleep", "core/engine maxBatchAge", "core/engine maxRunTime", "core/evict/device maxRetryDelay",
		"core/evict/pressure maxForecast", "core/evict/taint maxRetryDelay", "core/whatif maxPermitWait", "tui maxElapsed", "views/collect maxSince",
	},
	"arithmetic": {
		"core/extender maxDigits", "core/footprint maxSmall", "core/framework maxLocals", "core/plugins/imagelocality mostPerContainer", "core/trace maxObjectBytes",
		"core/usage maxPIDs", "core/whatif mostOvercommitted",
	},
	"how an answer is written": {"core/diagnose maxClause", "core/diagnose maxMisfits", "demo/playback maxSteps", "views/collect maxEarlier", "views/collect maxRenewals"},
}
