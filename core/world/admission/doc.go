// Package admission has the admission plugins of the API server that decide about scheduling. A plugin changes an object on
// its way in, or refuses it, by what else there is in the cluster.
//
//	decoded, with defaults ──► Admit ──► prepared and valid ──► Validate ──► stored
//	                             │                                 │
//	                             └────────── Reader: the cluster's objects
//
// Each plugin is a file. plugins.go lists them in the API server's order, with those that are on by default; others are
// switched on and off by name. What they say is what the API server's say.
//
//	limitranger.go      default requests and limits of containers, and bounds of what is requested
//	noderestriction.go  what kubelets may change of nodes
//	nodetaint.go        a new node is tainted until it is ready
//	podnodeselector.go  the node selector of a namespace
//	priority.go         the priority of a pod's class
//	tolerations.go      tolerations of node problems, of namespaces and of extended resources
//	runtimeclass.go     the overhead and the node selector of a runtime class
//	antiaffinity.go     anti-affinity over more than a node
//	declaredfeatures.go changes of pods that their node must support
//	resourcequota.go    quotas of a namespace, which package quota measures
package admission
