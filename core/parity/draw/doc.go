// Package draw draws API objects, good and bad, for comparisons with the API server.
//
//	filler.go       any field, by reflection: mostly good, now and then at the edge of what is allowed
//	pods.go         pods and, in changes.go, changes of them
//	cluster.go      nodes, namespaces, classes, budgets, limits and quotas
//	storage.go      claims to volumes, volumes and storage classes
//	controllers.go  the controllers of pods
//	devices.go      claims to devices, their classes and slices, and workloads
package draw
