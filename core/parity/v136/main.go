// Command v136 is the oracle of Kubernetes 1.36.
package main

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/events"
	fwk "k8s.io/kube-scheduler/framework"
	upstream "k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
	"k8s.io/kubernetes/pkg/scheduler/profile"

	"orrery/core/parity/oracle/serve"
)

func main() {
	serve.Main(serve.Release{
		Queued: func(q queue.SchedulingQueue, pod *v1.Pod) (*framework.QueuedPodInfo, bool) {
			return q.GetPod(pod.Name, pod.Namespace)
		},
		Recorders: func(one events.EventRecorderLogger) profile.RecorderFactory {
			return func(string) events.EventRecorderLogger { return one }
		},
		Hold: func(plugin fwk.PreEnqueuePlugin, wait func()) {
			if p, preempts := plugin.(*defaultpreemption.DefaultPreemption); preempts {
				evict := p.Executor.PreemptPod
				p.Executor.PreemptPod = func(ctx context.Context, c preemption.Candidate, by preemption.ExecutorPreemptor, victim *v1.Pod, name string) error {
					wait()
					return evict(ctx, c, by, victim, name)
				}
			}
		},
		Around: func(s *upstream.Scheduler, in serve.SchedulePod) {
			own := s.SchedulePod
			s.SchedulePod = func(ctx context.Context, f framework.Framework, state fwk.CycleState, info *framework.QueuedPodInfo) (upstream.ScheduleResult, error) {
				return in(f, info.Pod, func() (upstream.ScheduleResult, error) { return own(ctx, f, state, info) })
			}
		},
	})
}
