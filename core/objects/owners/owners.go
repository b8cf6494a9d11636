// Package owners names what a pod belongs to, as people do: by its controller, and by the Deployment for one of its ReplicaSets.
package owners

import (
	"strings"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Of names a pod's controller; for a ReplicaSet of a Deployment, the Deployment.
func Of(pod *v1.Pod) string {
	c := metav1.GetControllerOf(pod)
	if c == nil {
		return "pod/" + pod.Name
	}
	if hash := pod.Labels["pod-template-hash"]; c.Kind == "ReplicaSet" && hash != "" {
		if name, of := strings.CutSuffix(c.Name, "-"+hash); of {
			return "deployment/" + name
		}
	}
	return strings.ToLower(c.Kind) + "/" + c.Name
}
