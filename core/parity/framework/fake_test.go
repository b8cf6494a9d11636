package framework

import (
	"context"
	"errors"
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
)

// answer is a scripted plugin's status at one extension point.
type answer struct {
	code   fwk.Code
	reason string
}

func (a answer) status() *fwk.Status {
	switch a.code {
	case fwk.Success:
		return nil
	case fwk.Error:
		return fwk.AsStatus(errors.New(a.reason))
	}
	return fwk.NewStatus(a.code, a.reason)
}

// scripted is a plugin for every extension point, with an answer for each.
type scripted struct {
	name                                                               string
	preFilter, postFilter, preScore, score, normalize, reserve, permit answer
	preFlight, preBind, bind, addPod                                   answer
	filters                                                            map[string]answer // by node and number of its pods
	scores                                                             map[string]int64
	only                                                               []string // the nodes that PreFilter returns
	nominate                                                           *fwk.NominatingInfo
	wait                                                               time.Duration
	log                                                                *callLog
}

var (
	_ fwk.PreFilterPlugin  = (*scripted)(nil)
	_ fwk.FilterPlugin     = (*scripted)(nil)
	_ fwk.PostFilterPlugin = (*scripted)(nil)
	_ fwk.PreScorePlugin   = (*scripted)(nil)
	_ fwk.ScorePlugin      = (*scripted)(nil)
	_ fwk.ReservePlugin    = (*scripted)(nil)
	_ fwk.PermitPlugin     = (*scripted)(nil)
	_ fwk.PreBindPlugin    = (*scripted)(nil)
	_ fwk.BindPlugin       = (*scripted)(nil)
	_ fwk.PostBindPlugin   = (*scripted)(nil)
)

func (p *scripted) record(point string) { p.log.add(point + " " + p.name) }

func (p *scripted) Name() string { return p.name }

func (p *scripted) PreFilter(context.Context, fwk.CycleState, *v1.Pod, []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	p.record("PreFilter")
	if p.only == nil {
		return nil, p.preFilter.status()
	}
	return &fwk.PreFilterResult{NodeNames: sets.New(p.only...)}, p.preFilter.status()
}

func (p *scripted) PreFilterExtensions() fwk.PreFilterExtensions { return p }

func (p *scripted) AddPod(context.Context, fwk.CycleState, *v1.Pod, fwk.PodInfo, fwk.NodeInfo) *fwk.Status {
	p.record("AddPod")
	return p.addPod.status()
}

func (p *scripted) RemovePod(context.Context, fwk.CycleState, *v1.Pod, fwk.PodInfo, fwk.NodeInfo) *fwk.Status {
	p.record("RemovePod")
	return p.addPod.status()
}

func (p *scripted) Filter(_ context.Context, _ fwk.CycleState, _ *v1.Pod, n fwk.NodeInfo) *fwk.Status {
	p.record("Filter")
	return p.filters[fmt.Sprint(n.Node().Name, len(n.GetPods()))].status()
}

func (p *scripted) PostFilter(context.Context, fwk.CycleState, *v1.Pod, fwk.NodeToStatusReader) (*fwk.PostFilterResult, *fwk.Status) {
	p.record("PostFilter")
	if p.nominate == nil {
		return nil, p.postFilter.status()
	}
	return &fwk.PostFilterResult{NominatingInfo: p.nominate}, p.postFilter.status()
}

func (p *scripted) PreScore(context.Context, fwk.CycleState, *v1.Pod, []fwk.NodeInfo) *fwk.Status {
	p.record("PreScore")
	return p.preScore.status()
}

func (p *scripted) Score(_ context.Context, _ fwk.CycleState, _ *v1.Pod, n fwk.NodeInfo) (int64, *fwk.Status) {
	p.record("Score")
	return p.scores[n.Node().Name], p.score.status()
}

func (p *scripted) ScoreExtensions() fwk.ScoreExtensions { return p }

func (p *scripted) NormalizeScore(_ context.Context, _ fwk.CycleState, _ *v1.Pod, list fwk.NodeScoreList) *fwk.Status {
	p.record("Normalize")
	for i := range list {
		list[i].Score++
	}
	return p.normalize.status()
}

func (p *scripted) Reserve(context.Context, fwk.CycleState, *v1.Pod, string) *fwk.Status {
	p.record("Reserve")
	return p.reserve.status()
}

func (p *scripted) Unreserve(context.Context, fwk.CycleState, *v1.Pod, string) { p.record("Unreserve") }

func (p *scripted) Permit(context.Context, fwk.CycleState, *v1.Pod, string) (*fwk.Status, time.Duration) {
	p.record("Permit")
	return p.permit.status(), p.wait
}

func (p *scripted) PreBindPreFlight(context.Context, fwk.CycleState, *v1.Pod, string) (*fwk.PreBindPreFlightResult, *fwk.Status) {
	p.record("PreFlight")
	return nil, p.preFlight.status()
}

func (p *scripted) PreBind(context.Context, fwk.CycleState, *v1.Pod, string) *fwk.Status {
	p.record("PreBind")
	return p.preBind.status()
}

func (p *scripted) Bind(context.Context, fwk.CycleState, *v1.Pod, string) *fwk.Status {
	p.record("Bind")
	return p.bind.status()
}

func (p *scripted) PostBind(context.Context, fwk.CycleState, *v1.Pod, string) { p.record("PostBind") }

// sorter is the one QueueSort plugin.
type sorter struct{}

func (sorter) Name() string                        { return "Sort" }
func (sorter) Less(_, _ fwk.QueuedEntityInfo) bool { return false }

// nominator has the nominated pods of nodes.
type nominator map[string][]fwk.PodInfo

func (n nominator) NominatedPodsForNode(node string) []fwk.PodInfo              { return n[node] }
func (nominator) AddNominatedPod(klog.Logger, fwk.PodInfo, *fwk.NominatingInfo) {}
func (nominator) DeleteNominatedPodIfExists(*v1.Pod)                            {}
func (nominator) UpdateNominatedPod(klog.Logger, *v1.Pod, fwk.PodInfo)          {}
