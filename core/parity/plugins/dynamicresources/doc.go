// Package dynamicresources compares DynamicResources with kube-scheduler's plugin of that name, with its own manager of claims,
// slices and classes.
//
// TestDynamicResources_SameAnswers draws clusters of classes, slices, claims, device taint rules and feature gates, schedules
// pods with claims one after the other, and changes objects in between. After every step both must have the same:
//
//	PreEnqueue, PreFilter   status
//	Filter                  status on every node
//	Score, Normalize        scores of the nodes that fit
//	PostFilter              status, and the claim that is deallocated
//	Reserve, Unreserve      status, the devices of every claim in flight, and all devices that are taken
//	PreBind                 the claims as they are written, or the error
//
// Pools are in the order of driver and name on both sides, and slices in that of their names. The identifiers of shares are
// left out, as they are random. PostFilter is left out where kube-scheduler chooses among several claims at random.
//
//	go test ./plugins/dynamicresources
//	ORRERY_CASES=20000 ORRERY_SEED=7 go test ./plugins/dynamicresources
package dynamicresources
