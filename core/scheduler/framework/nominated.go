package framework

import (
	"context"

	v1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/reuse"
)

// RunFilterPluginsWithNominatedPods runs the Filter plugins on a node to which other pods may be nominated.
//
// Nominated pods of the same or a higher priority are added first. If the pod fits beside them it must also fit without
// them, because they may be bound elsewhere and an affinity may depend on them.
func (p *Profile) RunFilterPluginsWithNominatedPods(ctx context.Context, state fwk.CycleState, pod *v1.Pod, info fwk.NodeInfo) *fwk.Status {
	if p.PodNominator != nil {
		if all := p.NominatedPodsForNode(info.Node().Name); len(all) > 0 {
			return p.keptVerdict(ctx, state, pod, info, mustLeaveRoomFor(all, pod))
		}
	}
	return p.filter(ctx, state, pod, info, recorderOf(state), false)
}

// MustLeaveRoom reports whether a pod must leave room for a nominated one: one of the same or a higher priority.
func MustLeaveRoom(pod, nominated *v1.Pod) bool {
	return corev1helpers.PodPriority(nominated) >= corev1helpers.PodPriority(pod) && nominated.UID != pod.UID
}

// nominees are the pods that are nominated for a node and that a pod must leave room for.
type nominees struct {
	infos []fwk.PodInfo
	pods  []*v1.Pod // of the infos
}

func mustLeaveRoomFor(nominated []fwk.PodInfo, pod *v1.Pod) nominees {
	n := nominees{make([]fwk.PodInfo, 0, len(nominated)), make([]*v1.Pod, 0, len(nominated))}
	for _, info := range nominated {
		if other := info.GetPod(); MustLeaveRoom(pod, other) {
			n.infos, n.pods = append(n.infos, info), append(n.pods, other)
		}
	}
	return n
}

// nominatedVerdict is a verdict that is kept, with the calls that it takes.
type nominatedVerdict struct {
	status *fwk.Status
	calls  []FilterCount
}

const nominatedVerdictBytes = 48

// keptVerdict is the verdict that is kept for the node, or a new one. Only nodes of a cache have generations that tell
// whether it holds.
func (p *Profile) keptVerdict(ctx context.Context, state fwk.CycleState, pod *v1.Pod, info fwk.NodeInfo, n nominees) *fwk.Status {
	kept := p.nominatedResults(state, pod)
	if kept == nil || info.GetGeneration() <= 0 {
		return p.verdictBeside(ctx, state, pod, info, n, kept != nil)
	}
	if known, ok := kept.Find(info, n.pods).(*nominatedVerdict); ok {
		p.CountFilters(known.calls)
		return known.status
	}
	before := p.FilterCounts(nil)
	status := p.verdictBeside(ctx, state, pod, info, n, true)
	if status.IsSuccess() || status.IsRejected() {
		calls := p.FilterCallsSince(before)
		kept.Keep(info, n.pods, &nominatedVerdict{status, calls}, nominatedVerdictBytes+filterCountBytes*len(calls))
	}
	return status
}

// verdictBeside filters the node. The state is copied unless it is stateless: adding a pod leaves it as it is.
func (p *Profile) verdictBeside(ctx context.Context, state fwk.CycleState, pod *v1.Pod, info fwk.NodeInfo, n nominees, stateless bool) *fwk.Status {
	recorder := recorderOf(state)
	if len(n.infos) > 0 {
		copiedState, copiedNode, err := p.addNominatedPods(ctx, state, pod, info, n.infos, stateless)
		if err != nil {
			return fwk.AsStatus(err)
		}
		if status := p.filter(ctx, copiedState, pod, copiedNode, recorder, true); !status.IsSuccess() {
			p.recordFilters(ctx, state, pod, info, recorder)
			return status
		}
	}
	return p.filter(ctx, state, pod, info, recorder, false)
}

// addNominatedPods adds nominated pods to copies of state and node.
func (p *Profile) addNominatedPods(ctx context.Context, state fwk.CycleState, pod *v1.Pod, info fwk.NodeInfo, pods []fwk.PodInfo, stateless bool) (fwk.CycleState, fwk.NodeInfo, error) {
	copiedState, copiedNode := state, info.Snapshot()
	if !stateless {
		copiedState = state.Clone()
	}
	for _, nominated := range pods {
		copiedNode.AddPodInfo(nominated)
		if stateless {
			continue
		}
		if status := p.RunPreFilterExtensionAddPod(ctx, copiedState, pod, nominated, copiedNode); !status.IsSuccess() {
			return nil, nil, status.AsError()
		}
	}
	return copiedState, copiedNode, nil
}

// nominatedResults are the verdicts that are kept for pods like this one.
func (p *Profile) nominatedResults(state fwk.CycleState, pod *v1.Pod) *reuse.Results {
	own, ok := state.(*CycleState)
	if !ok {
		return nil
	}
	if !own.foundNominated {
		own.nominated, own.foundNominated = p.NodeResults(state, pod, "beside nominated pods"), true
	}
	return own.nominated
}
