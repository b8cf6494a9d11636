// Package gangscheduling compares Orrery's GangScheduling with kube-scheduler's, and core/scheduler/gangs with its manager of workloads.
//
//	script ──┬──► workloadmanager, its plugin ──┐
//	         └──► gangs.State, ours ────────────┴──► the same answers and the same groups after each step
//
// A script adds, binds and deletes pods and workloads, and takes pods through PreEnqueue, Reserve, Permit and Unreserve, while
// time passes.
package gangscheduling
