// Package actions changes a cluster on behalf of an operator: it cordons and drains nodes, evicts, deletes and activates
// pods, and removes scheduling gates.
//
//	Action ──► Changes ──► core/answers/whatif ──► predicted effects, shown before the confirmation
//	   │
//	   └─────► Executor.Do ──► API server ──► done, or an error: a PodDisruptionBudget, a conflict, a missing RBAC rule
//
// Each action is a type in a file of its own: what the screen shows of it, its what-if, and the calls that carry it out.
// An action names the pod's UID if it is known, so that it never reaches a namesake that was created later. This package
// does not ask for confirmation; the screen does.
package actions
