// Package budget holds core/evict/budget against the API server's eviction subresource and the disruption controller.
//
// The subresource's constructor takes a store of pods and a client for budgets; it is not exported and is linked to by
// name, and given a store and a client of the test's. The controller is made as usual, with informers that are filled by
// hand; its single turn, sync, is linked to.
//
//	go test ./evict/budget                                       20,000 evictions and 10,000 budgets
//	ORRERY_CASES=100000 ORRERY_SEED=7 go test -v ./evict/budget  others, and more of them
package budget
