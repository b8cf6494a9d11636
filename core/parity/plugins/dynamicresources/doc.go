// Package dynamicresources compares DynamicResources with kube-scheduler's plugin of that name, with its own manager of claims,
// slices and classes.
//
// TestDynamicResources_SameAnswers draws clusters of classes, slices, claims, device taint rules and feature gates, schedules
// pods with claims and extended resources one after the other, and changes objects in between. After every step both must
// have the same:
//
//	PreEnqueue, PreFilter   status
//	Filter                  status on every node
//	Score, Normalize        scores of the nodes that fit
//	NodeResourcesFit        Filter and the score of every node, which counts devices as extended resources
//	PostFilter              status, and the claim that is deallocated or deleted
//	Reserve, Unreserve      status, the devices of every claim in flight, all devices that are taken, and the writes
//	PreBind                 every write of claims and of the pod's status, in order; status, events and the devices that are taken
//	events                  which requeue the pod, and the hints for changes of claims and of the pod
//
// Case by case another scheduler changes a claim meanwhile, and one kind of writes fails. A case runs in virtual time:
// kube-scheduler's PreBind waits in a goroutine, and Orrery's plugin takes its steps beside it.
//
// Pools are in the order of driver and name on both sides, and slices in that of their names. The identifiers of shares are
// left out, as they are random. PostFilter is left out where kube-scheduler chooses among several claims at random.
//
// TestHosted_SameDecisions has Orrery's engine schedule pods with kube-scheduler's plugin, unchanged, and with its own: decisions,
// events, and all claims must be the same. TestHosted_BesideEngine runs the former's PreBind beside the engine, for the race
// detector.
//
//	go test ./plugins/dynamicresources
//	ORRERY_CASES=20000 ORRERY_SEED=7 go test ./plugins/dynamicresources
package dynamicresources
