// Package capacity says what room a cluster has: in all and by groups of nodes, how much of it is in pieces too small to use, and how large a
// pod may be.
//
// It is arithmetic on requests: whether a pod of a size fits on a node is whether the node has as much free. What else keeps a pod from a node
// is for package fit to say. Only nodes that are open count as room: neither cordoned nor tainted against pods that tolerate nothing.
package capacity
