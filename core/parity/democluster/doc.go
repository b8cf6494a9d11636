// Command democluster runs a cluster to try things on, for those who have none at hand: a real kube-apiserver on a real
// etcd, fake nodes in three zones, and workloads that come and go, until it is interrupted.
//
//	main.go       the command line, from start to end
//	cluster.go    nodes, priorities, namespaces, the kubeconfig
//	workloads.go  what runs in it
//	owner.go      a small controller that keeps as many pods as each ReplicaSet wants
//
// Nothing schedules in it but who is told to: kube-scheduler with --kube-scheduler, or "orrery run", or the console.
package main
