// Package oracle asks a kube-scheduler of another release, which runs in a process of its own: one process cannot have two releases
// of Kubernetes.
//
//	core/parity/oracle       what the two processes say, and the side that asks
//	core/parity/oracle/serve the side that answers, a module of its own: the same code is compiled with each release
//	core/parity/v135, v136   a module for each release: its versions of Kubernetes, and a main package
//
// The two take turns. A [Request] starts a case, changes an object, lets time pass or has the scheduler decide; the [Reply] has all that
// the scheduler did since the last one, and its state. Both have virtual time, which begins at one instant and passes only by requests:
//
//	comparison ── Request{At, Change} ──► kube-scheduler of 1.36, until all its goroutines wait
//	           ◄─ Reply{Decision, Calls, Events, Pods} ──
//
// Both are lines of JSON, on standard input and output. Objects are those of the API, in JSON, and each side decodes them by the types of
// its own release. Nothing here knows Orrery.
package oracle
