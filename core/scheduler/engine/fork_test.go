package engine_test

import (
	"slices"
	"testing"

	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// In a fork, an outstanding plugin call calls the fork's plugin.
func TestFork_CallsItsOwnPlugins(t *testing.T) {
	s := &storyRun{t: t, now: start, objects: map[string]world.Object{}}
	s.runLine("plugin", []string{"Volume", "preBind"})
	s.runLine("node", []string{"n1"})
	s.runLine("pod", []string{"web"})
	original := s.players[0]
	original.Step()
	s.fork()
	fork := s.players[1]
	original.log, fork.log = nil, nil

	for _, effect := range fork.Effects() {
		if run, ok := effect.Action.(world.RunPlugin); ok {
			run.Call(t.Context())
		}
	}
	if want := []string{"Volume.PreBind web on n1"}; !slices.Equal(fork.log, want) || len(original.log) > 0 {
		t.Errorf("calls of the fork's plugins: %q, of the original's: %q, want %q and none", fork.log, original.log, want)
	}
}

func TestRun_OnlyPluginCallsInFlight(t *testing.T) {
	s := newFixture(t, engine.Options{})
	s.added(mk.Node("n1").CPU("4").Memory("8Gi").Obj(), mk.Pod("web").CPU("1").Obj())
	s.decide()
	expectEffects(t, s.effects(), "1 bind web to n1")
	for _, id := range []world.EffectID{0, 1, 2} {
		if run, ok := s.e.Run(id); ok {
			t.Errorf("effect %d is no plugin call: %+v", id, run)
		}
	}
}
