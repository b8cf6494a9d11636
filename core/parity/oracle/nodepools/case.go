// Package nodepools is what a comparison and Karpenter's scheduler, which runs in a process of its own, say to each other: a [Case] as a line
// of JSON, and an [Outcome] as the line that answers it.
package nodepools

import (
	"encoding/json"

	v1 "k8s.io/api/core/v1"
)

// Case is what waits in a cluster, and what an autoscaler may make for it. Objects are those of the API, in JSON.
type Case struct {
	// Pools are NodePools, and Daemons the pods that daemon sets would have on each node.
	Pools    []json.RawMessage
	Machines []Machine
	Pods     []*v1.Pod
	Daemons  []*v1.Pod
}

// Machine is an instance type that each pool may have.
type Machine struct {
	Name        string
	Allocatable v1.ResourceList
	Zones       []string
	Price       float64
}

// Outcome is the nodes that are made, in order, and why pods get none, by name.
type Outcome struct {
	Nodes   []Node
	Refused map[string]string
}

// Node is a node that is made: of which pool and machine, and for which pods.
type Node struct {
	Pool string
	Pods []string
	// Machines are those that it may be.
	Machines []string
}
