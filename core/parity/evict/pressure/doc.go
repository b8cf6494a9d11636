// Package pressure holds core/evict/pressure against the kubelet's eviction manager.
//
// The manager's constructor is exported and its single look is not: the control loop around it sleeps in real time. So
// the look, synchronize, is linked to by name, and driven with a clock, statistics and pods of the test's; ranking,
// messages, reclaiming and conditions are compared through it, look by look, with the machine here. The three ranking
// functions are linked to as well, and compared order by order. Parsing, admission, quality of service and the OOM score
// adjustment are compared by calls of what is exported.
//
//	go test ./evict/pressure                                       3,000 nodes and 10,000 rankings
//	ORRERY_CASES=100000 ORRERY_SEED=7 go test -v ./evict/pressure  others, and more of them
package pressure
