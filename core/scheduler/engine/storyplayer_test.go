package engine_test

import (
	"fmt"
	"strings"

	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// player is one engine, and its log since the last command.
type player struct {
	*engine.Engine
	handle   fwk.Handle // of its plugins
	effects  map[world.EffectID]world.Action
	log      []string
	problems int
}

func (p *player) logf(format string, args ...any) {
	p.log = append(p.log, fmt.Sprintf(format, args...))
}

// collect logs the new effects and problems.
func (p *player) collect() {
	for _, effect := range p.Effects() {
		p.effects[effect.ID] = effect.Action
		p.logf("%s", effectText(effect))
	}
	for _, problem := range p.Problems()[p.problems:] {
		p.logf("problem: %v", problem.Err)
		p.problems++
	}
}

func (p *player) step() {
	for d, more := p.Step(); more; d, more = p.Step() {
		words := fmt.Sprintf("%s is %s", d.Pod.Name, d.Verdict)
		if d.Node != "" {
			words += " on " + d.Node
		}
		if d.RunnerUp != "" {
			words += fmt.Sprintf(" (%d points; then %s, %d)", d.Score, d.RunnerUp, d.RunnerUpScore)
		}
		if len(d.Unknown) > 0 {
			words += fmt.Sprintf(", unknown what %s would say", strings.Join(d.Unknown, " "))
		}
		if d.Nominated != "" {
			words += ", nominated to " + d.Nominated
		}
		p.logf("%s", words)
	}
}

// open creates the first engine when it is needed.
func (s *storyRun) open() {
	p := &player{effects: map[world.EffectID]world.Action{}}
	s.building = p
	e, err := engine.New(engine.Options{Start: start, Config: s.configuration(), Plugins: s.registry(), DecisionLogSize: 16})
	if err != nil {
		s.t.Fatalf("making an engine: %v", err)
	}
	p.Engine = e
	s.players = append(s.players, p)
}

// fork adds a fork of the first engine. Outstanding plugin calls are made on the fork's own plugins.
func (s *storyRun) fork() {
	first := s.players[0]
	fork := &player{effects: map[world.EffectID]world.Action{}, problems: first.problems}
	s.building = fork
	e, err := first.Fork()
	if err != nil {
		s.t.Fatal(err)
	}
	fork.Engine = e
	for id, action := range first.effects {
		if run, ok := e.Run(id); ok {
			action = run
		}
		fork.effects[id] = action
	}
	s.players = append(s.players, fork)
}
