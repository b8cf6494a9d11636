// Package volumes compares VolumeRestrictions, NodeVolumeLimits and VolumeZone with kube-scheduler's plugins of the same names, on
// random clusters of nodes, pods, claims, volumes, classes, CSINodes, CSIDrivers and attachments that change step by step.
//
// Three must agree on every node:
//
//	kube-scheduler's plugin on kube-scheduler's snapshot and informers
//	Orrery's plugin on the same, where it keeps nothing between cycles
//	Orrery's plugin on Orrery's snapshot and store, where NodeVolumeLimits keeps what nodes use
//
// The test compares PreFilter and Filter (code and reasons, with and without PreFilter, also on copies of nodes to which pods
// were added and from which pods were removed), the events they register, the hints for them, and signatures. The objects are
// also such as an API server would reject: claims without names, volumes without sources, several entries for a driver.
//
//	go test ./plugins/volumes                                   some thousand pods
//	ORRERY_CASES=20000 ORRERY_SEED=7 go test ./plugins/volumes  more of them
//	go test ./plugins/volumes -run xxx -bench .                 NodeVolumeLimits of both: 5,000 nodes, 100,000 volumes
package volumes
