package engine_test

import (
	"flag"
	"testing"

	"orrery/core/scheduler/engine"
	"orrery/core/testing/race"
	"orrery/core/world/memory"
)

var scenarios = flag.Int("scenarios", race.Few(200, 8), "how many generated scenarios the property tests run")

// outcome identifies a run of a scenario.
type outcome struct {
	decided engine.Digest
	cluster string
}

func outcomeOf(e *engine.Engine, c *memory.Cluster) outcome { return outcome{e.Digest(), c.Digest()} }

func TestDigest_SameScenarioSameDigest(t *testing.T) {
	t.Parallel()
	for _, day := range []struct {
		name   string
		faults memory.Faults
	}{{"without faults", memory.Faults{}}, {"with faults", allFaults()}} {
		t.Run(day.name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(max(1, *scenarios/4)) {
				once, again := digestsOf(t, seed, day.faults), digestsOf(t, seed, day.faults)
				if once != again {
					t.Errorf("scenario %d ends in %v and, repeated, in %v", seed, once, again)
				}
				if left, right := digestsOfFork(t, seed, day.faults); left != once || right != once {
					t.Errorf("scenario %d ends in %v, but forked halfway in %v and %v", seed, once, left, right)
				}
			}
		})
	}
}

func digestsOf(t *testing.T, seed uint64, faults memory.Faults) outcome {
	e, c := newEngine(t, seed), scenario(seed, faults)
	run(e, c, start.Add(scenarioLength+scenarioTail))
	return outcomeOf(e, c)
}

// digestsOfFork forks engine and cluster halfway, and runs first the fork, then the original.
func digestsOfFork(t *testing.T, seed uint64, faults memory.Faults) (fork, original outcome) {
	e, c := newEngine(t, seed), scenario(seed, faults)
	run(e, c, start.Add(scenarioLength/2))
	ef, err := e.Fork()
	if err != nil {
		t.Fatalf("forking scenario %d: %v", seed, err)
	}
	cf := c.Fork()
	end := start.Add(scenarioLength + scenarioTail)
	run(ef, cf, end)
	run(e, c, end)
	return outcomeOf(ef, cf), outcomeOf(e, c)
}

func newEngine(t *testing.T, seed uint64) *engine.Engine {
	t.Helper()
	e, err := engine.New(engine.Options{Seed: seed, Start: start})
	if err != nil {
		t.Fatalf("making an engine: %v", err)
	}
	return e
}
