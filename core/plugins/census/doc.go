// Package census counts pods by topology domain, and counts again only what changed.
//
// Plugins whose answer depends on other nodes ask questions like "how many pods that look like this run in each zone".
// Counting every pod of the cluster for every pod to be placed is what makes such plugins slow. Here the work is split
// so that each part is done as rarely as it can be:
//
//	snapshot ──Sync──► Roster                      once per change of a node
//	                     slots    one per node: its pods, each reduced to the numbers of its classes
//	                     looks    pods that no selector can tell apart (namespace, labels) share a class
//	                     minds    and so do pods that ask the same of others (affinity terms)
//	                     keys     topology key ► a small number for each value, and each slot's value
//	                     log      which slots changed, in order
//	                       │
//	                    Refresh
//	                       ▼
//	                    Tally (one per question)   rules asked once per class, never per pod;
//	                       │                        not about classes without a label that it expects
//	                     axis     one topology key: what each slot adds to its domain, and the sums per domain
//	                       │
//	                     Counts                    a frozen view for one scheduling cycle
//	                       + Changes               pods added or removed in thought (nominations, preemption)
//
// A node is read again when its NodeInfo is not the one that stood at the same place of the list, or has another
// generation. A tally that lags behind replays the log: for each slot in it, what the slot added before is taken out and
// what it adds now is put in. Since every slot remembers what it added, the sums are at all times those of a count from
// nothing; the tests check this against one.
//
// What is relied on: a NodeInfo that is changed in place gets a generation it never had. A Roster is not safe for concurrent
// change, but any number of readers may use it and its Counts between two calls of Sync.
package census
