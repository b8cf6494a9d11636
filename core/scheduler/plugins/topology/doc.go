// Package topology counts pods by topology domain, and recounts only what changed.
//
// PodTopologySpread and InterPodAffinity need counts such as "how many matching pods run in each zone". Counting every pod
// of the cluster for every pod to be scheduled is what makes such plugins slow. Here each part of the work is done as
// rarely as possible:
//
//	snapshot ──Sync──► PodIndex                    once per change of a node
//	                     slots          one per node: its pods, each reduced to its classes
//	                     labelClasses   pods that no selector can tell apart (namespace, labels) share a class
//	                     termClasses    pods with equal affinity terms share a class
//	                     keys           topology key ► a small number for each value, and each slot's value
//	                     log            which slots changed, in order
//	                       │
//	                    Refresh
//	                       ▼
//	                    DomainCounts               one per set of constraints or terms; Rules weigh each class once,
//	                       │                       and skip classes without a label that a match needs
//	                     axis           one topology key: what each slot adds to its domain, and the sums per domain
//	                       │
//	                     AxisView                  an immutable view for one scheduling cycle
//	                       + Changes               pods added or removed hypothetically (nominated pods, preemption)
//	                       + NodeClasses           nodes with equal sums on all axes, to be evaluated and scored at once
//
// A node is read again when its NodeInfo is not the one at the same place of the last list, or has another generation. A snapshot
// that says which nodes changed, as [reuse.ChangedNodes], spares looking at the others. The sums lie in pieces, so that a view costs what
// changed since the last one, and the smallest of all is that of the pieces.
//
// What a plugin says of a node follows from the sums in its domains. So nodes of the same domains are a class ([NodeClasses]), and the
// plugin is asked once for each: there are as many as zones, for one. Host names would make each node a class, so that there a node is
// known by its own sum, which no other node shares. Finding a single node by its address, its domains and their sums, as Filter has
// to, costs some 50 ns for each axis. The classes are those of the last Sync, and there are none once the snapshot has changed.
//
// DomainCounts that lag behind replay the log: for each slot in it they subtract what the slot added before and add what it
// adds now. Every slot remembers what it added, so the sums equal those of a count from scratch at all times; the tests
// compare them with one.
//
// The index of a forked engine is a copy (ForkFrom) that shares the pods of each slot until either index reads the node again, so that a
// fork does not classify all pods anew.
//
// A NodeInfo that is changed in place must get a generation it never had. A PodIndex is not safe for concurrent change, but
// any number of readers may use it and its views between two calls of Sync.
package topology
