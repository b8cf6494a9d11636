package framework_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
)

// A profile counts the calls and rejections of its plugins, and a fork starts with its counts.
func TestCounts_CallsAndRejectionsAtEveryPoint(t *testing.T) {
	world := nodes("n1", "n2", "n3")
	no := answer{fwk.Unschedulable, "no"}
	plugins := func() []fwk.Plugin {
		return []fwk.Plugin{
			preFilter{fake: fake{name: "Pre"}},
			preFilter{fake: fake{name: "PreSkips"}, answer: answer{fwk.Skip, ""}},
			filter{fake{name: "F1"}, func(n fwk.NodeInfo) *fwk.Status {
				if n.Node().Name == "n1" {
					return no.status()
				}
				return nil
			}},
			filter{fake: fake{name: "F2"}},
			postFilter{fake: fake{name: "Post"}, answer: no},
			preScore{fake: fake{name: "PS"}},
			score{fake: fake{name: "S"}},
			reserve{fake: fake{name: "R"}, answer: no},
			permit{fake: fake{name: "P"}},
			preBind{fake: fake{name: "PB"}},
			bind{fake: fake{name: "B"}},
		}
	}
	p := profile(t, framework.Options{Snapshot: world}, plugins()...)
	runAllPoints(p, world, nil)
	want := []framework.PluginCount{
		{Point: framework.PreFilter, Plugin: "Pre", Calls: 1},
		{Point: framework.PreFilter, Plugin: "PreSkips"},
		{Point: framework.Filter, Plugin: "F1", Calls: 3, Rejections: 1},
		{Point: framework.Filter, Plugin: "F2", Calls: 2},
		{Point: framework.PostFilter, Plugin: "Post", Calls: 1, Rejections: 1},
		{Point: framework.PreScore, Plugin: "PS", Calls: 1},
		{Point: framework.Score, Plugin: "S", Calls: 3},
		{Point: framework.Reserve, Plugin: "R", Calls: 1, Rejections: 1},
		{Point: framework.Permit, Plugin: "P", Calls: 1},
		{Point: framework.PreBind, Plugin: "PB", Calls: 1},
		{Point: framework.Bind, Plugin: "B", Calls: 1},
	}
	if diff := cmp.Diff(want, p.Counts()); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	fork := profile(t, framework.Options{Snapshot: world}, plugins()...)
	fork.ForkFrom(p)
	runAllPoints(fork, world, nil)
	if got := fork.Counts()[2]; got.Calls != 6 || got.Rejections != 2 {
		t.Errorf("after the same calls the fork counts %+v, want 6 calls and 2 rejections", got)
	}
	if diff := cmp.Diff(want, p.Counts()); diff != "" {
		t.Errorf("the fork's calls changed the original's counts:\n%s", diff)
	}
}
