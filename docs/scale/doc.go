// Program scale measures how Orrery grows with a cluster, and writes docs/scale.md and the figure in it.
//
//	sizes ─► cluster: an engine with nodes and bound pods, and an API server that binds what it decides
//	            │
//	            ├─► measure: pods of each kind, one by one ─► median and p99 of a decision
//	            │   a node's change, a fork, a frame of the screen, memory
//	            ▼
//	         report ─► docs/scale.md, growth from the smallest size to the largest
//	         figure ─► docs/scale.svg
//
// A decision is everything from the arrival of a pod to the watch event of its binding.
package main
