package engine_test

import (
	"slices"
	"testing"

	"orrery/core/engine"
	"orrery/core/mk"
	"orrery/core/world"
)

// In a fork, a plugin call that was not made yet calls the fork's plugin.
func TestFork_CallsItsOwnPlugins(t *testing.T) {
	s := &storyRun{t: t, now: start, objects: map[string]world.Object{}}
	s.runLine("plugin", []string{"Volume", "preBind"})
	s.runLine("node", []string{"n1"})
	s.runLine("pod", []string{"web"})
	original := s.players[0]
	original.Step()
	s.fork()
	twin := s.players[1]
	original.said, twin.said = nil, nil

	for _, effect := range twin.Effects() {
		if run, ok := effect.Action.(world.RunPlugin); ok {
			run.Call(t.Context())
		}
	}
	if want := []string{"Volume.PreBind web on n1"}; !slices.Equal(twin.said, want) || len(original.said) > 0 {
		t.Errorf("the copy's plugins heard %q and the original's %q, want %q and nothing", twin.said, original.said, want)
	}
}

func TestRun_OnlyPluginCallsInFlight(t *testing.T) {
	s := newScene(t, engine.Options{})
	s.added(mk.Node("n1").CPU("4").Memory("8Gi").Obj(), mk.Pod("web").CPU("1").Obj())
	s.decide()
	expectEffects(t, s.acts(), "1 bind web to n1")
	for _, id := range []world.EffectID{0, 1, 2} {
		if run, ok := s.e.Run(id); ok {
			t.Errorf("effect %d is taken for a call of a plugin: %+v", id, run)
		}
	}
}
