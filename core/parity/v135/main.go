// Command v135 is the oracle of Kubernetes 1.35.
package main

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"orrery/core/parity/oracle/serve"
)

func main() {
	serve.Main(func(q queue.SchedulingQueue, pod *v1.Pod) (*framework.QueuedPodInfo, bool) {
		return q.GetPod(pod.Name, pod.Namespace, pod.Spec.SchedulingGroup)
	})
}
