// Package reader reads the resource usage of a live cluster's nodes and pods: from the kubelets' summaries, or else from the metrics
// API.
//
//	node pane ──Read──► Reader ──► the latest usage.Reading
//	                      │
//	                      ├─ /api/v1/nodes/NODE/proxy/stats/summary   get nodes/proxy: memory, disks, inodes, process IDs
//	                      ├─ /api/v1/nodes/NODE/proxy/configz         the same rule: the kubelet's eviction thresholds
//	                      └─ /apis/metrics.k8s.io/v1beta1/…           get pods and nodes there: memory only
//
//	reader.go    which node is queried when
//	query.go     the kubelet first, then the metrics API
//	client.go    one request, bounded in time and size, and its errors
//
// # Cost
//
// A node is queried only while it is displayed, every 15 s; a few nodes at a time, each request for 5 s at most. There is no
// loop: Read starts the next query when it is due. The size of a response is bounded before it is read.
package reader
