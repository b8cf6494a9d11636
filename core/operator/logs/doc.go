// Package logs reads what a pod's containers have written, and the events about it, from an API server.
//
// It only reads, when somebody asks, and no more than fits a few screens: the last lines of each container and the latest events. What comes
// was written by whatever runs in the cluster; it is returned as lines of visible characters. An error names the RBAC rule that is missing,
// if that is the reason.
package logs
