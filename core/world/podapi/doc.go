// Package podapi checks and completes pods as the API server does, as far as scheduling reads them.
//
//	Default(pod)              defaults.go     what the API server sets when it reads a pod
//	   │                                      then come the admission plugins that change pods
//	Prepare(pod)              prepare.go      status, QoS class, label keys merged into selectors
//	   │
//	Options.Create(pod)       spec.go containers.go resources.go nodeaffinity.go podaffinity.go spread.go tolerations.go
//	Options.Update(new, old)  update.go       the same, and what must not change
//
// Its errors name the fields and say what the API server's do. Gates have the defaults of Kubernetes 1.35, except those in
// Options. An old pod is one that passed Create, so that nothing is tolerated because it was always wrong.
//
// Not checked, since no scheduler reads it: security contexts, probes, lifecycle hooks, environment, mounts, what is in a
// volume, pull and restart rules of containers, ephemeral containers, host names, DNS, the operating system, service accounts,
// and annotations. A container may do without an image. Claims of a pod to devices are checked by package deviceapi.
package podapi
