package queue

import (
	"fmt"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	ours "orrery/core/scheduler/queue"
)

// compare records every difference between the two queues.
func (p *player) compare() {
	p.us.Flush(time.Now())
	for i := range podSlots {
		p.comparePod(fmt.Sprint("p", i))
	}
	for _, node := range []string{"n0", "n1", "n2", ""} {
		if them, us := nominees(p.them.NominatedPodsForNode(node)), nominees(p.us.NominatedPodsForNode(node)); !slices.Equal(them, us) {
			p.differ("pods nominated for node %s: upstream %v, ours %v", node, them, us)
		}
	}
	if them, us := p.theirInFlight(), p.ourInFlight(); !slices.Equal(them, us) {
		p.differ("pods in flight: upstream %v, ours %v", them, us)
	}
	if them, us := p.them.SchedulingCycle(), p.us.SchedulingCycle(); them != us {
		p.differ("scheduling cycle: upstream %d, ours %d", them, us)
	}
}

func (p *player) comparePod(name string) {
	them, state := p.theirState(name)
	us, ok := p.us.Get("ns", name)
	if !ok {
		if state != ours.Gone {
			p.differ("%s: upstream in %s, ours does not have it", name, state)
		}
		return
	}
	if us.State() != state {
		p.differ("%s: upstream in %s, ours in %s", name, state, us.State())
		return
	}
	p.compareInfo(them, us)
}

func (p *player) theirState(name string) (*framework.QueuedPodInfo, ours.State) {
	var states []ours.State
	info, _ := p.them.GetPod(name, "ns", nil)
	named := func(pod *v1.Pod) bool { return pod.Name == name }
	if slices.ContainsFunc(p.them.PodsInActiveQ(), named) {
		states = append(states, ours.Active)
	}
	if slices.ContainsFunc(p.them.PodsInBackoffQ(), named) {
		if info.UnschedulablePlugins.Len()+info.PendingPlugins.Len() == 0 {
			states = append(states, ours.ErrorBackoff)
		} else {
			states = append(states, ours.Backoff)
		}
	}
	if slices.ContainsFunc(p.them.UnschedulablePods(), named) {
		if info.Gated() {
			states = append(states, ours.Gated)
		} else {
			states = append(states, ours.Unschedulable)
		}
	}
	switch len(states) {
	case 0:
		return nil, ours.Gone
	case 1:
		return info, states[0]
	}
	p.differ("%s: upstream in %v at once", name, states)
	return info, states[0]
}

func (p *player) compareInfo(them *framework.QueuedPodInfo, us *ours.Pod) {
	name := them.Pod.Name
	differ := func(what string, t, u any) {
		if t != u {
			p.differ("%s of %s: upstream %v, ours %v", what, name, t, u)
		}
	}
	differ("object", them.Pod, us.Pod())
	differ("attempts", them.Attempts, us.GetAttempts())
	differ("unschedulable count", them.UnschedulableCount, us.GetUnschedulableCount())
	differ("errors in a row", them.ConsecutiveErrorsCount, us.GetConsecutiveErrorsCount())
	differ("timestamp", them.Timestamp, us.GetTimestamp())
	if !them.BackoffExpiration.IsZero() {
		differ("back-off", them.BackoffExpiration, us.GetBackoffExpiration())
	}
	differ("unschedulable plugins", fmt.Sprint(sets.List(them.UnschedulablePlugins)), fmt.Sprint(sets.List(us.GetUnschedulablePlugins())))
	differ("pending plugins", fmt.Sprint(sets.List(them.PendingPlugins)), fmt.Sprint(sets.List(us.GetPendingPlugins())))
	differ("gating plugin", them.GatingPlugin, us.GetGatingPlugin())
	first, ourFirst := them.InitialAttemptTimestamp, us.GetInitialAttemptTimestamp()
	if (first == nil) != (ourFirst == nil) || (first != nil && !first.Equal(*ourFirst)) {
		p.differ("first attempt of %s: upstream %v, ours %v", name, first, ourFirst)
	}
}

func nominees(infos []fwk.PodInfo) []string {
	var list []string
	for _, info := range infos {
		pod := info.GetPod()
		list = append(list, fmt.Sprint(pod.UID, " v", pod.ResourceVersion))
	}
	return list
}

func (p *player) theirInFlight() []types.UID {
	var uids []types.UID
	for _, pod := range p.them.InFlightPods() {
		uids = append(uids, pod.UID)
	}
	slices.Sort(uids)
	return uids
}

func (p *player) ourInFlight() []types.UID {
	var uids []types.UID
	for _, pod := range p.us.InFlight() {
		uids = append(uids, pod.Pod().UID)
	}
	slices.Sort(uids)
	return uids
}
