package engine

import (
	"fmt"
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/world"
	"orrery/core/world/extender"
)

// awaitsExtenders reports whether a PostFilter plugin asked an extender that has not answered. If not, the plugin's calls are over.
func (e *Engine) awaitsExtenders() bool {
	a := e.preempting.Load()
	if a == nil {
		return false
	}
	if !a.asking.over() {
		return true
	}
	a.asking.take()
	return false
}

// processPreemption asks an extender about victims, and returns errAsked. The plugin is called again when the extender has answered,
// asks again, and gets the answer.
func (s *search) processPreemption(x *extender.Extender, pod *v1.Pod, victims map[string]*extenderv1.Victims, nodes fwk.NodeInfoLister) (map[string]*extenderv1.Victims, error) {
	asked := func(c extenderCall) bool { return c.extender == x }
	if !slices.ContainsFunc(s.asking.calls, asked) {
		s.ask(x, world.ExtenderPreempt, world.ExtenderRequest{Pod: pod, Victims: requestOf(victims)})
	}
	outcome := s.asking.calls[slices.IndexFunc(s.asking.calls, asked)].outcome
	switch {
	case outcome == nil:
		return nil, errAsked
	case !outcome.OK():
		return nil, outcomeError{*outcome}
	case outcome.Answer == nil:
		s.decision.addUnknown(x.Name())
		return maps.Clone(victims), nil
	}
	return answeredVictims(x, outcome.Answer, nodes)
}

// requestOf orders victims by node.
func requestOf(victims map[string]*extenderv1.Victims) []world.ExtenderVictims {
	var list []world.ExtenderVictims
	for _, node := range slices.Sorted(maps.Keys(victims)) {
		list = append(list, world.ExtenderVictims{Node: node, Pods: victims[node].Pods, PDBViolations: victims[node].NumPDBViolations})
	}
	return list
}

// answeredVictims finds the pods of an answer, on any nodes of the snapshot.
func answeredVictims(x *extender.Extender, answer *world.ExtenderAnswer, nodes fwk.NodeInfoLister) (map[string]*extenderv1.Victims, error) {
	all := map[string]*extenderv1.Victims{}
	for _, on := range answer.Victims {
		node, err := nodes.Get(on.Node)
		if err != nil {
			return nil, err
		}
		victims := &extenderv1.Victims{NumPDBViolations: on.PDBViolations}
		for _, uid := range on.Pods {
			pod := podOn(node, uid)
			if pod == nil {
				return nil, fmt.Errorf("extender: %v claims to preempt pod (UID: &{%s}) on node: %v, but the pod is not found on that node", x.Name(), uid, on.Node)
			}
			victims.Pods = append(victims.Pods, pod)
		}
		all[on.Node] = victims
	}
	return all, nil
}

func podOn(node fwk.NodeInfo, uid types.UID) *v1.Pod {
	for _, info := range node.GetPods() {
		if info.GetPod().UID == uid {
			return info.GetPod()
		}
	}
	return nil
}
