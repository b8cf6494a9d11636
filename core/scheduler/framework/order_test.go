package framework_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
)

// tracer is a plugin at every extension point.
type tracer struct {
	preFilter
	filter
	postFilter
	preScore
	score
	reserve
	permit
	preBind
	bind
	log *[]string
}

func newTracer(name string, log *[]string) tracer {
	f := fake{name: name, log: log}
	return tracer{
		preFilter: preFilter{fake: f}, filter: filter{fake: f}, postFilter: postFilter{fake: f, answer: answer{fwk.Unschedulable, "no help"}},
		preScore: preScore{fake: f}, score: score{fake: f, normalize: func(fwk.NodeScoreList) *fwk.Status { return nil }},
		reserve: reserve{fake: f}, permit: permit{fake: f, answer: answer{fwk.Wait, "one second"}, wait: time.Second},
		preBind: preBind{fake: f}, bind: bind{fake: f, answer: answer{fwk.Skip, ""}}, log: log,
	}
}

func (t tracer) Name() string { return t.filter.name }
func (t tracer) PreEnqueue(context.Context, *v1.Pod) *fwk.Status {
	t.filter.note("PreEnqueue")
	return nil
}

func (t tracer) PostBind(context.Context, fwk.CycleState, *v1.Pod, string) { t.filter.note("PostBind") }

// A pod is walked through a whole scheduling and binding cycle of two plugins that serve every extension point, once to
// its node and once to a failure.
// Shows FRAME-05, FRAME-22 and B-16.
func TestProfile_CallsPluginsInOrder(t *testing.T) {
	var log []string
	world := nodes("n1", "n2")
	p := profile(t, framework.Options{Snapshot: world}, newTracer("A", &log), newTracer("B", &log), sorter{fake{name: "Sort"}}, bind{fake: fake{"Binder", &log}})
	state := framework.NewCycleState()

	for _, plugin := range p.PreEnqueuePlugins() {
		plugin.PreEnqueue(ctx, web)
	}
	p.RunPreFilterPlugins(ctx, state, web)
	p.RunFilterPluginsWithNominatedPods(ctx, state, web, world[0])
	p.RunPreScorePlugins(ctx, state, web, world)
	p.RunScorePlugins(ctx, state, web, world)
	p.RunReservePluginsReserve(ctx, state, web, "n1")
	if got := p.RunPermitPlugins(ctx, state, web, "n1", t0); !got.IsWait() {
		t.Fatalf("Permit: got %s, want Wait", describe(got))
	}
	p.RunPreBindPreFlights(ctx, state, web, "n1")
	log = append(log, "(wait)")
	p.GetWaitingPod(web.UID).Allow("A")
	p.GetWaitingPod(web.UID).Allow("B")
	if ended := p.WaitingPods().TakeEnded(); len(ended) != 1 || !ended[0].Status.IsSuccess() {
		t.Fatalf("waiting ended with %v", ended)
	}
	p.RunPreBindPlugins(ctx, state, web, "n1")
	p.RunBindPlugins(ctx, state, web, "n1")
	p.RunPostBindPlugins(ctx, state, web, "n1")
	want := []string{
		"PreEnqueue A", "PreEnqueue B",
		"PreFilter A", "PreFilter B",
		"Filter A", "Filter B",
		"PreScore A", "PreScore B",
		"Score n1 A", "Score n1 B", "Score n2 A", "Score n2 B",
		"Normalize A", "Normalize B",
		"Reserve A", "Reserve B",
		"Permit A", "Permit B",
		"PreBindPreFlight A", "PreBindPreFlight B",
		"(wait)",
		"PreBind A", "PreBind B",
		"Bind A", "Bind B", "Bind Binder",
		"PostBind A", "PostBind B",
	}
	if diff := cmp.Diff(want, log); diff != "" {
		t.Errorf("the way to a node (-want +got):\n%s", diff)
	}

	log = nil
	p.RunPostFilterPlugins(ctx, state, web, framework.NewNodeToStatus(0))
	p.RunReservePluginsUnreserve(ctx, state, web, "n1")
	if diff := cmp.Diff([]string{"PostFilter A", "PostFilter B", "Unreserve B", "Unreserve A"}, log); diff != "" {
		t.Errorf("the way back (-want +got):\n%s", diff)
	}
}
