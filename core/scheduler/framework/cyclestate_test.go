package framework_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
	"pgregory.net/rapid"

	"orrery/core/scheduler/framework"
	"orrery/core/testing/mk"
)

type datum struct{ value int }

func (d *datum) Clone() fwk.StateData { return &datum{d.value} }

// A state holds the same entries as a map, and so does its clone, which is independent.
func TestCycleState_AgreesWithMap(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		state, model := fwk.CycleState(framework.NewCycleState()), map[fwk.StateKey]int{}
		check := func(state fwk.CycleState) {
			for i := range 60 {
				key := fwk.StateKey(fmt.Sprint("key", i))
				data, err := state.Read(key)
				want, known := model[key]
				if known != (err == nil) || (!known && !errors.Is(err, fwk.ErrNotFound)) {
					rt.Fatalf("%s: error %v, should be there: %v", key, err, known)
				}
				if known && data.(*datum).value != want {
					rt.Fatalf("%s: got %d, want %d", key, data.(*datum).value, want)
				}
			}
		}
		for range rapid.IntRange(0, 120).Draw(rt, "steps") {
			key := fwk.StateKey(fmt.Sprint("key", rapid.IntRange(0, 59).Draw(rt, "key")))
			switch rapid.SampledFrom([]string{"write", "write", "write", "delete", "clone"}).Draw(rt, "do") {
			case "write":
				value := rapid.Int().Draw(rt, "value")
				state.Write(key, &datum{value})
				model[key] = value
			case "delete":
				state.Delete(key)
				delete(model, key)
			case "clone":
				clone := state.Clone()
				if data, err := state.Read(key); err == nil {
					data.(*datum).value++
					state.Write("only in the original", &datum{})
				}
				state = clone
			}
		}
		check(state)
		if _, err := state.Read("only in the original"); err == nil {
			rt.Fatal("a later write of the original changed the clone")
		}
	})
}

func TestCycleState_CloneKeepsSkipsAndMetrics(t *testing.T) {
	state := framework.NewCycleState()
	state.SetRecordPluginMetrics(true)
	state.SetSkipFilterPlugins(sets.New("F"))
	state.SetSkipScorePlugins(sets.New("S"))
	state.SetSkipPreBindPlugins(sets.New("P"))
	clone := state.Clone()
	got := [][]string{sorted(clone.GetSkipFilterPlugins()), sorted(clone.GetSkipScorePlugins()), sorted(clone.GetSkipPreBindPlugins())}
	if diff := cmp.Diff([][]string{{"F"}, {"S"}, {"P"}}, got); diff != "" {
		t.Errorf("skipped (-want +got):\n%s", diff)
	}
	if !clone.ShouldRecordPluginMetrics() {
		t.Error("the clone of a timed cycle's state is not timed")
	}
	var none *framework.CycleState
	if none.Clone() != nil || none.ShouldRecordPluginMetrics() {
		t.Error("no state has a clone")
	}
	if framework.NewCycleState().GetSkipFilterPlugins() != nil {
		t.Error("a new state skips something")
	}
}

func TestCycleState_SetSkipFilterPluginsTakesEffect(t *testing.T) {
	var log []string
	p := profile(t, framework.Options{}, filter{fake: fake{"A", &log}}, filter{fake: fake{"B", &log}})
	other := profile(t, framework.Options{}, filter{fake: fake{"C", &log}})
	state, n1 := framework.NewCycleState(), nodes("n1")[0]
	p.RunFilterPlugins(ctx, state, web, n1)
	state.SetSkipFilterPlugins(sets.New("A"))
	p.RunFilterPlugins(ctx, state, web, n1)
	other.RunFilterPlugins(ctx, state, web, n1)
	p.RunFilterPlugins(ctx, state.Clone(), web, n1)
	if diff := cmp.Diff([]string{"Filter A", "Filter B", "Filter B", "Filter C", "Filter B"}, log); diff != "" {
		t.Errorf("called (-want +got):\n%s", diff)
	}
}

func TestPodsToActivate_SharedWithClones(t *testing.T) {
	state := framework.NewCycleState()
	state.Write(framework.PodsToActivateKey, framework.NewPodsToActivate())
	data, err := state.Clone().Read("kubernetes.io/pods-to-activate")
	if err != nil {
		t.Fatal(err)
	}
	data.(*framework.PodsToActivate).Map["default/other"] = mk.Pod("other").Obj()
	original, _ := state.Read(framework.PodsToActivateKey)
	if len(original.(*framework.PodsToActivate).Map) != 1 {
		t.Error("a pod added to a clone's PodsToActivate is missing")
	}
}
