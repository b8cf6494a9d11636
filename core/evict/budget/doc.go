// Package budget is about pods that somebody asks to leave: through the eviction subresource of the API, which disruption
// budgets may forbid, as kubectl drain does.
//
//	Judge     one eviction's verdict, and what is written for it        verdict.go
//	Keep      a budget's arithmetic: how many may leave                 status.go, scale.go
//	Stale     an eviction that came to nothing                          status.go
//	Rules     the three of them, for the simulated API server           rules.go
//	Drain     a whole node's pods, asked until they are gone            drain.go, plan.go
//	Driver    a drain whose calls are made                              driver.go
//	Diagnose  why evictions are refused again and again                 stuck.go
//
//	 Drain ──Call(evict)──► API server: Judge ──► budget's status charged, pod marked and deleted
//	   ▲                        │                      │
//	   └──Answered(429, …)──────┘       Keep ◄─────────┘ counts again, as pods and budgets change
//
// All but Drain are functions of the objects they are given. Drain is a machine: it is told of pods and budgets as inputs
// and of the answers to its calls, which a [Driver] makes on a [Server], and it is plain data that can be forked. It
// writes on the [evict.Board] which pods a budget holds, which are leaving and which have left.
//
// A budget as the scheduler's preemption sees it is another matter, on purpose: there an empty selector selects nothing,
// several budgets all count, and a violation is only a reason to look elsewhere. See core/preempt.
//
// # Differences from Kubernetes
//
//   - An allowed eviction is overdue when two minutes have passed, not a moment later.
//   - A controller of a kind that is unknown here counts as gone; the real one cannot map the kind and says that.
//   - Every budget that counts a pod is counted anew when the pod changes. The real controller picks one of them.
//   - A drain sees a pod go when it goes, where kubectl looks every second; and it asks in the order of the names, where
//     kubectl asks for all at once.
package budget
