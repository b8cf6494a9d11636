package tui

import (
	"bytes"
	"testing"

	v1 "k8s.io/api/core/v1"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/trace/play"
	"orrery/core/world"
	"orrery/demo/playback"
)

// TestRecording_HistoryHasTheGatesOfTheRecording records a pod whose toleration is a comparison, on a node with the taint.
func TestRecording_HistoryHasTheGatesOfTheRecording(t *testing.T) {
	for _, on := range []bool{false, true} {
		features, err := config.ParseFeatures(map[string]bool{string(config.TaintTolerationComparisonOperators): on})
		if err != nil {
			t.Fatal(err)
		}
		o := engine.Options{Start: start, Config: config.Default(features)}
		e, err := engine.New(o)
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		r, err := play.NewRecorder(&file, e, o, play.About{})
		if err != nil {
			t.Fatal(err)
		}
		pod := mk.Pod("tolerant").Node("tainted").Obj()
		pod.Spec.Tolerations = []v1.Toleration{{Key: "wear", Operator: v1.TolerationOpGt, Value: "3", Effect: v1.TaintEffectNoExecute}}
		for _, object := range []world.Object{pod, mk.Node("tainted").Taint("wear", "5", v1.TaintEffectNoExecute).Obj()} {
			in := world.Input{At: start, Event: world.Changed{Op: world.Added, Object: object}}
			r.Applied(in, e.Apply(in))
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		d, err := OpenRecording(&file, playback.Options{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		d.ToEnd()
		if open := d.History().Evictions().Open(); (len(open) == 0) != on {
			t.Errorf("with the gate %v the predicted evictions are %v", on, open)
		}
	}
}
