package app

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	v1 "k8s.io/api/core/v1"

	"orrery/core/answers/answer"
	"orrery/core/answers/diagnose"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/race"
	"orrery/core/trace/play"
	"orrery/core/world"
	"orrery/demo"
	"orrery/views"
	"orrery/views/collect"
)

// TestDiagnosis_PaneAndJSONAgree compares the explain pane's model with the JSON document, for pending pods of all embedded
// recordings at several moments, recomputes the evidence, and runs the commands printed for the first of them.
func TestDiagnosis_PaneAndJSONAgree(t *testing.T) {
	const (
		moments        = 6 // at fewer, no pod of some recording is pending
		diagnosedEvery = 3 // pending pod
	)
	traces := demo.Traces()
	for _, tr := range traces[:race.Few(len(traces), 1)] {
		t.Run(tr.Name, func(t *testing.T) {
			t.Parallel()
			file, err := demo.Open(tr.Name)
			if err != nil {
				t.Fatal(err)
			}
			player, err := play.NewPlayer(file, play.Options{})
			if err != nil {
				t.Fatal(err)
			}
			pending := 0
			for i := 1; i <= moments; i++ {
				e := seekWithoutBindings(t, player, player.End().Record*i/moments)
				for o := range e.Store().Objects(world.Pod) {
					if pod := o.(*v1.Pod); isPending(e, pod) {
						if pending%diagnosedEvery == 0 {
							d := comparePaneAndJSON(t, e, world.PodRefOf(pod))
							c := diagnosisCheck{t: t, e: e, pod: pod, where: fmt.Sprintf("%s at %s", pod.Name, e.Now())}
							c.checkFacts(d)
						}
						if pending == 0 {
							checkCommands(t, pod.Namespace+"/"+pod.Name, "--trace", tr.Name, "--at", fmt.Sprintf("@%d", player.At().Record))
						}
						pending++
					}
				}
			}
			if pending == 0 {
				t.Error("no pod was pending at any moment")
			}
		})
	}
}

// seekWithoutBindings seeks a record, or the first one after it at which every pod that got a node has that node in its
// object, too.
func seekWithoutBindings(t *testing.T, player *play.Player, record int) *engine.Engine {
	t.Helper()
	for {
		if err := player.SeekRecord(record); err != nil {
			t.Fatal(err)
		}
		e := player.Engine()
		if !hasUnconfirmed(e) || record == player.End().Record {
			return e
		}
		record++
	}
}

func hasUnconfirmed(e *engine.Engine) bool {
	for o := range e.Store().Objects(world.Pod) {
		switch e.PodState(o.GetNamespace(), o.GetName()) {
		case engine.StateBinding, engine.StateBound:
			if o.(*v1.Pod).Spec.NodeName == "" {
				return true
			}
		}
	}
	return false
}

func isPending(e *engine.Engine, pod *v1.Pod) bool {
	switch e.PodState(pod.Namespace, pod.Name) {
	case engine.StateActive, engine.StateBackoff, engine.StateUnschedulable, engine.StateGated:
		return true
	}
	return false
}

func comparePaneAndJSON(t *testing.T, e *engine.Engine, pod world.PodRef) *diagnose.Diagnosis {
	t.Helper()
	d, err := diagnose.Pod(e, pod)
	if err != nil {
		t.Fatal(err)
	}
	told, err := diagnose.Ask(e, pod, diagnose.Question{})
	if err != nil {
		t.Fatal(err)
	}
	query := collect.Query{Open: views.ExplainPane, Pod: pod, Rows: math.MaxInt}
	pane := collect.New(collect.Options{}).Model(e, query).Explain
	want := &views.Explanation{Answer: told.Answer}
	printable.Strings(want)
	// What the interfaces hold is for programs only; its sentences are in the sections.
	held := cmpopts.IgnoreInterfaces(struct {
		answer.Chain
		answer.Evidence
	}{})
	if diff := cmp.Diff(want.Answer, pane.Answer, held); diff != "" {
		t.Errorf("%s at %s (-answer +pane):\n%s", pod, e.Now(), diff)
	}
	return d
}
