package app

import (
	"math"
	"testing"

	"orrery/core/scheduler/framework"
	"orrery/core/testing/race"
	"orrery/demo"
	"orrery/tui"
)

// Every built-in trace opens playing, past its start, under its name.
func TestStories_OpenEveryTrace(t *testing.T) {
	race.Alone(t)
	f := demoFlags{loop: true}
	all := f.stories(framework.Registry{}, math.Inf(1), nil)
	for i, trace := range demo.Traces() {
		source, err := all[i].Open()
		if err != nil {
			t.Fatal(err)
		}
		r := source.(*tui.Recording)
		if all[i].Name != trace.Name || source.Name() != trace.Name || r.Trace != trace.Name || !r.Playing() || !r.Loop() || !r.Now().After(r.Start()) {
			t.Errorf("%s opens %q, playing %t with %d decisions", trace.Name, source.Name(), r.Playing(), r.Engine().DecisionCount())
		}
	}
}
