// Package budget implements evictions through the eviction subresource of the API, as kubectl drain requests them and
// PodDisruptionBudgets limit them.
//
//	Evaluate          the response to one eviction request, and its writes      evaluate.go
//	Sync              a budget's status: how many disruptions are allowed       status.go, scale.go
//	StaleConditionAt  when an eviction without a deletion loses its condition   status.go
//	Rules             the three of them, for the simulated API server           rules.go
//	Drain             evicts a node's pods, with retries until they are gone    drain.go, plan.go
//	Driver            makes a drain's calls                                     driver.go
//	Diagnose          why evictions are refused repeatedly                      diagnose.go
//
//	 Drain ──Call(Evict)──► API server: Evaluate ──► budget's status charged, condition set, pod deleted
//	   ▲                        │                      │
//	   └──CallDone(429, …)──────┘       Sync ◄─────────┘ recounts as pods and budgets change
//
// All but Drain are functions of the objects passed to them. Drain is a state machine: its inputs are pods, budgets and the
// results of its calls, which a [Driver] makes on a [Server]; it is plain data. It writes to the [evict.Record] which pods are
// blocked, terminating and evicted.
//
// The scheduler's preemption treats budgets differently, on purpose: there an empty selector selects nothing, several budgets
// all count, and a violation only makes a node less preferred. See core/scheduler/preempt.
//
// # Differences from Kubernetes
//
//   - An allowed eviction is overdue at two minutes, not a moment later.
//   - A controller of an unknown kind counts as deleted; the real controller fails to map the kind and reports that.
//   - Every budget that selects a pod is synced when the pod changes. The real controller picks one of them.
//   - Scales that add up beyond an int32 count as the greatest one; the real controller's sum wraps around.
//   - A drain sees a deletion when it happens, where kubectl polls every second; and it evicts in the order of the names, where
//     kubectl evicts all pods at once.
package budget
