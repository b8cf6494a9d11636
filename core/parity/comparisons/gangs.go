package comparisons

// Gangs compares the plugin and what it knows of pod groups.
var Gangs = &Comparison{
	Name: "GangScheduling", Package: "plugins/gangscheduling", Test: "TestGangScheduling_SameAnswers", Cases: 1500,
	Unit: "scripts of 60 steps with workloads, groups and replicas",
	Compares: "GangScheduling: PreEnqueue, Permit with its timeout, which pods are activated and which are allowed; which pods of each group " +
		"are unscheduled, assumed and assigned after every step; the events that requeue a pod, with their hints.",
	Differences: []Difference{
		{
			Upstream: "counts a pod that was deleted while it waited as unscheduled, and ends at the next pod of the group that has to wait",
			Orrery:   "forgets it",
			Compared: "pods lose their places before they are deleted",
		},
		{
			Upstream: "gives a pod that is tried at the very moment at which its group's time is over no time",
			Orrery:   "begins a new deadline",
			Compared: "no attempt is at that moment",
		},
	},
}
