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

// With settled ties the node of a pod depends on the pod and on the nodes, and not on how many pods came before; with another seed the
// ties fall otherwise, and better nodes are chosen all the same.
func TestSettleTies_WhatCameBeforeDoesNotMatter(t *testing.T) {
	nodeOf := func(seed, settled uint64, before int) string {
		s := newFixture(t, engine.Options{Seed: seed})
		for _, name := range []string{"n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8"} {
			s.added(mk.Node(name).CPU("4").Memory("8Gi").Obj())
		}
		s.added(mk.Node("apart").CPU("64").Memory("64Gi").Unschedulable().Obj())
		s.e.SettleTies(settled)
		for i := range before {
			s.added(mk.Pod("huge-" + string(rune('a'+i))).CPU("60").Obj())
			s.decide()
		}
		s.added(mk.Pod("web").CPU("1").Obj())
		all := s.decide()
		return all[len(all)-1].Node
	}
	nodes := map[string]bool{}
	for settled := range uint64(16) {
		first := nodeOf(1, settled, 0)
		nodes[first] = true
		for before := range 4 {
			if got := nodeOf(uint64(before), settled, before); got != first {
				t.Errorf("seed %d: after %d other pods it goes to %s, and to %s after none", settled, before, got, first)
			}
		}
	}
	if len(nodes) < 4 || nodes["apart"] || nodes[""] {
		t.Errorf("of sixteen seeds the nodes are %v", nodes)
	}
}
