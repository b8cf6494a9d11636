// Package apiserver runs a real kube-apiserver on a real etcd inside this process, on loopback, for tests and experiments.
// It also fakes what a scheduler sees of the rest of a cluster: nodes that are ready, and pods that run once they are bound.
//
//	etcd.go     etcd, with everything in one directory
//	server.go   kube-apiserver: Start, Stop, and Start again with the same data on the same port
//	process.go  the same in a process of its own
//	access.go   users and their rights: an administrator, and others by name; kubeconfig files
//	nodes.go    fake nodes, and a kubelet for all of them
//
// The server uses TLS, authenticates by bearer token and authorizes by RBAC, as a real cluster does.
package apiserver
