// Package usage reads the resource usage of a live cluster's nodes and pods, which the scheduler does not know: from the
// kubelets' summaries, or else from the metrics API.
//
//	node pane ──Read──► Reader ──► the latest Reading
//	                      │
//	                      ├─ /api/v1/nodes/NODE/proxy/stats/summary   get nodes/proxy: memory, disks, inodes, process IDs
//	                      ├─ /api/v1/nodes/NODE/proxy/configz         the same rule: the kubelet's eviction thresholds
//	                      └─ /apis/metrics.k8s.io/v1beta1/…           get pods and nodes there: memory only
//
//	reader.go    which node is queried when
//	reading.go   the usage of one node, and why it is incomplete
//	query.go     the kubelet first, then the metrics API
//	client.go    one request, bounded in time and size, and its errors
//	summary.go   parses the kubelet's responses                       Summary, Thresholds
//	metrics.go   parses those of the metrics API                      podMemory
//
// The result is a pressure.Summary from either source, so that core/evict/pressure ranks it as a kubelet would.
//
// # Cost
//
// A node is queried only while it is displayed, every 15 s; a few nodes at a time, each request for 5 s at most. There is no
// loop: Read starts the next query when it is due.
//
// # Trust
//
// Kubelets and metrics servers are not trusted. The size of a response is bounded before it is read, its numbers must be
// plausible for a machine, and errors name what is wrong. Text from a response passes package printable before it is shown.
package usage
