// Package kueue says where a pod that Kueue holds back stands: its place among the workloads that wait for the same ClusterQueue, and how
// much quota it is short of.
//
//	Kinds ──► objects as the API server sends them ──► Read ──► Objects.Of(pod) ──► Held: for programs, and in words
//
// Kueue's types are not imported. Of its objects only the fields that say this are read, in v1beta1 and v1beta2 alike. An object that has
// them otherwise is counted and left out.
//
// # What is computed, and what is not
//
// The order of a queue is Kueue's own: the higher priority first, then the older workload. Kueue puts a workload that it has evicted by the time
// of the eviction, which is not read here. A shortage is of the flavor that is short of the least: what is free of the nominal quota, and what the cohort
// leaves to borrow, up to the borrowing limit. Lending limits, parents of cohorts, preemption and fair sharing may leave less or more, so that the
// figure is no promise of an admission. Whether the pod would be placed is the scheduler's question, and not asked here.
package kueue
