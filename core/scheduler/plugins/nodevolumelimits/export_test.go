package nodevolumelimits

import (
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/config"
)

// CountsOn are the counts of the drivers of a pod's volumes on a node.
func CountsOn(h fwk.Handle, features config.Features, pod *v1.Pod, node fwk.NodeInfo) []Count {
	pl := &NodeVolumeLimits{objects: objectsOf(h, features)}
	return (&counter{pl.objects, listAttachments(pl.objects.attachments), pl.requestOf(pod)}).on(node)
}
