package framework_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"pgregory.net/rapid"

	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/reuse"
	"orrery/core/testing/mk"
)

// localFilter is a Filter plugin that promises to look at the node alone. It refuses to sign the pods of a name.
type localFilter struct {
	filter
	refuses string
}

func (f localFilter) AppendSignature(to reuse.Signature, _ fwk.CycleState, pod *v1.Pod) (reuse.Signature, bool) {
	return to, pod.Name != f.refuses || f.refuses == ""
}

func rejecting(nodes ...string) func(fwk.NodeInfo) *fwk.Status {
	return func(info fwk.NodeInfo) *fwk.Status {
		if slices.Contains(nodes, info.Node().Name) {
			return fwk.NewStatus(fwk.Unschedulable, "no")
		}
		return nil
	}
}

// filterAll filters every node for a pod, once it has a table, and returns the statuses and the calls that it took.
func filterAll(t *testing.T, p *framework.Profile, pod *v1.Pod, world cluster, generations []int64, log *[]string) (statuses, calls []string) {
	t.Helper()
	*log = nil
	state := framework.NewCycleState()
	p.RunPreFilterPlugins(ctx, state, pod)
	r := p.Reuse(state, pod, placed{world, generations})
	if r == nil {
		return nil, nil
	}
	return searchAll(r, world), *log
}

// searchAll filters every node and returns the statuses. One that is an error is the last.
func searchAll(r *framework.Reuse, world cluster) (statuses []string) {
	err := r.Search(ctx, 0, len(world), nil)
	rejections := map[string]*fwk.Status{}
	for node, status := range r.Rejections() {
		rejections[node.Node().Name] = status
	}
	for position := range r.Found().Visits() {
		statuses = append(statuses, describe(rejections[world[position].Node().Name]))
	}
	if err != nil {
		statuses = append(statuses, describe(fwk.AsStatus(err)))
	}
	return statuses
}

func TestReuse_AsksOnlyNodesThatChanged(t *testing.T) {
	var log []string
	local := localFilter{filter: filter{fake: fake{"Local", &log}, status: rejecting("b")}}
	other := filter{fake: fake{"Other", &log}, status: rejecting("c")}
	world := nodes("a", "b", "c")
	p := profile(t, framework.Options{Snapshot: world}, local, other)
	statuses, _ := filterAll(t, p, web, world, []int64{1, 2, 3}, &log)
	if statuses != nil {
		t.Fatal("a signature that comes for the first time has a table")
	}
	want := []string{"Success", "Unschedulable by Local: no", "Unschedulable by Other: no"}
	for _, step := range []struct {
		name        string
		generations []int64
		calls       string
	}{
		{"nothing is known", []int64{1, 2, 3}, "Filter Local,Filter Other,Filter Local,Filter Local,Filter Other"},
		{"no node has changed", []int64{1, 2, 3}, "Filter Other,Filter Other"},
		{"the second node has changed", []int64{1, 4, 3}, "Filter Other,Filter Local,Filter Other"},
	} {
		statuses, calls := filterAll(t, p, web, world, step.generations, &log)
		if diff := cmp.Diff(want, statuses); diff != "" {
			t.Errorf("%s: statuses (-want +got):\n%s", step.name, diff)
		}
		if got := strings.Join(calls, ","); got != step.calls {
			t.Errorf("%s: the calls are %s, want %s", step.name, got, step.calls)
		}
	}
	if got := p.ReuseStats(); got.Reused != 5 || got.Computed != 4 || got.Tables != 1 {
		t.Errorf("the counts are %+v", got)
	}
	counts := map[string]string{}
	for _, c := range p.Counts() {
		if c.Point == framework.Filter {
			counts[c.Plugin] = fmt.Sprintf("%d calls, %d rejections", c.Calls, c.Rejections)
		}
	}
	if diff := cmp.Diff(map[string]string{"Local": "9 calls, 3 rejections", "Other": "6 calls, 3 rejections"}, counts); diff != "" {
		t.Errorf("a verdict that is reused counts as a call of its plugin (-want +got):\n%s", diff)
	}
}

// What rejects first decides, wherever the plugins whose verdict is reused stand in the order.
func TestReuse_FirstRejectionDecides(t *testing.T) {
	var log []string
	world := nodes("a")
	no := rejecting("a")
	first, second := filter{fake: fake{"First", &log}, status: no}, localFilter{filter: filter{fake: fake{"Second", &log}, status: no}}
	third := filter{fake: fake{"Third", &log}, status: no}
	p := profile(t, framework.Options{Snapshot: world}, first, second, third)
	for range 3 {
		statuses, _ := filterAll(t, p, web, world, []int64{1}, &log)
		if statuses != nil && statuses[0] != "Unschedulable by First: no" {
			t.Errorf("decided by %s", statuses[0])
		}
	}
	if slices.Contains(log, "Filter Third") {
		t.Error("a plugin behind the one that decides was called")
	}
}

// A plugin that refuses to sign a pod is called for every node, and its verdict is not given to other pods.
func TestReuse_RefusedPodIsFilteredAfresh(t *testing.T) {
	var log []string
	local := localFilter{filter: filter{fake: fake{"Local", &log}}, refuses: "web"}
	world := nodes("a")
	p := profile(t, framework.Options{Snapshot: world}, local)
	for pod := range 4 {
		statuses, calls := filterAll(t, p, web, world, []int64{1}, &log)
		if statuses != nil && len(calls) != 1 {
			t.Errorf("pod %d: the plugin was called %d times for one node", pod, len(calls))
		}
	}
}

// Errors and panics are those of RunFilterPlugins, every time.
func TestReuse_FailuresAreNotKept(t *testing.T) {
	for name, status := range map[string]func(fwk.NodeInfo) *fwk.Status{
		"error": func(fwk.NodeInfo) *fwk.Status { return fwk.AsStatus(errors.New("broken")) },
		"panic": func(fwk.NodeInfo) *fwk.Status { panic("broken") },
	} {
		t.Run(name, func(t *testing.T) {
			var log []string
			world, panics := nodes("a"), 0
			p := profile(t, framework.Options{Snapshot: world, OnPanic: func(*framework.PluginPanic) { panics++ }},
				localFilter{filter: filter{fake: fake{"Local", &log}, status: status}})
			state := framework.NewCycleState()
			want := describe(fwk.AsStatus(p.RunFilterPlugins(ctx, state, web, world[0]).AsError()))
			before := panics
			for range 3 {
				if statuses, _ := filterAll(t, p, web, world, []int64{1}, &log); statuses != nil && statuses[0] != want {
					t.Errorf("the status is %s, that of RunFilterPlugins %s", statuses[0], want)
				}
			}
			if reported := panics - before; name == "panic" && reported != 2 {
				t.Errorf("of two panics %d were reported", reported)
			}
		})
	}
}

// byAmounts is a Filter and Score plugin that looks at the number of pods alone. Pods of different names differ for it.
type byAmounts struct{ localFilter }

func (b byAmounts) AppendSignature(to reuse.Signature, _ fwk.CycleState, pod *v1.Pod) (reuse.Signature, bool) {
	return to.Text(pod.Name), true
}

func (b byAmounts) FilterByAmounts(_ fwk.CycleState, pod *v1.Pod) func(*reuse.Amounts) *fwk.Status {
	return func(node *reuse.Amounts) *fwk.Status {
		if int(node.Pods) >= len(pod.Name) {
			return fwk.NewStatus(fwk.Unschedulable, "more pods than letters")
		}
		return nil
	}
}

// Pods that no other is like share what plugins say that do not look at amounts.
func TestReuse_ByAmounts(t *testing.T) {
	var log []string
	local := localFilter{filter: filter{fake: fake{"Local", &log}, status: rejecting("b")}}
	amounts := byAmounts{localFilter{filter: filter{fake: fake{"Amounts", &log}}}}
	last := localFilter{filter: filter{fake: fake{"Last", &log}, status: rejecting("c")}}
	world := nodes("a", "b", "c", "d")
	p := profile(t, framework.Options{Snapshot: world}, local, amounts, last)
	for i, pod := range []string{"1st", "2nd", "third"} {
		state := framework.NewCycleState()
		list := counted{placed{world, []int64{1, 2, 3, 4}}, []int64{0, 9, 0, 4}}
		r := p.Reuse(state, mk.Pod(pod).Obj(), list)
		if i == 0 {
			if r != nil {
				t.Fatal("the first pod has nothing to reuse")
			}
			continue
		}
		log = nil
		statuses := searchAll(r, world)
		want := []string{"Success", "Unschedulable by Local: no", "Unschedulable by Last: no", "Unschedulable by Amounts: more pods than letters"}
		if pod == "third" {
			want[3] = "Success"
		}
		if diff := cmp.Diff(want, statuses); diff != "" {
			t.Errorf("%s (-want +got):\n%s", pod, diff)
		}
		if pod == "third" && len(log) > 0 {
			t.Errorf("for the third pod plugins are called: %q", log)
		}
	}
}

func TestReuse_NothingWithoutLeave(t *testing.T) {
	var log []string
	world := nodes("a")
	local := localFilter{filter: filter{fake: fake{"Local", &log}}}
	p := profile(t, framework.Options{Snapshot: world, NoReuse: true}, local)
	for range 3 {
		if p.Reuse(framework.NewCycleState(), web, placed{nodes("a"), []int64{1}}) != nil {
			t.Fatal("verdicts are reused although the options say no")
		}
	}
	p = profile(t, framework.Options{Snapshot: world}, local)
	state := framework.NewCycleState()
	state.SetRecorder(&noRecords{})
	for range 3 {
		if p.Reuse(state, web, placed{nodes("a"), []int64{1}}) != nil {
			t.Fatal("verdicts are reused although a recorder wants to see each")
		}
	}
}

type noRecords struct{}

func (*noRecords) RecordResult(framework.PluginResult) {}
func (*noRecords) RecordScore(framework.ScoreResult)   {}

// localScore is a Score plugin that promises to look at the node alone; scaled, if its NormalizeScore is ScaleScores.
type localScore struct{ score }

func (localScore) AppendSignature(to reuse.Signature, _ fwk.CycleState, _ *v1.Pod) (reuse.Signature, bool) {
	return to, true
}

type scaledScore struct {
	localScore
	reversed bool
}

func (s scaledScore) Reversed() bool { return s.reversed }

func (s scaledScore) ScoreExtensions() fwk.ScoreExtensions { return s }

func (s scaledScore) NormalizeScore(_ context.Context, _ fwk.CycleState, _ *v1.Pod, scores fwk.NodeScoreList) *fwk.Status {
	framework.ScaleScores(scores)
	for i := range scores {
		if s.reversed {
			scores[i].Score = fwk.MaxScore - scores[i].Score
		}
	}
	return nil
}

// For any scores the totals are those of RunScorePlugins, whether they are reused or not.
func TestTotals_AreThoseOfRunScorePlugins(t *testing.T) {
	names := []string{"a", "b", "c", "d"}
	world := nodes(names...)
	rapid.Check(t, func(rt *rapid.T) {
		draw := func(label string, most int64) map[string]int64 {
			scores := map[string]int64{}
			for _, name := range names {
				scores[name] = rapid.Int64Range(0, most).Draw(rt, label+" of "+name)
			}
			return scores
		}
		most := rapid.SampledFrom([]int64{0, 3, 1000, 1 << 60}).Draw(rt, "most")
		plugins := []fwk.Plugin{
			localScore{score{fake: fake{name: "Summed"}, scores: draw("summed", 101)}},
			scaledScore{localScore: localScore{score{fake: fake{name: "Scaled"}, scores: draw("scaled", most)}}},
			scaledScore{localScore: localScore{score{fake: fake{name: "Reversed"}, scores: draw("reversed", most)}}, reversed: true},
			score{fake: fake{name: "Other"}, scores: draw("other", 100), normalize: blinkingLights},
		}
		p := profile(t, framework.Options{Snapshot: world}, plugins...)
		list := placed{world, []int64{1, 2, 3, 4}}
		state := framework.NewCycleState()
		p.Reuse(state, web, list)
		for range 3 {
			listed, status := p.RunScorePlugins(ctx, state, web, world)
			listed = slices.Clone(listed) // the next run overwrites it
			r := p.Reuse(state, web, list)
			searchAll(r, world)
			totals, reusedStatus, ok := r.Totals(world)
			switch {
			case !ok && status.IsSuccess() && most < 1<<60:
				rt.Fatal("the scores are refused although they are right")
			case !ok:
			case describe(status) != describe(reusedStatus):
				rt.Fatalf("reused: %s, in full: %s", describe(reusedStatus), describe(status))
			}
			for i := range totals {
				if totals[i] != listed[i].TotalScore {
					rt.Fatalf("node %s has %d, in full %d", names[i], totals[i], listed[i].TotalScore)
				}
			}
		}
	})
}
