// Package usage reads what a live cluster's nodes and pods use, which no scheduler is told: from the kubelets' summaries, or
// else from the metrics API.
//
//	pane on a node ──Look──► Reader ──► a Reading, as it was last answered
//	                           │
//	                           ├─ /api/v1/nodes/NODE/proxy/stats/summary   get nodes/proxy: memory, disks, inodes, process IDs
//	                           ├─ /api/v1/nodes/NODE/proxy/configz         the same rule: the kubelet's own thresholds
//	                           └─ /apis/metrics.k8s.io/v1beta1/…           get pods and nodes there: memory only
//
//	reader.go    who is asked when: nobody whom nobody looks at
//	reading.go   what is known of one node, and in words what is not, and why
//	ask.go       the kubelet first, then the metrics API
//	call.go      one request, bounded in time and size, and what is wrong with its answer
//	summary.go   the kubelet's answers                                          Summary, Thresholds
//	metrics.go   the metrics API's                                              podMemory
//
// What is read is a pressure.Summary, whichever way it comes, so that core/evict/pressure ranks it as a kubelet would.
//
// # What it costs
//
// A node is asked only while somebody looks at it, and then every 15 s; a few nodes at a time, each request 5 s at most. There
// is no loop: a look begins the next request if it is due, and when looks stop, so do requests. A cluster of 5,000 nodes that
// nobody looks at is not asked at all.
//
// # What an answer may be
//
// Anything: kubelets and metrics servers are not trusted. An answer is bounded before it is read, its numbers must be such as a
// machine can have, and an answer that is not so is an error that names what is wrong with it. Nothing of it is shown that has
// not passed package printable.
package usage
