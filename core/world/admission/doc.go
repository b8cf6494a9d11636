// Package admission does what an API server does to new and changed objects, as far as it matters to scheduling: it fills in
// defaults, and runs the admission plugins that decide where a pod goes or whether it is created at all.
//
//	Default(object)          defaults.go defaultpods.go   absent fields get the values that schedulers and controllers read
//	   │
//	Chain.Admit(request)     plugins.go                   plugins change the object, or refuse it
//	   │
//	Prepare(pod)             prepare.go                   status and QoS class; label keys go into the selectors
//	   │
//	Refused(object)          refused.go podupdates.go claimstatus.go
//	   │
//	Chain.Validate(request)                               plugins refuse the object, and charge quotas for it
//
// Refusing an invalid object is the API server's work, and is left to it, but for some refusals that users of scheduling meet
// (refused.go) and for the fields that must not change under a scheduler. So an object that comes out of here need not be valid:
// who reads it has to cope with selectors that do not parse, negative amounts and names of nothing.
//
// Each plugin is a file. plugins.go lists them in the API server's order, with those that are on by default; others are
// switched on and off by name. Plugins and refusals report what the API server's do.
//
//	limitranger.go      default requests and limits of containers, and bounds of what is requested
//	nodetaint.go        a new node is tainted until it is ready
//	priority.go         the priority of a pod's class
//	tolerations.go      tolerations of node problems and of extended resources
//	runtimeclass.go     the overhead and the node selector of a runtime class
//	declaredfeatures.go changes of pods that their node must support
//	quota.go            quotas of a namespace for its pods; quotapods.go measures what a pod uses
//
// Two feature gates of device allocation drop fields: devicegates.go.
package admission
