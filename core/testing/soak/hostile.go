package soak

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"orrery/core/testing/mk"
	"orrery/core/world"
)

// hostileResource is one that no node has, so that its kubelet runs a pod with any amount of it.
const hostileResource = "example.com/none"

// createOnNode creates pods that their maker has put on a node, past every scheduler, with amounts that an API server admits. What they use
// there is used, and the pods of others must not get it.
func (r *run) createOnNode(s Step) {
	node := r.chosen(s.N, nil, world.Node)
	if node == nil {
		return
	}
	draw := drawing(s.N)
	for i := range max(1, s.Count) {
		pod := mk.Pod(fmt.Sprintf("%s-%06x-%d", s.Do, s.N&0xffffff, i)).UID("").Node(node.GetName()).
			Label(runLabel, pick(draw, "1m", "10m", "24h")).
			CPU(pick(draw, "0", "250m", "1", "2")).Memory(pick(draw, "0", "64Mi", "1Gi")).Obj()
		requirements := &pod.Spec.Containers[0].Resources
		requirements.Requests[hostileResource] = resource.MustParse(pick(draw, "1", "9007199254740993", "9100T", "4E", "9223372036854775807"))
		requirements.Limits = v1.ResourceList{hostileResource: requirements.Requests[hostileResource]}
		_, _ = r.cluster.Create(pod) // the API server may be down
	}
}
