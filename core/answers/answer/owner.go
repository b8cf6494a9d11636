package answer

import (
	v1 "k8s.io/api/core/v1"

	"orrery/core/objects/owners"
)

// OwnerOf names a pod's controller; for a ReplicaSet of a Deployment, the Deployment.
func OwnerOf(pod *v1.Pod) string { return owners.Of(pod) }
