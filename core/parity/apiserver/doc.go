// Package apiserver runs a real kube-apiserver on a real etcd, on loopback, for tests and experiments: inside this process, or that of any
// release as a process beside it.
// It also fakes what a scheduler sees of the rest of a cluster: nodes that are ready, and pods that run once they are bound.
//
//	etcd.go     etcd, with everything in one directory
//	server.go   kube-apiserver: Start, Stop, and Start again with the same data on the same port
//	hosted.go   kube-apiserver in this process; unhosted.go is without it, with the build tag processes
//	program.go  kube-apiserver as a process of its own: of another release, or of several on the same data, one after the other
//	process.go  all of this in another process of the same program
//	access.go   users and their rights: an administrator, and others by name; kubeconfig files
//	nodes.go    fake nodes, and a kubelet for all of them
//
// The server uses TLS, authenticates by bearer token and authorizes by RBAC, as a real cluster does.
package apiserver
