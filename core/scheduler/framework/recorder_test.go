package framework_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
	"pgregory.net/rapid"

	"orrery/core/scheduler/framework"
	"orrery/core/testing/mk"
)

// recording is a Recorder that keeps a line for each result.
type recording []string

func (n *recording) RecordResult(v framework.PluginResult) {
	line := fmt.Sprintf("%s %s", v.Point, v.Plugin)
	if v.Node != "" {
		line += " on " + v.Node
	}
	if v.WithNominated {
		line += " with nominated pods"
	}
	line += ": " + describe(v.Status)
	if v.Nodes != nil {
		line += fmt.Sprint(" only ", sets.List(v.Nodes))
	}
	if v.Nominating != nil {
		line += " nominating " + v.Nominating.NominatedNodeName
	}
	if v.Timeout > 0 {
		line += " for " + v.Timeout.String()
	}
	*n = append(*n, line)
}

func (n *recording) RecordScore(s framework.ScoreResult) {
	*n = append(*n, fmt.Sprintf("%s scores %s: %d, normalised %d, times %d is %d", s.Plugin, s.Node, s.Raw, s.Normalized, s.Weight, s.Weighted()))
}

func TestRecorder_SeesEveryPluginResult(t *testing.T) {
	var recorded recording
	world := nodes("n1", "n2")
	p := profile(t, framework.Options{Snapshot: world, Nominator: nominator{"n2": {podInfo{pod: mk.Pod("vip").Priority(1).Obj()}}}},
		preFilter{fake: fake{name: "Pre"}, nodes: []string{"n1", "n2"}}, preFilter{fake: fake{name: "Skips"}, answer: answer{fwk.Skip, ""}},
		filter{fake{name: "F1"}, func(n fwk.NodeInfo) *fwk.Status {
			if n.Node().Name == "n1" {
				return fwk.NewStatus(fwk.Unschedulable, "no room")
			}
			return nil
		}},
		filter{fake{name: "F2"}, returning(answer{fwk.UnschedulableAndUnresolvable, "tainted"})},
		filter{fake: fake{name: "F3"}},
		postFilter{fake: fake{name: "Post"}, nominate: &fwk.NominatingInfo{NominatingMode: fwk.ModeOverride, NominatedNodeName: "n1"}},
		score{fake: fake{name: "Light"}, scores: map[string]int64{"n1": 2, "n2": 4}, normalize: blinkingLights},
		reserve{fake: fake{name: "Res"}}, permit{fake: fake{name: "Per"}, answer: answer{fwk.Wait, ""}, wait: time.Second},
		preBind{fake: fake{name: "PB"}, answer: answer{fwk.Error, "lost"}},
	)
	state := framework.NewCycleState()
	state.SetRecorder(&recorded)
	p.RunPreFilterPlugins(ctx, state, web)
	p.RunFilterPluginsWithNominatedPods(ctx, state, web, world[0])
	p.RunFilterPluginsWithNominatedPods(ctx, state, web, world[1])
	p.RunFilterPlugins(ctx, state.Clone(), web, world[0]) // a plugin's dry run is not recorded
	p.RunPostFilterPlugins(ctx, state, web, framework.NewNodeToStatus(0))
	p.RunScorePlugins(ctx, state, web, world)
	p.RunReservePluginsReserve(ctx, state, web, "n1")
	p.RunPermitPlugins(ctx, state, web, "n1", t0)
	p.RunPreBindPreFlights(ctx, state, web, "n1")
	p.RunPreBindPlugins(ctx, state, web, "n1")
	p.RunBindPlugins(ctx, state, web, "n1")
	p.RunReservePluginsUnreserve(ctx, state, web, "n1")
	want := recording{
		"PreFilter Pre: Success only [n1 n2]",
		"PreFilter Skips: Skip",
		"Filter F1 on n1: Unschedulable: no room",
		"Filter F2 on n1: UnschedulableAndUnresolvable: tainted",
		"Filter F3 on n1: Success",
		"Filter F1 on n2 with nominated pods: Success",
		"Filter F2 on n2 with nominated pods: UnschedulableAndUnresolvable: tainted",
		"Filter F3 on n2 with nominated pods: Success",
		"Filter F1 on n2: Success",
		"Filter F2 on n2: UnschedulableAndUnresolvable: tainted",
		"Filter F3 on n2: Success",
		"PostFilter Post: Success nominating n1",
		"ScoreExtensionNormalize Light: Success",
		"Light scores n1: 2, normalised 50, times 1 is 50",
		"Light scores n2: 4, normalised 100, times 1 is 100",
		"Reserve Res on n1: Success",
		"Permit Per on n1: Wait for 1s",
		"PreBindPreFlight PB on n1: Success",
		"PreBind PB on n1: Error: lost",
		"Bind Bind on n1: Success",
		"Unreserve Res on n1: Success",
	}
	if diff := cmp.Diff(want, recorded); diff != "" {
		t.Errorf("recorded (-want +got):\n%s", diff)
	}
}

// For any results of the plugins, a cycle has the same outcome and counts with a recorder and without.
func TestRecorder_DoesNotChangeResults(t *testing.T) {
	codes := []fwk.Code{fwk.Success, fwk.Success, fwk.Success, fwk.Skip, fwk.Unschedulable, fwk.UnschedulableAndUnresolvable, fwk.Pending, fwk.Wait, fwk.Error}
	world := nodes("n1", "n2", "n3")
	rapid.Check(t, func(rt *rapid.T) {
		rejects := func(what string) answer {
			return answer{rapid.SampledFrom(codes).Draw(rt, what), what}
		}
		var plugins []fwk.Plugin
		for i := range rapid.IntRange(1, 4).Draw(rt, "plugins") {
			name := string(rune('A' + i))
			statuses := map[string]answer{}
			scores := map[string]int64{}
			for _, n := range world {
				statuses[n.Node().Name] = rejects("Filter of " + name)
				scores[n.Node().Name] = rapid.Int64Range(0, 101).Draw(rt, "score")
			}
			f := fake{name: name}
			tr := newTracer(name, nil)
			tr.preFilter = preFilter{fake: f, answer: rejects("PreFilter of " + name), extension: &extension{fake: f, answer: rejects("AddPod of " + name)}}
			tr.filter.status = func(n fwk.NodeInfo) *fwk.Status { return statuses[n.Node().Name].status() }
			tr.postFilter.answer, tr.preScore.answer = rejects("PostFilter of "+name), rejects("PreScore of "+name)
			tr.score = score{fake: f, scores: scores, normalize: blinkingLights}
			tr.reserve.answer, tr.permit.answer = rejects("Reserve of "+name), rejects("Permit of "+name)
			tr.preBind.preFlight, tr.preBind.answer, tr.bind.answer = rejects("preflight of "+name), rejects("PreBind of "+name), rejects("Bind of "+name)
			plugins = append(plugins, tr)
		}
		o := framework.Options{Snapshot: world, Nominator: nominator{"n2": {podInfo{pod: mk.Pod("vip").Priority(1).Obj()}}}}
		silent, watched := runAllPoints(profile(t, o, plugins...), world, nil), runAllPoints(profile(t, o, plugins...), world, &recording{})
		if diff := cmp.Diff(silent, watched); diff != "" {
			rt.Fatalf("(-silent +recorded):\n%s", diff)
		}
	})
}

// runAllPoints runs every extension point, regardless of earlier results, and describes the results.
func runAllPoints(p *framework.Profile, world cluster, r framework.Recorder) []string {
	state := framework.NewCycleState()
	if r != nil {
		state.SetRecorder(r)
	}
	result, status, narrowing := p.RunPreFilterPlugins(ctx, state, web)
	out := []string{describe(status), fmt.Sprint(result, sorted(narrowing), sorted(state.GetSkipFilterPlugins()))}
	for _, n := range world {
		out = append(out, describe(p.RunFilterPluginsWithNominatedPods(ctx, state, web, n)))
	}
	nominated, status := p.RunPostFilterPlugins(ctx, state, web, framework.NewNodeToStatus(0))
	out = append(out, describe(status), fmt.Sprint(nominated), describe(p.RunPreScorePlugins(ctx, state, web, world)))
	scores, status := p.RunScorePlugins(ctx, state, web, world)
	out = append(out, describe(status), table(scores),
		describe(p.RunReservePluginsReserve(ctx, state, web, "n1")), describe(p.RunPermitPlugins(ctx, state, web, "n1", t0)),
		describe(p.RunPreBindPreFlights(ctx, state, web, "n1")), describe(p.RunPreBindPlugins(ctx, state, web, "n1")),
		describe(p.RunBindPlugins(ctx, state, web, "n1")))
	return append(out, fmt.Sprint(p.Counts()))
}

func TestCounts_IgnoreCallsMadeForRecorder(t *testing.T) {
	world := nodes("n1", "n2", "n3")
	p := profile(t, framework.Options{Snapshot: world},
		preFilter{fake: fake{name: "Pre"}}, preFilter{fake: fake{name: "PreSkips"}, answer: answer{fwk.Skip, ""}},
		filter{fake{name: "F1"}, func(n fwk.NodeInfo) *fwk.Status {
			if n.Node().Name == "n1" {
				return fwk.NewStatus(fwk.Unschedulable)
			}
			return nil
		}}, filter{fake: fake{name: "F2"}},
		preScore{fake: fake{name: "PS"}}, score{fake: fake{name: "S"}})
	state := framework.NewCycleState()
	state.SetRecorder(&recording{})
	p.RunPreFilterPlugins(ctx, state, web)
	for _, n := range world {
		p.RunFilterPlugins(ctx, state, web, n)
	}
	p.RunPreScorePlugins(ctx, state, web, world)
	p.RunScorePlugins(ctx, state, web, world[1:])
	want := []framework.PluginCount{
		{framework.PreFilter, "Pre", 1, 0},
		{framework.PreFilter, "PreSkips", 0, 0},
		{framework.Filter, "F1", 3, 1},
		{framework.Filter, "F2", 2, 0},
		{framework.PreScore, "PS", 1, 0},
		{framework.Score, "S", 2, 0},
		{framework.Bind, "Bind", 0, 0},
	}
	if diff := cmp.Diff(want, p.Counts()); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

// stopwatch advances by one millisecond whenever it is read, and collects timings.
type stopwatch struct {
	now  time.Duration
	seen []string
}

func (m *stopwatch) read() time.Duration {
	m.now += time.Millisecond
	return m.now
}

func (m *stopwatch) observe(t framework.Timing) {
	what := string(t.Point)
	if t.Plugin != "" {
		what += "/" + t.Plugin
	}
	m.seen = append(m.seen, fmt.Sprintf("%s %s %s %v", t.Profile, what, t.Code, t.Duration))
}

func TestOnTiming_ReceivesDurations(t *testing.T) {
	world := nodes("n1", "n2")
	other := podInfo{pod: mk.Pod("other").Obj()}
	cycle := func(m *stopwatch, measured bool) string {
		o := framework.Options{Snapshot: world, OnTiming: m.observe, Stopwatch: m.read}
		a := newTracer("A", nil)
		a.preFilter.extension = &extension{fake: fake{name: "A"}}
		p := profile(t, o, a, bind{fake: fake{name: "Bind"}})
		state := framework.NewCycleState()
		state.SetRecordPluginMetrics(measured)
		p.RunPreFilterPlugins(ctx, state, web)
		p.RunPreFilterExtensionAddPod(ctx, state, web, other, world[0])
		p.RunPreFilterExtensionRemovePod(ctx, state, web, other, world[0])
		p.RunFilterPlugins(ctx, state, web, world[0])
		p.RunPostFilterPlugins(ctx, state, web, framework.NewNodeToStatus(0))
		p.RunPreScorePlugins(ctx, state, web, world)
		p.RunScorePlugins(ctx, state, web, world[:1])
		p.RunReservePluginsReserve(ctx, state, web, "n1")
		p.RunReservePluginsUnreserve(ctx, state, web, "n1")
		p.RunPermitPlugins(ctx, state, web, "n1", t0)
		p.RunPreBindPreFlights(ctx, state, web, "n1")
		p.RunPreBindPlugins(ctx, state, web, "n1")
		p.RunBindPlugins(ctx, state, web, "n1")
		p.RunPostBindPlugins(ctx, state, web, "n1")
		p.Sign(ctx, web, measured)
		return strings.Join(m.seen, "\n")
	}
	points := `test PreFilter Success 1ms
test PostFilter Unschedulable 1ms
test PreScore Success 1ms
test Score Success 1ms
test Reserve Success 1ms
test Unreserve Success 1ms
test Permit Wait 1ms
test PreBindPreFlight Success 1ms
test PreBind Success 1ms
test Bind Success 1ms
test PostBind Success 1ms`
	if diff := cmp.Diff(points, cycle(&stopwatch{}, false)); diff != "" {
		t.Errorf("a cycle in which only points are measured (-want +got):\n%s", diff)
	}
	all := `test PreFilter/A Success 1ms
test PreFilter Success 3ms
test PreFilterExtensionAddPod/A Success 1ms
test PreFilterExtensionRemovePod/A Success 1ms
test Filter/A Success 1ms
test PostFilter/A Unschedulable 1ms
test PostFilter Unschedulable 3ms
test PreScore/A Success 1ms
test PreScore Success 3ms
test Score/A Success 1ms
test ScoreExtensionNormalize/A Success 1ms
test Score Success 5ms
test Reserve/A Success 1ms
test Reserve Success 3ms
test Unreserve/A Success 1ms
test Unreserve Success 3ms
test Permit/A Wait 1ms
test Permit Wait 3ms
test PreBindPreFlight/A Success 1ms
test PreBindPreFlight Success 3ms
test PreBind/A Success 1ms
test PreBind Success 3ms
test Bind/A Skip 1ms
test Bind/Bind Success 1ms
test Bind Success 5ms
test PostBind/A Success 1ms
test PostBind Success 3ms
test Sign Success 1ms`
	if diff := cmp.Diff(all, cycle(&stopwatch{}, true)); diff != "" {
		t.Errorf("a cycle with timed plugin calls (-want +got):\n%s", diff)
	}
}

func TestOnTiming_NeedsStopwatch(t *testing.T) {
	m := &stopwatch{}
	p := profile(t, framework.Options{OnTiming: m.observe}, reserve{fake: fake{name: "A"}})
	state := framework.NewCycleState()
	state.SetRecordPluginMetrics(true)
	p.RunReservePluginsReserve(ctx, state, web, "n1")
	if len(m.seen) > 0 {
		t.Errorf("observed %q", m.seen)
	}
}
