// Package clusterapi checks and completes the objects besides pods, devices and storage that decide about scheduling, as the
// API server does: nodes, priority classes, runtime classes, disruption budgets, limit ranges, resource quotas, namespaces and
// services.
//
//	Default(object)                defaults.go
//	   │
//	Create(object)                 nodes.go classes.go budgets.go limitranges.go quotas.go
//	Update(changed, old)           the same, and what must not change
//	UpdateStatus(changed, old)     of nodes
//
// Its errors name the fields and say what the API server's do. Not checked, since no scheduler reads it: addresses, networks and
// swap of nodes, and of services all but the selector.
package clusterapi
