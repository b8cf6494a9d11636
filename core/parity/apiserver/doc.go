// Package apiserver runs a real kube-apiserver on a real etcd inside this process, on loopback, for tests and for trying
// things out; and what a cluster needs besides, as far as a scheduler can tell the difference: nodes that are ready and
// pods that run once they are bound.
//
//	etcd.go     etcd, with everything in one directory
//	server.go   kube-apiserver: Start, Stop, and Start again where it left off, on the same port
//	access.go   who may do what: an administrator, and others by name; kubeconfig files
//	nodes.go    fake nodes, and a kubelet for all of them
//
// All of it speaks TLS and checks who one is (by bearer token) and what one may (by RBAC), as a real cluster does.
package apiserver
