package framework_test

import (
	"fmt"
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
	"orrery/core/testing/mk"
)

// versionedNode is a node with a generation.
type versionedNode struct {
	*node
	generation int64
}

func (n *versionedNode) GetGeneration() int64 { return n.generation }

func podsOn(info fwk.NodeInfo) []string {
	if versioned, ok := info.(*versionedNode); ok {
		return versioned.pods
	}
	return info.(*node).pods
}

// filterBeside filters a node for a pod in a new cycle, and returns the status and the calls of Filter.
func filterBeside(p *framework.Profile, pod *v1.Pod, info fwk.NodeInfo, log *[]string) (status string, calls int) {
	state := framework.NewCycleState()
	p.RunPreFilterPlugins(ctx, state, pod)
	*log = nil
	status = describe(p.RunFilterPluginsWithNominatedPods(ctx, state, pod, info))
	for _, entry := range *log {
		if entry == "Filter Local" {
			calls++
		}
	}
	return status, calls
}

// A node with nominated pods is filtered twice: with them and without. The verdict is kept while the node, those pods and the
// signature of the pod stay.
func TestNominatedPods_VerdictIsKept(t *testing.T) {
	var log []string
	beside := func(info fwk.NodeInfo) *fwk.Status {
		if slices.Contains(podsOn(info), "crowd") {
			return fwk.NewStatus(fwk.Unschedulable, "crowded")
		}
		return nil
	}
	nominated := nominator{}
	info := &versionedNode{nodes("n1")[0].(*node), 7}
	local := localFilter{filter: filter{fake: fake{"Local", &log}, status: beside}, refuses: "refused"}
	p := profile(t, framework.Options{Snapshot: cluster{info}, Nominator: nominated}, local)
	important := podInfo{pod: mk.Pod("calm").Priority(9).Obj()}
	for _, step := range []struct {
		name      string
		change    func()
		pod       *v1.Pod
		status    string
		evaluated int // passes of Filter that are no reuse
	}{
		{"nothing is known", func() { nominated["n1"] = []fwk.PodInfo{important} }, web, "Success", 2},
		{"nothing has changed", func() {}, web, "Success", 0},
		{"another pod of the template", func() {}, mk.Pod("twin").Obj(), "Success", 0},
		{"a pod that is more important than the nominated one", func() {}, mk.Pod("web").Priority(10).Obj(), "Success", 1},
		{"a pod that the plugin does not sign", func() {}, mk.Pod("refused").Obj(), "Success", 2},
		{"the node has changed", func() { info.generation++ }, web, "Success", 2},
		{"another pod is nominated", func() { nominated["n1"] = []fwk.PodInfo{podInfo{pod: mk.Pod("crowd").Obj()}} }, web, "Unschedulable by Local: crowded", 1},
		{"it is still nominated", func() {}, web, "Unschedulable by Local: crowded", 0},
		{"the nominated pod itself", func() {}, mk.Pod("crowd").Obj(), "Success", 1},
		{"a copy of the node, as in a dry run", func() { info.generation = -1 }, web, "Unschedulable by Local: crowded", 1},
	} {
		step.change()
		status, evaluated := filterBeside(p, step.pod, info, &log)
		if status != step.status || evaluated != step.evaluated {
			t.Errorf("%s: %s after %d calls, want %s after %d", step.name, status, evaluated, step.status, step.evaluated)
		}
	}
	for _, c := range p.Counts() {
		if got := fmt.Sprint(c.Calls, c.Rejections); c.Point == framework.Filter && got != "15 3" {
			t.Errorf("calls and rejections of the plugin are counted as %s, also those of verdicts that were kept", got)
		}
	}
}

func TestNodeResults_NotKept(t *testing.T) {
	var log []string
	local := localFilter{filter: filter{fake: fake{"Local", &log}}}
	extended := preFilter{fake: fake{"Extended", &log}, extension: &extension{fake: fake{"Extended", &log}}}
	for _, tt := range []struct {
		name    string
		noReuse bool
		plugins []fwk.Plugin
		kept    bool
	}{
		{"all plugins look at the node alone", false, []fwk.Plugin{local}, true},
		{"everything is computed afresh", true, []fwk.Plugin{local}, false},
		{"one plugin looks at other nodes", false, []fwk.Plugin{local, filter{fake: fake{"Other", &log}}}, false},
		{"adding a pod changes the state of a plugin", false, []fwk.Plugin{local, extended}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := profile(t, framework.Options{Snapshot: nodes("n1"), NoReuse: tt.noReuse}, tt.plugins...)
			state := framework.NewCycleState()
			if p.NodeResults(state, web, "test") != nil {
				t.Error("results are kept of a pod before PreFilter")
			}
			p.RunPreFilterPlugins(ctx, state, web)
			if got := p.NodeResults(state, web, "test") != nil; got != tt.kept {
				t.Errorf("kept: %v, want %v", got, tt.kept)
			}
			if p.NodeResults(state, mk.Pod("web").Obj(), "test") != nil {
				t.Error("results are kept of a pod other than that of PreFilter")
			}
		})
	}
}
