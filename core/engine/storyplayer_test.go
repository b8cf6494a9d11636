package engine_test

import (
	"fmt"

	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/engine"
	"orrery/core/world"
)

// player is one engine, and what it has said since the last command.
type player struct {
	*engine.Engine
	handle   fwk.Handle // of its plugins
	acts     map[world.EffectID]world.Action
	said     []string
	problems int
}

func (p *player) say(format string, args ...any) {
	p.said = append(p.said, fmt.Sprintf(format, args...))
}

// collect takes the effects over, and what went wrong.
func (p *player) collect() {
	for _, effect := range p.Effects() {
		p.acts[effect.ID] = effect.Action
		p.say("%s", effectText(effect))
	}
	for _, problem := range p.Problems()[p.problems:] {
		p.say("problem: %v", problem.Err)
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
		if d.Nominated != "" {
			words += ", and room is made on " + d.Nominated
		}
		p.say("%s", words)
	}
}

// open makes the first engine, once it is needed.
func (s *storyRun) open() {
	p := &player{acts: map[world.EffectID]world.Action{}}
	s.casting = p
	e, err := engine.New(engine.Options{Start: start, Config: s.configuration(), Plugins: s.registry(), DecisionLogSize: 16})
	if err != nil {
		s.t.Fatalf("making an engine: %v", err)
	}
	p.Engine = e
	s.players = append(s.players, p)
}

// fork adds a copy of the first engine. What the world still has to call is called on the copy's own plugins.
func (s *storyRun) fork() {
	first := s.players[0]
	twin := &player{acts: map[world.EffectID]world.Action{}, problems: first.problems}
	s.casting = twin
	e, err := first.Fork()
	if err != nil {
		s.t.Fatal(err)
	}
	twin.Engine = e
	for id, act := range first.acts {
		if run, ok := e.Run(id); ok {
			act = run
		}
		twin.acts[id] = act
	}
	s.players = append(s.players, twin)
}
