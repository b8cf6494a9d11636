package framework_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/klog/v2"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	"orrery/core/world"
)

// panicking panics at every extension point, and in everything else that is called.
type panicking struct{ named }

func (p panicking) panic() { panic(errors.New("out of\x1b[31m range")) }

func (p panicking) PreEnqueue(context.Context, *v1.Pod) *fwk.Status      { p.panic(); return nil }
func (p panicking) Less(fwk.QueuedEntityInfo, fwk.QueuedEntityInfo) bool { p.panic(); return true }
func (p panicking) PreFilter(context.Context, fwk.CycleState, *v1.Pod, []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	p.panic()
	return nil, nil
}
func (p panicking) PreFilterExtensions() fwk.PreFilterExtensions { return p }
func (p panicking) AddPod(context.Context, fwk.CycleState, *v1.Pod, fwk.PodInfo, fwk.NodeInfo) *fwk.Status {
	p.panic()
	return nil
}

func (p panicking) RemovePod(context.Context, fwk.CycleState, *v1.Pod, fwk.PodInfo, fwk.NodeInfo) *fwk.Status {
	p.panic()
	return nil
}

func (p panicking) Filter(context.Context, fwk.CycleState, *v1.Pod, fwk.NodeInfo) *fwk.Status {
	p.panic()
	return nil
}

func (p panicking) PostFilter(context.Context, fwk.CycleState, *v1.Pod, fwk.NodeToStatusReader) (*fwk.PostFilterResult, *fwk.Status) {
	p.panic()
	return nil, nil
}

func (p panicking) PreScore(context.Context, fwk.CycleState, *v1.Pod, []fwk.NodeInfo) *fwk.Status {
	p.panic()
	return nil
}

func (p panicking) Score(context.Context, fwk.CycleState, *v1.Pod, fwk.NodeInfo) (int64, *fwk.Status) {
	p.panic()
	return 0, nil
}
func (p panicking) ScoreExtensions() fwk.ScoreExtensions { return nil }
func (p panicking) Reserve(context.Context, fwk.CycleState, *v1.Pod, string) *fwk.Status {
	p.panic()
	return nil
}
func (p panicking) Unreserve(context.Context, fwk.CycleState, *v1.Pod, string) { p.panic() }
func (p panicking) Permit(context.Context, fwk.CycleState, *v1.Pod, string) (*fwk.Status, time.Duration) {
	p.panic()
	return nil, 0
}

func (p panicking) PreBindPreFlight(context.Context, fwk.CycleState, *v1.Pod, string) (*fwk.PreBindPreFlightResult, *fwk.Status) {
	p.panic()
	return nil, nil
}

func (p panicking) PreBind(context.Context, fwk.CycleState, *v1.Pod, string) *fwk.Status {
	p.panic()
	return nil
}

func (p panicking) Bind(context.Context, fwk.CycleState, *v1.Pod, string) *fwk.Status {
	p.panic()
	return nil
}
func (p panicking) PostBind(context.Context, fwk.CycleState, *v1.Pod, string) { p.panic() }
func (p panicking) SignPod(context.Context, *v1.Pod) ([]fwk.SignFragment, *fwk.Status) {
	p.panic()
	return nil, nil
}
func (p panicking) EffectDone(world.EffectID, world.Action, world.Outcome) { p.panic() }
func (p panicking) ForkFrom(fwk.Plugin)                                    { p.panic() }
func (p panicking) Close() error                                           { p.panic(); return nil }
func (p panicking) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	p.panic()
	return nil, nil
}

// stepping binds in a way that does not block, and its PreBind works in steps.
type stepping struct{ panicking }

func (s stepping) Binding(*v1.Pod, string) world.Bind { s.panic(); return world.Bind{} }
func (s stepping) PreBindStep(fwk.CycleState, *v1.Pod, string, time.Time, *world.Outcome) framework.PreBindStep {
	s.panic()
	return framework.PreBindStep{}
}

// normalizing panics when it normalizes.
type normalizing struct{ named }

func (normalizing) Score(context.Context, fwk.CycleState, *v1.Pod, fwk.NodeInfo) (int64, *fwk.Status) {
	return 1, nil
}
func (n normalizing) ScoreExtensions() fwk.ScoreExtensions { return n }
func (normalizing) NormalizeScore(context.Context, fwk.CycleState, *v1.Pod, fwk.NodeScoreList) *fwk.Status {
	var none []int64
	none[0]++
	return nil
}

// Each point treats a panic as the error that the plugin might have returned there, and names plugin, point and pod.
func TestPanic_IsErrorOfCall(t *testing.T) {
	var seen []*framework.PluginPanic
	o := framework.Options{
		Snapshot: nodes("n1", "n2"), OnPanic: func(p *framework.PluginPanic) { seen = append(seen, p) },
		Features: config.DefaultFeatures(),
	}
	bad := panicking{"Bad"}
	p := profile(t, o, bad)
	info := podInfo{pod: web}
	state := func() fwk.CycleState { return framework.NewCycleState() }
	recorded := func() fwk.CycleState {
		s := framework.NewCycleState()
		s.SetRecorder(&recording{})
		return s
	}
	tests := []struct {
		name  string
		point framework.Point
		call  func() *fwk.Status
		want  string // "Error" and the message before the panic's own text; empty if the call goes on
	}{
		{"PreEnqueue", framework.PreEnqueue, func() *fwk.Status { return p.PreEnqueuePlugins()[0].PreEnqueue(ctx, web) }, "Error: "},
		{"PreFilter", framework.PreFilter, func() *fwk.Status {
			_, status, _ := p.RunPreFilterPlugins(ctx, state(), web)
			return status
		}, `Error by Bad: running PreFilter plugin "Bad": `},
		{"AddPod", framework.PreFilterExtensionAdd, func() *fwk.Status {
			return p.RunPreFilterExtensionAddPod(ctx, state(), web, info, nodes("n1")[0])
		}, `Error: running AddPod on PreFilter plugin "Bad": `},
		{"RemovePod", framework.PreFilterExtensionRemove, func() *fwk.Status {
			return p.RunPreFilterExtensionRemovePod(ctx, state(), web, info, nodes("n1")[0])
		}, `Error: running RemovePod on PreFilter plugin "Bad": `},
		{"Filter", framework.Filter, func() *fwk.Status {
			return p.RunFilterPluginsWithNominatedPods(ctx, state(), web, nodes("n1")[0])
		}, `Error by Bad: running "Bad" filter plugin: `},
		{"Filter, recorded", framework.Filter, func() *fwk.Status {
			return p.RunFilterPlugins(ctx, recorded(), web, nodes("n1")[0])
		}, `Error by Bad: running "Bad" filter plugin: `},
		{"PostFilter", framework.PostFilter, func() *fwk.Status {
			_, status := p.RunPostFilterPlugins(ctx, state(), web, framework.NewNodeToStatus(0))
			return status
		}, "Error by Bad: "},
		{"PreScore", framework.PreScore, func() *fwk.Status { return p.RunPreScorePlugins(ctx, state(), web, nodes("n1")) }, `Error: running PreScore plugin "Bad": `},
		{"Score", framework.Score, func() *fwk.Status {
			_, status := p.RunScorePlugins(ctx, state(), web, nodes("n1"))
			return status
		}, `Error: running Score plugins: plugin "Bad" failed with: `},
		{"Reserve", framework.Reserve, func() *fwk.Status { return p.RunReservePluginsReserve(ctx, state(), web, "n1") }, `Error: running Reserve plugin "Bad": `},
		{"Unreserve", framework.Unreserve, func() *fwk.Status { p.RunReservePluginsUnreserve(ctx, state(), web, "n1"); return nil }, ""},
		{"Permit", framework.Permit, func() *fwk.Status { return p.RunPermitPlugins(ctx, state(), web, "n1", t0) }, `Error by Bad: running Permit plugin "Bad": `},
		{"PreBindPreFlight", framework.PreBindPreFlight, func() *fwk.Status { return p.RunPreBindPreFlights(ctx, state(), web, "n1") }, `Error: running PreBindPreFlight "Bad": `},
		{"PreBind", framework.PreBind, func() *fwk.Status { return p.RunPreBindPlugins(ctx, state(), web, "n1") }, `Error: running PreBind plugin "Bad": `},
		{"a step of PreBind", framework.PreBind, func() *fwk.Status {
			return p.CallPreBindStep(stepping{bad}, state(), web, "n1", t0, nil).Status
		}, "Error: "},
		{"Bind", framework.Bind, func() *fwk.Status { return p.RunBindPlugins(ctx, state(), web, "n1") }, `Error: running Bind plugin "Bad": `},
		{"a binding", framework.Bind, func() *fwk.Status { _, status := p.CallBinding(stepping{bad}, web, "n1"); return status }, "Error: "},
		{"PostBind", framework.PostBind, func() *fwk.Status { p.RunPostBindPlugins(ctx, state(), web, "n1"); return nil }, ""},
		{"SignPod", framework.Sign, func() *fwk.Status {
			if signature := p.Sign(ctx, web, true); signature != nil {
				return fwk.NewStatus(fwk.Success, string(signature))
			}
			return nil
		}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			seen = nil
			text := "plugin Bad panicked at " + string(tt.point) + ` of pod default/web: out of\x1b[31m range`
			got := describe(tt.call())
			want := "Success"
			if tt.want != "" {
				want = tt.want + text
			}
			if got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			if len(seen) != 1 || seen[0].Error() != text || !strings.Contains(seen[0].Stack, "panicking.panic") {
				t.Fatalf("reported: %+v", seen)
			}
		})
	}
}

func TestPanic_InOtherCalls(t *testing.T) {
	var seen []string
	o := framework.Options{
		Snapshot: nodes("n1", "n2"), OnPanic: func(p *framework.PluginPanic) { seen = append(seen, p.Error()) },
	}
	bad := panicking{"Bad"}
	p := profile(t, o, bad, normalizing{"Norm"})
	if _, err := p.RecoverHints(bad).EventsToRegister(ctx); err == nil {
		t.Error("EventsToRegister panics, and there is no error")
	}
	hints := p.RecoverHints(hinting{named: "Hinting", hint: func(klog.Logger, *v1.Pod, any, any) (fwk.QueueingHint, error) { panic("no idea") }})
	events, err := hints.EventsToRegister(ctx)
	if err != nil || len(events) != 1 {
		t.Fatalf("%d events, error %v", len(events), err)
	}
	if _, err := events[0].QueueingHintFn(klog.Logger{}, web, nil, nil); err == nil {
		t.Error("the hint panics, and there is no error")
	}
	p.EffectDone("Bad", 1, world.Delete{}, world.Outcome{})
	if err := p.ForkFrom(p); err == nil {
		t.Error("ForkFrom panics, and there is no error")
	}
	if err := p.Close(); err == nil {
		t.Error("Close panics, and there is no error")
	}
	want := []string{
		`plugin Bad panicked at EventsToRegister: out of\x1b[31m range`,
		"plugin Hinting panicked at QueueingHint of pod default/web: no idea",
		`plugin Bad panicked at EffectDone: out of\x1b[31m range`,
		`plugin Bad panicked at ForkFrom: out of\x1b[31m range`,
		`plugin Bad panicked at Close: out of\x1b[31m range`,
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("panics (-want +got):\n%s", diff)
	}
}

func TestPanic_WhenNormalizing(t *testing.T) {
	p := profile(t, framework.Options{Snapshot: nodes("n1", "n2")}, normalizing{"Norm"})
	_, status := p.RunScorePlugins(ctx, framework.NewCycleState(), web, nodes("n1", "n2"))
	want := `Error: running Normalize on Score plugins: plugin "Norm" failed with: plugin Norm panicked at ScoreExtensionNormalize of pod default/web: ` +
		"runtime error: index out of range [0] with length 0"
	if got := describe(status); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A QueueSort plugin that panics orders nothing, and the queue goes on.
func TestPanic_InQueueSort(t *testing.T) {
	c := config.Profile{SchedulerName: "test", Plugins: &configv1.Plugins{MultiPoint: set("Bad", "")}}
	var panics int
	p, err := framework.NewProfile(ctx, framework.Registry{"Bad": made(panicking{"Bad"})}, c, framework.Options{OnPanic: func(*framework.PluginPanic) { panics++ }})
	if err != nil {
		t.Fatal(err)
	}
	a, b := ofPod{}, ofPod{}
	if less := p.QueueSortFunc(); less(a, b) || panics != 1 {
		t.Errorf("ordered: %v, %d panics", less(a, b), panics)
	}
}

func TestPanic_InFactory(t *testing.T) {
	registry := framework.Registry{"Bad": func(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) { panic("no kubeconfig") }}
	c := config.Profile{SchedulerName: "test", Plugins: &configv1.Plugins{MultiPoint: set("Bad", "")}}
	_, err := framework.NewProfile(ctx, registry, c, framework.Options{})
	if want := `initializing plugin "Bad": plugin Bad panicked at New: no kubeconfig`; err == nil || err.Error() != want {
		t.Errorf("got error %v, want %s", err, want)
	}
}

// What a plugin panics with is cut to a part of a condition.
func TestPanic_LongValue(t *testing.T) {
	p := profile(t, framework.Options{}, prePermit{"Long", func() { panic(strings.Repeat("x", 1<<20)) }})
	status := p.RunPermitPlugins(ctx, framework.NewCycleState(), web, "n1", t0)
	if n := len(status.Message()); n > 1000 {
		t.Errorf("the message has %d bytes", n)
	}
}

// A code that the API does not define counts as an error, with kube-scheduler's text.
func TestPermit_UnknownCode(t *testing.T) {
	p := profile(t, framework.Options{}, permits{"Odd", fwk.NewStatus(fwk.Code(42), "no such code")})
	status := p.RunPermitPlugins(ctx, framework.NewCycleState(), web, "n1", t0)
	if got, want := describe(status), `Error by Odd: running Permit plugin "Odd": no such code`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// ofPod is web in the queue.
type ofPod struct{ fwk.QueuedEntityInfo }

func (ofPod) GetPodInfo() fwk.PodInfo { return podInfo{pod: web} }

type hinting struct {
	named
	hint fwk.QueueingHintFn
}

func (h hinting) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	return []fwk.ClusterEventWithHint{{Event: fwk.ClusterEvent{Resource: fwk.Pod, ActionType: fwk.Add}, QueueingHintFn: h.hint}}, nil
}

type prePermit struct {
	named
	do func()
}

func (p prePermit) Permit(context.Context, fwk.CycleState, *v1.Pod, string) (*fwk.Status, time.Duration) {
	p.do()
	return nil, 0
}

type permits struct {
	named
	status *fwk.Status
}

func (p permits) Permit(context.Context, fwk.CycleState, *v1.Pod, string) (*fwk.Status, time.Duration) {
	return p.status, 0
}
