package tui

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/trace"
	"orrery/core/trace/play"
	"orrery/core/world"
	"orrery/demo/playback"
)

// recorded opens what an engine with the options records while it is driven.
func recorded(t *testing.T, o engine.Options, name string, driven func(*play.Recorder, *engine.Engine)) *Recording {
	t.Helper()
	e, err := engine.New(o)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	r, err := play.NewRecorder(&file, e, o, play.About{})
	if err != nil {
		t.Fatal(err)
	}
	driven(r, e)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	d, err := OpenRecording(&file, playback.Options{Name: name}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestRecording_HistoryHasTheGatesOfTheRecording records a pod whose toleration is a comparison, on a node with the taint.
func TestRecording_HistoryHasTheGatesOfTheRecording(t *testing.T) {
	for _, on := range []bool{false, true} {
		features, err := config.ParseFeatures(map[string]bool{string(config.TaintTolerationComparisonOperators): on})
		if err != nil {
			t.Fatal(err)
		}
		o := engine.Options{Start: start, Config: config.Default(features)}
		pod := mk.Pod("tolerant").Node("tainted").Obj()
		pod.Spec.Tolerations = []v1.Toleration{{Key: "wear", Operator: v1.TolerationOpGt, Value: "3", Effect: v1.TaintEffectNoExecute}}
		d := recorded(t, o, "", func(r *play.Recorder, e *engine.Engine) {
			for _, object := range []world.Object{pod, mk.Node("tainted").Taint("wear", "5", v1.TaintEffectNoExecute).Obj()} {
				in := world.Input{At: start, Event: world.Changed{Op: world.Added, Object: object}}
				r.Applied(in, e.Apply(in))
			}
		})
		d.ToEnd()
		if open := d.History().Evictions().Open(); (len(open) == 0) != on {
			t.Errorf("with the gate %v the predicted evictions are %v", on, open)
		}
	}
}

// What a recording beside another scheduler could not explain is in the pane of agreement, each with its moment, wherever the recording stands.
func TestRecording_AgreementHasUnexplainedDifferences(t *testing.T) {
	for _, shadow := range []bool{true, false} {
		d := recorded(t, engine.Options{Start: start, Shadow: shadow}, "beside", func(r *play.Recorder, e *engine.Engine) {
			for s := range 3 {
				in := world.Input{At: start.Add(time.Duration(s) * time.Second), Event: world.Tick{}}
				r.Applied(in, e.Apply(in))
				r.AddMark(trace.Mark{Kind: trace.Difference, Pod: world.PodRef{Namespace: "shop", Name: fmt.Sprintf("web-%d", s)}, Text: fmt.Sprintf("unexplained at %ds: bound to a-2", s)})
			}
		})
		s := watch(t, d, 140, 40).keys(":").typeText("agreement").keys("enter")
		if !shadow {
			s.shows("there is no other scheduler to compare with")
			continue
		}
		s.shows("3 decisions of the cluster's scheduler without an explanation", "shop/web-0", "unexplained at 0s: bound to a-2", "shop/web-2", "unexplained at 2s").lacks("100%").lacks("decisions compared")
		s.keys("/").typeText("web-1").keys("enter").shows("shop/web-1").lacks("shop/web-0")
	}
}
