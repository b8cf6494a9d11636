package app

import "strings"

// kinds are what explain takes besides the name of a pod, by the names that kubectl takes.
var kinds = map[string]string{
	"pod": "pod", "pods": "pod", "po": "pod",
	"deployment": "deployment", "deployments": "deployment", "deploy": "deployment",
	"replicaset": "replicaset", "replicasets": "replicaset", "rs": "replicaset",
	"statefulset": "statefulset", "statefulsets": "statefulset", "sts": "statefulset",
	"daemonset": "daemonset", "daemonsets": "daemonset", "ds": "daemonset",
	"job": "job", "jobs": "job",
	"node": "node", "nodes": "node", "no": "node",
	"persistentvolumeclaim": "claim", "persistentvolumeclaims": "claim", "pvc": "claim",
	"workload": "workload", "workloads": "workload",
	"podgroup": "podgroup", "podgroups": "podgroup", "pg": "podgroup",
	"compositepodgroup": "compositepodgroup", "compositepodgroups": "compositepodgroup",
}

// cutKind cuts an argument such as deploy/web, or deployment.apps/web, into its kind and a name. It is not ok if the kind is none of kinds.
func cutKind(arg string) (kind, name string, ok bool) {
	resource, name, cut := strings.Cut(arg, "/")
	resource, _, _ = strings.Cut(resource, ".") // the API group
	kind, known := kinds[resource]
	return kind, name, cut && known && name != ""
}
