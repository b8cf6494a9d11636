// Package volumebinding compares VolumeBinding with kube-scheduler's plugin of that name.
//
// TestVolumeBinding_SameAnswers draws clusters of volumes, claims, classes, drivers, capacities and CSINodes, schedules pods
// with claims one after the other, and changes objects in between. After every step both must have the same:
//
//	PreFilter, PreScore, Score   status and score
//	Filter                       status on every node, with the reasons in order
//	Reserve, Unreserve           status, and all that is assumed of volumes and claims
//	PreBindPreFlight             whether there is anything to bind
//
// What upstream assumes is read from its assume caches by reflection.
//
// TestVolumeBinding_SameHints compares the registered events and the hints for each of them.
//
// TestBinding_SameWritesAndErrors binds the claims of one pod on both sides in virtual time, each against an API server of
// its own, while other objects change: the writes in order, their results, and the error with which the binding ends.
//
// Sizes of volumes differ, and a pod is left out while several volumes name a claim of it: kube-scheduler takes any of them.
//
//	go test ./plugins/volumebinding
//	ORRERY_CASES=20000 ORRERY_SEED=7 go test ./plugins/volumebinding
package volumebinding
