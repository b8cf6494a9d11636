package framework_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
	"orrery/core/testing/mk"
)

// Shows FRAME-10.
func TestRunPreFilterPlugins(t *testing.T) {
	type run struct {
		Status    string
		Nodes     []string // nil: all
		Narrowing []string
		Skipped   []string
		Called    string
	}
	tests := []struct {
		name    string
		plugins []preFilter
		want    run
	}{
		{
			"no plugin restricts the nodes",
			[]preFilter{{}, {}},
			run{Status: "Success", Called: "A B"},
		},
		{
			"a plugin that returns Skip is not called in Filter",
			[]preFilter{{answer: answer{fwk.Skip, "ignored"}}, {}},
			run{Status: "Success", Skipped: []string{"A"}, Called: "A B"},
		},
		{
			"the nodes of a plugin that returns Skip do not count",
			[]preFilter{{answer: answer{fwk.Skip, ""}, nodes: []string{"n1"}}, {}},
			run{Status: "Success", Skipped: []string{"A"}, Called: "A B"},
		},
		{
			"sets of nodes are intersected",
			[]preFilter{{nodes: []string{"n1", "n2"}}, {}, {nodes: []string{"n2", "n3"}}},
			run{Status: "Success", Nodes: []string{"n2"}, Narrowing: []string{"A", "C"}, Called: "A B C"},
		},
		{
			"one plugin selects no node",
			[]preFilter{{}, {nodes: []string{}}, {}},
			run{
				Status: "UnschedulableAndUnresolvable: node(s) didn't satisfy plugin B",
				Nodes:  []string{}, Narrowing: []string{"B"}, Called: "A B",
			},
		},
		{
			"two plugins select no common node",
			[]preFilter{{nodes: []string{"n1"}}, {nodes: []string{"n2"}}, {}},
			run{
				Status: "UnschedulableAndUnresolvable: node(s) didn't satisfy plugin(s) [A B] simultaneously",
				Nodes:  []string{}, Narrowing: []string{"A", "B"}, Called: "A B",
			},
		},
		{
			"Unschedulable lets the others run, whose state preemption needs",
			[]preFilter{{answer: answer{fwk.Unschedulable, "no room"}}, {}, {answer: answer{fwk.Skip, ""}}},
			run{Status: "Unschedulable by A: no room", Skipped: []string{"C"}, Called: "A B C"},
		},
		{
			"of two Unschedulables the last is returned",
			[]preFilter{{answer: answer{fwk.Unschedulable, "first"}}, {answer: answer{fwk.Unschedulable, "last"}}},
			run{Status: "Unschedulable by B: last", Called: "A B"},
		},
		{
			"UnschedulableAndUnresolvable ends it, without the plugins that restricted the nodes",
			[]preFilter{{nodes: []string{"n1"}}, {answer: answer{fwk.UnschedulableAndUnresolvable, "never"}}, {}},
			run{Status: "UnschedulableAndUnresolvable by B: never", Called: "A B"},
		},
		{
			"UnschedulableAndUnresolvable wins over an Unschedulable before it",
			[]preFilter{{answer: answer{fwk.Unschedulable, "no room"}}, {answer: answer{fwk.UnschedulableAndUnresolvable, "never"}}},
			run{Status: "UnschedulableAndUnresolvable by B: never", Called: "A B"},
		},
		{
			"an empty set of nodes ends it",
			[]preFilter{{answer: answer{fwk.Unschedulable, "no room"}}, {nodes: []string{}}},
			run{
				Status: "UnschedulableAndUnresolvable: node(s) didn't satisfy plugin B",
				Nodes:  []string{}, Narrowing: []string{"B"}, Called: "A B",
			},
		},
		{
			"an error ends it; earlier skips are kept",
			[]preFilter{{answer: answer{fwk.Skip, ""}}, {answer: answer{fwk.Error, "lost"}}, {}},
			run{Status: `Error by B: running PreFilter plugin "B": lost`, Skipped: []string{"A"}, Called: "A B"},
		},
		{
			"Pending is an error here",
			[]preFilter{{answer: answer{fwk.Pending, "later"}}, {}},
			run{Status: `Error by A: running PreFilter plugin "A": later`, Called: "A"},
		},
		{
			"Wait is an error",
			[]preFilter{{answer: answer{fwk.Wait, "later"}}},
			run{Status: `Error by A: running PreFilter plugin "A": unexpected status Wait`, Called: "A"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var log []string
			seen := 0
			var plugins []fwk.Plugin
			for i, p := range tt.plugins {
				p.fake, p.seen = fake{string(rune('A' + i)), &log}, &seen
				plugins = append(plugins, p)
			}
			p := profile(t, framework.Options{Snapshot: nodes("n1", "n2", "n3")}, plugins...)
			if tt.want.Skipped == nil {
				tt.want.Skipped = []string{}
			}
			for _, state := range []fwk.CycleState{framework.NewCycleState(), foreign{framework.NewCycleState()}} {
				log = nil
				result, status, narrowing := p.RunPreFilterPlugins(ctx, state, web)
				got := run{
					Status: describe(status), Narrowing: sorted(narrowing), Skipped: sorted(state.GetSkipFilterPlugins()),
					Called: strings.ReplaceAll(strings.Join(log, " "), "PreFilter ", ""),
				}
				if !result.AllNodes() {
					got.Nodes = sorted(result.NodeNames)
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("%T (-want +got):\n%s", state, diff)
				}
			}
			if seen != 3 {
				t.Errorf("the plugins saw %d nodes, want 3", seen)
			}
		})
	}
}

func TestRunPreFilterPlugins_NeedsSnapshot(t *testing.T) {
	p := profile(t, framework.Options{Snapshot: unreadable{}}, preFilter{fake: fake{name: "A"}})
	_, status, _ := p.RunPreFilterPlugins(ctx, framework.NewCycleState(), web)
	if got, want := describe(status), "Error: getting all nodes: snapshot lost"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Shows FRAME-11.
func TestRunFilterPlugins(t *testing.T) {
	tests := []struct {
		name   string
		a, b   answer
		skip   []string
		want   string
		called string
	}{
		{name: "all plugins return success", want: "Success", called: "A B C"},
		{
			name: "the first rejection decides, the remaining plugins are not called",
			b:    answer{fwk.Unschedulable, "no room"}, want: "Unschedulable by B: no room", called: "A B",
		},
		{
			name: "a rejection for good decides likewise",
			a:    answer{fwk.UnschedulableAndUnresolvable, "never"}, b: answer{fwk.Unschedulable, "no room"},
			want: "UnschedulableAndUnresolvable by A: never", called: "A",
		},
		{name: "Pending is a rejection", a: answer{fwk.Pending, "later"}, want: "Pending by A: later", called: "A"},
		{
			name: "an error names the plugin",
			a:    answer{fwk.Error, "lost"}, want: `Error by A: running "A" filter plugin: lost`, called: "A",
		},
		{
			name: "a status that makes no sense is an error that names it",
			a:    answer{fwk.Skip, ""}, want: `Error by A: running "A" filter plugin: unexpected status Skip`, called: "A",
		},
		{
			name: "a plugin skipped by PreFilter is not called",
			a:    answer{fwk.Unschedulable, "no room"}, skip: []string{"A"}, want: "Success", called: "B C",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var log []string
			p := profile(t, framework.Options{},
				filter{fake{"A", &log}, returning(tt.a)}, filter{fake{"B", &log}, returning(tt.b)}, filter{fake: fake{"C", &log}})
			for _, state := range []fwk.CycleState{framework.NewCycleState(), foreign{framework.NewCycleState()}} {
				log = nil
				state.SetSkipFilterPlugins(sets.New(tt.skip...))
				status := p.RunFilterPlugins(ctx, state, web, nodes("n1")[0])
				if got := describe(status); got != tt.want {
					t.Errorf("%T: got %q, want %q", state, got, tt.want)
				}
				if got := strings.ReplaceAll(strings.Join(log, " "), "Filter ", ""); got != tt.called {
					t.Errorf("%T: called %q, want %q", state, got, tt.called)
				}
			}
		})
	}
}

// foreign is a state of another make, as a third party's test may pass in.
type foreign struct{ fwk.CycleState }

func (f foreign) Clone() fwk.CycleState { return foreign{f.CycleState.Clone()} }

// Two plugins, perhaps of two engines in two goroutines, may return one status.
func TestRunFilterPlugins_DoesNotChangeSharedStatus(t *testing.T) {
	full := fwk.NewStatus(fwk.Unschedulable, "no room")
	mine := fwk.NewStatus(fwk.Unschedulable, "no room").WithPlugin("B")
	shared := func(fwk.NodeInfo) *fwk.Status { return full }
	state, n1 := framework.NewCycleState(), nodes("n1")[0]
	first := profile(t, framework.Options{}, filter{fake{name: "A"}, shared}).RunFilterPlugins(ctx, state, web, n1)
	second := profile(t, framework.Options{}, filter{fake{name: "B"}, shared}).RunFilterPlugins(ctx, state, web, n1)
	if first.Plugin() != "A" || second.Plugin() != "B" || full.Plugin() != "" {
		t.Errorf("the rejections are by %q and %q, the shared status by %q", first.Plugin(), second.Plugin(), full.Plugin())
	}
	ready := profile(t, framework.Options{}, filter{fake{name: "B"}, func(fwk.NodeInfo) *fwk.Status { return mine }})
	if got := ready.RunFilterPlugins(ctx, state, web, n1); got != mine {
		t.Error("a status with its plugin's name was copied")
	}
}

func TestRunFilterPluginsWithNominatedPods(t *testing.T) {
	pod := func(name string, priority int32) fwk.PodInfo {
		return podInfo{pod: mk.Pod(name).Priority(priority).Obj()}
	}
	incoming := mk.Pod("incoming").Priority(10).Obj()
	// fits accepts up to n pods besides the incoming one.
	fits := func(room int) func(fwk.NodeInfo) *fwk.Status {
		return func(n fwk.NodeInfo) *fwk.Status {
			if len(n.(*node).pods) > room {
				return fwk.NewStatus(fwk.Unschedulable, "full: "+strings.Join(n.(*node).pods, " "))
			}
			return nil
		}
	}
	// friend must be on the node.
	friend := func(name string) func(fwk.NodeInfo) *fwk.Status {
		return func(n fwk.NodeInfo) *fwk.Status {
			if !strings.Contains(strings.Join(n.(*node).pods, " "), name) {
				return fwk.NewStatus(fwk.Unschedulable, name+" is missing")
			}
			return nil
		}
	}
	tests := []struct {
		name      string
		nominated []fwk.PodInfo
		status    func(fwk.NodeInfo) *fwk.Status
		addPod    answer
		want      string
		calls     string
	}{
		{name: "no nominated pods: one pass", status: fits(0), want: "Success", calls: "Filter A"},
		{
			name:      "a nominated pod of a higher priority counts",
			nominated: []fwk.PodInfo{pod("vip", 11)}, status: fits(0),
			want: "Unschedulable by A: full: vip", calls: "AddPod vip P, Filter A",
		},
		{
			name:      "one of the same priority counts, in the order of nomination",
			nominated: []fwk.PodInfo{pod("vip", 11), pod("peer", 10)}, status: fits(1),
			want: "Unschedulable by A: full: vip peer", calls: "AddPod vip P, AddPod peer P, Filter A",
		},
		{
			name:      "a less important pod is not: one pass",
			nominated: []fwk.PodInfo{pod("low", 9)}, status: fits(0), want: "Success", calls: "Filter A",
		},
		{
			name:      "the pod itself does not count",
			nominated: []fwk.PodInfo{pod("incoming", 10)}, status: fits(0), want: "Success", calls: "Filter A",
		},
		{
			name:      "if both fit, the pod must also fit alone: two passes",
			nominated: []fwk.PodInfo{pod("vip", 11)}, status: fits(1), want: "Success", calls: "AddPod vip P, Filter A, Filter A",
		},
		{
			name:      "a pod that needs the nominated one cannot count on it",
			nominated: []fwk.PodInfo{pod("vip", 11)}, status: friend("vip"),
			want: "Unschedulable by A: vip is missing", calls: "AddPod vip P, Filter A, Filter A",
		},
		{
			name:      "an error in the first pass is returned",
			nominated: []fwk.PodInfo{pod("vip", 11)}, status: returning(answer{fwk.Error, "lost"}),
			want: `Error by A: running "A" filter plugin: lost`, calls: "AddPod vip P, Filter A",
		},
		{
			name:      "a plugin that cannot count the pod in fails the node",
			nominated: []fwk.PodInfo{pod("vip", 11)}, addPod: answer{fwk.Unschedulable, "who?"},
			want: `Error: running AddPod on PreFilter plugin "P": who?`, calls: "AddPod vip P",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var log []string
			n1 := nodes("n1")[0]
			p := profile(t, framework.Options{Nominator: nominator{"n1": tt.nominated}},
				preFilter{fake: fake{name: "P"}, extension: &extension{fake{"P", &log}, tt.addPod}}, filter{fake{"A", &log}, tt.status})
			status := p.RunFilterPluginsWithNominatedPods(ctx, framework.NewCycleState(), incoming, n1)
			if got := describe(status); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if got := strings.Join(log, ", "); got != tt.calls {
				t.Errorf("calls: got %q, want %q", got, tt.calls)
			}
			if left := n1.(*node).pods; len(left) > 0 {
				t.Errorf("pods %v were added to the node itself", left)
			}
		})
	}
}

func TestRunPreFilterExtensions_AddAndRemovePod(t *testing.T) {
	var log []string
	with := func(name string, s answer) preFilter {
		return preFilter{fake: fake{name: name}, extension: &extension{fake{name, &log}, s}}
	}
	p := profile(t, framework.Options{}, with("A", answer{}), preFilter{fake: fake{name: "deaf"}}, with("skipped", answer{}), with("B", answer{fwk.Error, "lost"}), with("C", answer{}))
	state := framework.NewCycleState()
	state.SetSkipFilterPlugins(sets.New("skipped"))
	other, n1 := podInfo{pod: mk.Pod("other").Obj()}, nodes("n1")[0]

	added := p.RunPreFilterExtensionAddPod(ctx, state, web, other, n1)
	removed := p.RunPreFilterExtensionRemovePod(ctx, state, web, other, n1)
	if diff := cmp.Diff([]string{"AddPod other A", "AddPod other B", "RemovePod other A", "RemovePod other B"}, log); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if got, want := describe(added), `Error: running AddPod on PreFilter plugin "B": lost`; got != want {
		t.Errorf("AddPod: got %q, want %q", got, want)
	}
	if got, want := describe(removed), `Error: running RemovePod on PreFilter plugin "B": lost`; got != want {
		t.Errorf("RemovePod: got %q, want %q", got, want)
	}
}

// A plugin that waits for extenders is called again, and those before it are not. What they said is kept.
func TestContinuePostFilterPlugins_WhileExtendersAnswer(t *testing.T) {
	var log []string
	unanswered := 2
	asks := func() bool {
		awaited := strings.HasSuffix(log[len(log)-1], "B") && unanswered > 0
		if awaited {
			unanswered--
		}
		return awaited
	}
	p := profile(t, framework.Options{AwaitsExtenders: asks},
		postFilter{fake: fake{"A", &log}, answer: answer{fwk.Unschedulable, "a"}}, postFilter{fake: fake{"B", &log}, answer: answer{fwk.Unschedulable, "b"}})
	run, calls, over := &framework.PostFilterRun{}, 0, false
	var status *fwk.Status
	for !over {
		_, status, over = p.ContinuePostFilterPlugins(ctx, framework.NewCycleState(), web, framework.NewNodeToStatus(0), run)
		calls++
	}
	if got := describe(status); calls != 3 || got != "Unschedulable by A: a, b" {
		t.Errorf("after %d calls %q", calls, got)
	}
	if diff := cmp.Diff([]string{"PostFilter A", "PostFilter B", "PostFilter B", "PostFilter B"}, log); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

// The plugins are called in order, and the first that makes the pod schedulable is the last one called.
// Shows FRAME-12.
func TestRunPostFilterPlugins(t *testing.T) {
	cleared, n1, noop := &fwk.NominatingInfo{NominatingMode: fwk.ModeOverride}, &fwk.NominatingInfo{NominatingMode: fwk.ModeOverride, NominatedNodeName: "n1"}, &fwk.NominatingInfo{}
	tests := []struct {
		name    string
		plugins []postFilter
		want    string
		result  *fwk.NominatingInfo
		called  string
	}{
		{
			"the first success ends it, and its message is the only one",
			[]postFilter{{answer: answer{fwk.Unschedulable, "no claims"}}, {nominate: n1}, {}},
			"Success", n1, "A B",
		},
		{
			"the reasons of rejections are joined under the first plugin's name",
			[]postFilter{{answer: answer{fwk.Unschedulable, "no new claims to deallocate"}}, {answer: answer{fwk.Unschedulable, "preemption: no"}}},
			"Unschedulable by A: no new claims to deallocate, preemption: no", nil, "A B",
		},
		{
			"the last nomination is kept",
			[]postFilter{{answer: answer{fwk.Unschedulable, "a"}, nominate: n1}, {answer: answer{fwk.Unschedulable, "b"}, nominate: cleared}, {answer: answer{fwk.Unschedulable, "c"}, nominate: noop}, {answer: answer{fwk.Unschedulable, "d"}}},
			"Unschedulable by A: a, b, c, d", cleared, "A B C D",
		},
		{
			"UnschedulableAndUnresolvable ends it with its own result and message",
			[]postFilter{{answer: answer{fwk.Unschedulable, "a"}, nominate: n1}, {answer: answer{fwk.UnschedulableAndUnresolvable, "never"}, nominate: cleared}, {}},
			"UnschedulableAndUnresolvable by B: never", cleared, "A B",
		},
		{
			"an error ends it without a result: the next plugin is not called",
			[]postFilter{{answer: answer{fwk.Error, "not found"}, nominate: n1}, {nominate: n1}},
			"Error by A: not found", nil, "A",
		},
		{
			"Pending is a rejection like Unschedulable",
			[]postFilter{{answer: answer{fwk.Pending, "later"}}, {answer: answer{fwk.Unschedulable, "no"}}},
			"Unschedulable by A: later, no", nil, "A B",
		},
		{
			"a status that makes no sense is an error",
			[]postFilter{{answer: answer{fwk.Wait, "later"}}, {}},
			"Error by A: unexpected status Wait", nil, "A",
		},
		{"no plugins", nil, "Unschedulable", nil, ""},
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
			result, status := p.RunPostFilterPlugins(ctx, framework.NewCycleState(), web, framework.NewNodeToStatus(0))
			if got := describe(status); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			var got *fwk.NominatingInfo
			if result != nil {
				got = result.NominatingInfo
			}
			if diff := cmp.Diff(tt.result, got); diff != "" {
				t.Errorf("nominating info (-want +got):\n%s", diff)
			}
			if called := strings.ReplaceAll(strings.Join(log, " "), "PostFilter ", ""); called != tt.called {
				t.Errorf("called %q, want %q", called, tt.called)
			}
		})
	}
}
