// Command democluster runs a cluster for experiments until it is interrupted: a real kube-apiserver on a real etcd, fake
// nodes in three zones, and workloads whose pods are replaced now and then.
//
//	main.go       the command line, from start to end
//	cluster.go    nodes, priorities, namespaces, the kubeconfig
//	workloads.go  the ReplicaSets
//	owner.go      a small ReplicaSet controller
//
// It has no scheduler of its own: --kube-scheduler starts kube-scheduler, or start "orrery run" or "orrery console".
package main
