package cycle

import (
	"fmt"
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/parity/cases"
)

// happening is one event, with the object before and after.
type happening struct {
	resource      fwk.EventResource
	actions       []fwk.ActionType
	before, after any
}

var (
	nodeUpdates = []fwk.ActionType{
		fwk.UpdateNodeAllocatable, fwk.UpdateNodeLabel, fwk.UpdateNodeTaint, fwk.UpdateNodeCondition, fwk.UpdateNodeAnnotation,
		fwk.UpdateNodeDeclaredFeature,
	}
	podUpdates = []fwk.ActionType{
		fwk.UpdatePodLabel, fwk.UpdatePodScaleDown, fwk.UpdatePodToleration, fwk.UpdatePodSchedulingGatesEliminated,
		fwk.UpdatePodGeneratedResourceClaim,
	}
)

// happenings are what the changes of a case come to. An update is told as every kind of update there is: which kinds it
// really is, is the queue's business.
func happenings(c *cases.Case) (list []happening) {
	node := func(name string) *v1.Node {
		i := slices.IndexFunc(c.Nodes, func(n *v1.Node) bool { return n.Name == name })
		if i < 0 {
			return &v1.Node{}
		}
		return c.Nodes[i]
	}
	pods := slices.Concat(c.Bound, c.Waiting)
	pod := func(name cases.Name) *v1.Pod {
		i := slices.IndexFunc(pods, func(p *v1.Pod) bool { return p.Name == name.Name && p.Namespace == name.Namespace })
		if i < 0 {
			return &v1.Pod{}
		}
		return pods[i]
	}
	for i := range c.Changes {
		switch ch := &c.Changes[i]; {
		case ch.AddNode != nil:
			list = append(list, happening{fwk.Node, []fwk.ActionType{fwk.Add}, nil, ch.AddNode})
		case ch.Node != nil:
			list = append(list, happening{fwk.Node, nodeUpdates, node(ch.Node.Name), changedNode(node(ch.Node.Name), ch.Node)})
		case ch.DeleteNode != "":
			list = append(list, happening{fwk.Node, []fwk.ActionType{fwk.Delete}, node(ch.DeleteNode), nil})
		case ch.AddPod != nil:
			list = append(list, happening{fwk.Pod, []fwk.ActionType{fwk.Add}, nil, ch.AddPod})
		case ch.Pod != nil:
			list = append(list, happening{fwk.Pod, podUpdates, pod(ch.Pod.Name), changedPod(pod(ch.Pod.Name), ch.Pod)})
		case ch.DeletePod != nil:
			list = append(list, happening{fwk.Pod, []fwk.ActionType{fwk.Delete}, pod(*ch.DeletePod), nil})
		}
	}
	return list
}

// agreeOnHints asks every plugin of two hosts what it registers, and whether each event of the case would wake each of
// its waiting pods.
func (s *settings) agreeOnHints(theirs, ours *host, c *cases.Case, seen tally) string {
	for _, name := range slices.Sorted(maps.Keys(theirs.plugins)) {
		if refuses[name] {
			continue
		}
		their, our := hintsOf(theirs.plugins[name]), hintsOf(ours.plugins[name])
		for _, event := range happenings(c) {
			for _, action := range event.actions {
				for _, pod := range c.Waiting {
					want, got := their.answer(event, action, pod), our.answer(event, action, pod)
					seen.count("hints: %s", want)
					if want != got && (got != "Queue" || !s.wakesMore(name)) {
						return fmt.Sprintf("hint of %s: about %v %v to %s: kube-scheduler says %s, Orrery %s",
							name, event.resource, action, pod.Name, want, got)
					}
				}
			}
		}
	}
	return ""
}

type hints []fwk.ClusterEventWithHint

func hintsOf(plugin fwk.Plugin) hints {
	extensions, ok := plugin.(fwk.EnqueueExtensions)
	if !ok {
		return nil
	}
	list, err := extensions.EventsToRegister(ctx)
	must(err)
	return list
}

func (h hints) answer(event happening, action fwk.ActionType, pod *v1.Pod) string {
	answer := "not registered"
	for _, e := range h {
		if e.Event.Resource != event.resource || e.Event.ActionType&action == 0 {
			continue
		}
		if e.QueueingHintFn == nil {
			return "Queue"
		}
		hint, err := e.QueueingHintFn(klog.Logger{}, pod, event.before, event.after)
		if hint == fwk.Queue || err != nil {
			return "Queue"
		}
		answer = "QueueSkip"
	}
	return answer
}
