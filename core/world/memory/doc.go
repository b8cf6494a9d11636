// Package memory is a Kubernetes cluster in virtual time: an API server, kubelets and a few controllers, for a scheduler
// to be tested, shown and asked "what if" against. It implements [world.World].
//
//	  Do(effect)                                          Next(until)
//	     │ request latency                                    ▲ watch latency
//	     ▼                                                    │
//	┌──────────────────────── API server ────────────────────────────┐
//	│ server.go   Create Update UpdateStatus Resize Delete Get List  │
//	│ binding.go podstatus.go deletion.go   what effects ask for     │
//	│ eviction.go   evictions, and the budgets they have to ask      │
//	│ admission*.go defaults.go labelkeys.go podupdate.go            │
//	│ write.go ─► index.go (counts) ─► watch.go ─► react             │
//	└───▲──────────────────────────────────────────────────│─────────┘
//	    │ writes, after a latency of their own             ▼
//	kubelet*.go pressure.go   nodelife.go pace.go   replicaset.go deployment.go statefulset.go job.go daemonset.go
//
// There is one agenda (agenda.go), a heap of what is going to happen, by time and then by the order of being put there:
// effects on their way in, events and outcomes on their way out, kubelets about to notice something, controllers about
// to look, and the actions of a script. Next takes from it until an input for the scheduler comes up. Nothing else
// moves time, and time costs nothing.
//
// Everything that is left to chance (latencies, faults, names and UIDs) comes from three streams of numbers that the
// seed decides (chance.go). So the same options and the same calls give the same inputs, bit for bit; Digest says so in
// one word. Fork gives a second cluster with the same future.
//
// An object is never changed once it is stored: a new state is a new object, which shares with the old one what did not
// change. That is why inputs can hand objects out, and why a fork costs no more than its indexes.
//
// # What is promised of inputs
//
// The first Next begins with a list of every watched kind, what pods refer to before the pods. After that, the events
// of one kind come in the order of the changes, each at or after its change, none lost and none twice. Kinds do not wait
// for each other, and an outcome may come before or after the event it caused. Only faults that were asked for
// (faults.go) break this, and never the order: a lost event ends the watch of its kind, and a list makes up for it.
//
// # What is checked along the way
//
// Overcommitted and BoundTwice say what no scheduler should do. Kubelets check for themselves, and turn a pod away that
// does not fit (kubeletfit.go), as real ones do.
//
// # Differences from Kubernetes
//
//   - A node created with Ready=True carries no not-ready taint, which a real one does for a moment.
//   - NoExecute taints of node problems are set at once, unless a Pacer is given; the real controller paces them by zone.
//   - A pod whose quality of service is not BestEffort is given a toleration of memory pressure when it is created. The
//     documentation promises it; the API server needs an admission plugin for it that is off by default.
//   - PatchStatus and Delete check the UID of their Ref, so a namesake that came later is safe from them.
//   - A namespace with anything in it cannot be deleted.
//   - Nothing evicts pods from tainted nodes, and no controller binds volumes or makes resource claims of templates.
//   - Disruption budgets count, and evictions ask them, only where the options say by which rules.
//   - Nodes run out of something only where the options say what kubelets then do, and a script what is used.
package memory
