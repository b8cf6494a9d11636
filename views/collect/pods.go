package collect

import (
	"strings"

	v1 "k8s.io/api/core/v1"

	"orrery/core/objects/requests"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/framework"
	"orrery/core/world"
	"orrery/views"
)

// AllPods are all pods of the cluster, by namespace and name.
func (s source) AllPods() views.Rows[views.ClusterPod] {
	// All three only grow, so their sum changes whenever one does.
	_, changes, _ := s.e.Profile(s.e.Profiles()[0]).ObjectChanges(world.Pod, 0)
	return views.Rows[views.ClusterPod]{
		Stamp: changes + s.e.Queue().Seq() + s.e.LastDecision(), Total: s.e.Store().Len(world.Pod),
		Window: func(first, n int) []views.ClusterPod {
			rows := make([]views.ClusterPod, 0, n)
			for o := range s.e.Store().ObjectsFrom(world.Pod, first) {
				if len(rows) == n {
					break
				}
				rows = append(rows, s.wholePod(o))
			}
			return rows
		},
		Lazy: &views.LazyRows[views.ClusterPod]{
			All: func(list []any) []any {
				for o := range s.e.Store().Objects(world.Pod) {
					list = append(list, o)
				}
				return list
			},
			Compare: func(any, any) int { return 0 }, // they come in this order
			Brief:   func(of any) views.ClusterPod { return s.briefClusterPod(of.(*v1.Pod)) },
			Whole:   func(of any) views.ClusterPod { return s.wholePod(of.(*v1.Pod)) },
		},
	}
}

// briefClusterPod has the pod's requests only if they are the order: to add them up costs more than all else.
func (s source) briefClusterPod(pod *v1.Pod) views.ClusterPod {
	p := views.ClusterPod{
		Namespace: pod.Namespace, PodName: pod.Name, Priority: priorityOf(pod), Created: pod.CreationTimestamp.Time, NodeKey: pod.Spec.NodeName, Labels: pod.Labels, Gang: gangOf(pod),
	}
	if s.query.Sort == "cpu" || s.query.Sort == "memory" {
		addRequests(&p, pod)
	}
	p.State, p.Reason = s.placeOf(pod)
	if p.State == views.InFlight || p.State == views.Decided || p.State == views.Bound && p.NodeKey == "" { // the cache has it on its node already
		if assumed, err := s.e.Cache().GetPod(pod); err == nil {
			p.NodeKey = assumed.Spec.NodeName
		}
	}
	return p
}

// placeOf returns a pod's state, and why it is on no node. The engine does not know pods of other schedulers.
func (s source) placeOf(pod *v1.Pod) (views.PodState, string) {
	switch {
	case pod.DeletionTimestamp != nil:
		return views.Terminating, ""
	case pod.Spec.NodeName != "":
		return views.Bound, ""
	}
	if queued, ok := s.e.Queue().Get(pod.Namespace, pod.Name); ok {
		if message := world.PendingMessage(pod); message != "" {
			return stateOf(queued.State()), message
		}
		return stateOf(queued.State()), strings.Join(queued.Rejectors(), ", ")
	}
	state := s.podState(s.e, pod.Namespace, pod.Name)
	if state == views.Deleted {
		return views.Created, "waits for the scheduler " + pod.Spec.SchedulerName
	}
	return state, ""
}

func (s source) wholePod(o world.Object) views.ClusterPod {
	pod := o.(*v1.Pod)
	p := s.briefClusterPod(pod)
	p.Namespace, p.PodName = "", ""
	p.Name, p.Key = podNames(world.PodRefOf(pod))
	p.Node, p.Reason = printable.Text(p.NodeKey), printable.Text(framework.MainOf(p.Reason).String())
	addRequests(&p, pod)
	p.CPU, p.Memory = cpuText(p.MilliCPU), bytesText(p.MemoryBytes)
	return p
}

func addRequests(p *views.ClusterPod, pod *v1.Pod) {
	list := requestsOf(pod)
	p.MilliCPU, p.MemoryBytes = requests.Amount(v1.ResourceCPU, *list.Cpu()), requests.Amount(v1.ResourceMemory, *list.Memory())
}
