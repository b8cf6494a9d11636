package framework_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
	"orrery/core/world"
)

// Shows FRAME-19, FRAME-20 and FRAME-21.
func TestRunReservePluginsReserve(t *testing.T) {
	tests := []struct {
		name        string
		a, b        answer
		want, calls string
	}{
		{"all reserve", answer{}, answer{}, "Success", "Reserve A, Reserve B, Reserve C"},
		{
			"the first failure ends it; all unreserve, the last first, even C, whose Reserve was not called",
			answer{},
			answer{fwk.Unschedulable, "gone"},
			"Unschedulable by B: gone", "Reserve A, Reserve B, Unreserve C, Unreserve B, Unreserve A",
		},
		{
			"an error names the plugin",
			answer{fwk.Error, "lost"},
			answer{},
			`Error: running Reserve plugin "A": lost`, "Reserve A, Unreserve C, Unreserve B, Unreserve A",
		},
		{
			"a status that makes no sense is an error",
			answer{fwk.Wait, ""},
			answer{},
			`Error: running Reserve plugin "A": unexpected status Wait`, "Reserve A, Unreserve C, Unreserve B, Unreserve A",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var log []string
			p := profile(t, framework.Options{}, reserve{fake{"A", &log}, tt.a}, reserve{fake{"B", &log}, tt.b}, reserve{fake: fake{"C", &log}})
			state := framework.NewCycleState()
			status := p.RunReservePluginsReserve(ctx, state, web, "n1")
			if !status.IsSuccess() {
				p.RunReservePluginsUnreserve(ctx, state, web, "n1")
			}
			if got := describe(status); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if got := strings.Join(log, ", "); got != tt.calls {
				t.Errorf("calls: got %q, want %q", got, tt.calls)
			}
		})
	}
}

// Shows FRAME-23.
func TestRunPermitPlugins(t *testing.T) {
	tests := []struct {
		name    string
		plugins []permit
		want    string
		called  string
		waits   string // the pending plugins and the deadline
	}{
		{"all approve", []permit{{}, {}}, "Success", "A B", ""},
		{
			"Wait does not end the calls",
			[]permit{{answer: answer{fwk.Wait, ""}, wait: time.Minute}, {}, {answer: answer{fwk.Wait, ""}, wait: time.Hour}},
			`Wait: one or more plugins asked to wait and no plugin rejected pod "web"`, "A B C", "A C until 1m0s",
		},
		{
			"the timeout is at most 15 minutes",
			[]permit{{answer: answer{fwk.Wait, ""}, wait: time.Hour}},
			`Wait: one or more plugins asked to wait and no plugin rejected pod "web"`, "A", "A until 15m0s",
		},
		{
			"a rejection ends it, and the pod does not wait",
			[]permit{{answer: answer{fwk.Wait, ""}, wait: time.Minute}, {answer: answer{fwk.Unschedulable, "no"}}, {}},
			"Unschedulable by B: no", "A B", "",
		},
		{
			"an error ends it",
			[]permit{{answer: answer{fwk.Wait, ""}, wait: time.Minute}, {answer: answer{fwk.Error, "lost"}}, {}},
			`Error by B: running Permit plugin "B": lost`, "A B", "",
		},
		{
			"Skip makes no sense here",
			[]permit{{answer: answer{fwk.Skip, ""}}},
			`Error by A: running Permit plugin "A": unexpected status Skip`, "A", "",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var log []string
			var plugins []fwk.Plugin
			for i, p := range tt.plugins {
				p.fake = fake{string(rune('A' + i)), &log}
				plugins = append(plugins, p)
			}
			p := profile(t, framework.Options{}, plugins...)
			status := p.RunPermitPlugins(ctx, framework.NewCycleState(), web, "n1", t0)
			if got := describe(status); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if got := strings.ReplaceAll(strings.Join(log, " "), "Permit ", ""); got != tt.called {
				t.Errorf("called %q, want %q", got, tt.called)
			}
			waits := ""
			if p.WillWaitOnPermit(web) {
				at, _ := p.WaitingPods().NextDeadline()
				waits = strings.Join(p.GetWaitingPod(web.UID).GetPendingPlugins(), " ") + " until " + at.Sub(t0).String()
			}
			if waits != tt.waits {
				t.Errorf("the pod waits for %q, want %q", waits, tt.waits)
			}
		})
	}
}

func TestRunPreBindPreFlights(t *testing.T) {
	tests := []struct {
		name      string
		a, b      answer
		want      string
		remaining string // the plugins whose PreBind is called
	}{
		{"both have work", answer{}, answer{}, "Success", "A B"},
		{"one has work", answer{fwk.Skip, ""}, answer{}, "Success", "B"},
		{"all plugins skip", answer{fwk.Skip, ""}, answer{fwk.Skip, ""}, "Skip", ""},
		{"an error ends it, and no plugin is skipped", answer{fwk.Skip, ""}, answer{fwk.Error, "lost"}, `Error: running PreBindPreFlight "B": lost`, "A B"},
		{
			"anything else is not supported",
			answer{fwk.Unschedulable, "no"},
			answer{},
			`Error: PreBindPreFlight A returned "Unschedulable", which is unsupported. It is supposed to return Success, Skip, or Error status`, "A B",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := profile(t, framework.Options{}, preBind{fake: fake{name: "A"}, preFlight: tt.a}, preBind{fake: fake{name: "B"}, preFlight: tt.b})
			for _, state := range []fwk.CycleState{framework.NewCycleState(), foreign{framework.NewCycleState()}} {
				if got := describe(p.RunPreBindPreFlights(ctx, state, web, "n1")); got != tt.want {
					t.Errorf("%T: got %q, want %q", state, got, tt.want)
				}
				var remaining []string
				for _, plugin := range p.PreBindPlugins(state) {
					remaining = append(remaining, plugin.Name())
				}
				if got := strings.Join(remaining, " "); got != tt.remaining {
					t.Errorf("%T: plugins to call: %q, want %q", state, got, tt.remaining)
				}
			}
		})
	}
}

// Shows FRAME-26.
func TestRunPreBindPlugins(t *testing.T) {
	tests := []struct {
		name         string
		b            answer
		skip         []string
		want, called string
	}{
		{name: "all are called", want: "Success", called: "A B C"},
		{name: "a plugin skipped by the preflight is not called", skip: []string{"A", "C"}, want: "Success", called: "B"},
		{name: "a rejection ends it", b: answer{fwk.Unschedulable, "gone"}, want: "Unschedulable by B: gone", called: "A B"},
		{name: "an error ends it", b: answer{fwk.Error, "lost"}, want: `Error: running PreBind plugin "B": lost`, called: "A B"},
		{name: "Skip is an error in PreBind", b: answer{fwk.Skip, ""}, want: `Error: running PreBind plugin "B": unexpected status Skip`, called: "A B"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var log []string
			p := profile(t, framework.Options{}, preBind{fake: fake{"A", &log}}, preBind{fake: fake{"B", &log}, answer: tt.b}, preBind{fake: fake{"C", &log}})
			state := framework.NewCycleState()
			state.SetSkipPreBindPlugins(sets.New(tt.skip...))
			if got := describe(p.RunPreBindPlugins(ctx, state, web, "n1")); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if got := strings.ReplaceAll(strings.Join(log, " "), "PreBind ", ""); got != tt.called {
				t.Errorf("called %q, want %q", got, tt.called)
			}

			// Calling the plugins one by one and checking each status has the same result.
			var status *fwk.Status
			for _, plugin := range p.PreBindPlugins(state) {
				if status = p.CheckPreBindStatus(plugin.Name(), plugin.PreBind(ctx, state, web, "n1")); status != nil {
					break
				}
			}
			if got := describe(status); got != tt.want {
				t.Errorf("one at a time: got %q, want %q", got, tt.want)
			}
		})
	}
}

// Shows FRAME-27.
func TestRunBindPlugins(t *testing.T) {
	tests := []struct {
		name         string
		plugins      []bind
		want, called string
	}{
		{"Skip continues with the next plugin, success ends it", []bind{{answer: answer{fwk.Skip, ""}}, {}, {}}, "Success", "A B"},
		{"all plugins skip", []bind{{answer: answer{fwk.Skip, "not mine"}}, {answer: answer{fwk.Skip, "nor mine"}}}, "Skip: nor mine", "A B"},
		{"a rejection ends it", []bind{{answer: answer{fwk.Unschedulable, "no"}}, {}}, "Unschedulable by A: no", "A"},
		{"an error ends it", []bind{{answer: answer{fwk.Error, "conflict"}}, {}}, `Error: running Bind plugin "A": conflict`, "A"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var log []string
			var plugins []fwk.Plugin
			for i, p := range tt.plugins {
				p.fake = fake{string(rune('A' + i)), &log}
				plugins = append(plugins, p)
			}
			p := profile(t, framework.Options{}, plugins...)
			if got := describe(p.RunBindPlugins(ctx, framework.NewCycleState(), web, "n1")); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if got := strings.ReplaceAll(strings.Join(log, " "), "Bind ", ""); got != tt.called {
				t.Errorf("called %q, want %q", got, tt.called)
			}
			if n := len(p.BindPlugins()); n != len(tt.plugins) {
				t.Errorf("%d plugins can bind, want %d", n, len(tt.plugins))
			}
		})
	}
}

// namer is a Bind plugin that can name its binding.
type namer struct{ bind }

func (namer) Binding(pod *v1.Pod, node string) world.Bind {
	return world.Bind{Pod: world.PodRefOf(pod), Node: node}
}

func TestBinder_ReturnsBindingWithoutCallingAPI(t *testing.T) {
	p := profile(t, framework.Options{}, bind{fake: fake{name: "blocks"}, answer: answer{fwk.Skip, ""}}, namer{bind{fake: fake{name: "names"}}})
	var binding world.Bind
	for _, plugin := range p.BindPlugins() {
		if binder, ok := plugin.(framework.Binder); ok {
			binding = binder.Binding(web, "n1")
		}
	}
	if diff := cmp.Diff(world.Bind{Pod: world.PodRefOf(web), Node: "n1"}, binding); diff != "" {
		t.Errorf("binding (-want +got):\n%s", diff)
	}
}
