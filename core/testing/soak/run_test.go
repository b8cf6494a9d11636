package soak_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orrery/core/testing/fuzz"
	"orrery/core/testing/race"
	"orrery/core/testing/soak"
)

func run(t *testing.T, p soak.Plan) soak.Result {
	t.Helper()
	r, err := soak.Run(p)
	if err != nil {
		t.Fatalf("seed %d: %v", p.Seed, err)
	}
	return r
}

// Some seeds hold every invariant, and each invariant is checked.
func TestRun_HoldsInvariants(t *testing.T) {
	checks, steps := map[string]int{}, map[string]int{}
	for seed := range uint64(race.Few(24, 3)) {
		r := run(t, soak.Draw(seed, 1))
		if r.Violation != nil {
			t.Errorf("seed %d: %s", seed, r.Violation)
		}
		for name, n := range r.Checks {
			checks[name] += n
		}
		for name, n := range r.Steps {
			steps[name] += n
		}
	}
	if race.Enabled {
		return // too few runs to take every step
	}
	for _, name := range []string{
		"term", "bound once", "bound twice", "room", "filter", "volumes", "devices", "priority", "state", "counters", "same", "counted", "pods", "rest", "lease", "woken", "level", "restore", "replay", "hashed",
	} {
		if checks[name] == 0 {
			t.Errorf("%q was never checked: %v", name, checks)
		}
	}
	faults, others := soak.StepNames()
	if all := len(faults) + len(others); len(steps) < all*3/4 {
		t.Errorf("of %d steps only these were taken: %v", all, steps)
	}
}

// Leaders end in every way, again and again, while there are always pods to bind and hardly any room. None of them gives away what another
// has given away, but for what a stray call has bound.
func TestRun_NoOvercommitFromTermToTerm(t *testing.T) {
	checks, steps := map[string]int{}, map[string]int{}
	for seed := range uint64(race.Few(3, 1)) {
		p := soak.Plan{Seed: seed, Hours: 1, Replicas: 3, Zones: 2, Nodes: []uint64{seed, seed + 1, seed + 2}, Latency: true}
		ends := []string{"terminate", "suspend", "pause", "crash", "stray"}
		for i := range 80 {
			at := time.Duration(i) * 10 * time.Second
			p.Steps = append(p.Steps,
				soak.Step{At: soak.Span(at), Do: "pods", N: seed<<32 + uint64(i), Count: 5},
				soak.Step{At: soak.Span(at + 2*time.Second), Do: "delete-pods", N: seed<<32 + uint64(i), Count: 5},
				soak.Step{At: soak.Span(at + 3*time.Second), Do: ends[i%len(ends)], N: uint64(i), Count: 3, For: soak.Span(20 * time.Second)})
		}
		r := run(t, p)
		if r.Violation != nil {
			t.Errorf("seed %d: %s", seed, r.Violation)
		}
		for name, n := range r.Checks {
			checks[name] += n
		}
		for name, n := range r.Steps {
			steps[name] += n
		}
	}
	if checks["overcommit"] < 50 || checks["bound twice"] < 100 || steps["suspend"] == 0 || steps["stray"] == 0 {
		t.Errorf("too little was checked: %v, after %v", checks, steps)
	}
}

func TestRun_SameSeedSameRun(t *testing.T) {
	for seed := range uint64(2) {
		one, again := run(t, soak.Draw(seed+100, 1)), run(t, soak.Draw(seed+100, 1))
		if one.Digest != again.Digest || one.Decisions == 0 {
			t.Errorf("seed %d: the digests are %s and %s, after %d decisions", seed, one.Digest, again.Digest, one.Decisions)
		}
	}
	if one, other := run(t, soak.Draw(100, 1)), run(t, soak.Draw(101, 1)); one.Digest == other.Digest {
		t.Error("another seed gives the same run")
	}
}

func TestPlan_TextReadsBack(t *testing.T) {
	for seed := range uint64(20) {
		p := soak.Draw(seed, 2)
		again, err := soak.ReadPlan(p.Text())
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(again.Text(), p.Text()) {
			t.Errorf("seed %d (-drawn +read):\n%s", seed, cmp.Diff(string(p.Text()), string(again.Text())))
		}
	}
	empty := soak.Plan{Hours: 1, Replicas: 1, Zones: 1}
	if again, err := soak.ReadPlan(empty.Text()); err != nil || !bytes.Equal(again.Text(), empty.Text()) {
		t.Errorf("a plan without steps: %v", err)
	}
}

func TestReadPlan_RefusesWhatCannotBeRun(t *testing.T) {
	const plan = `{"hours":%s,"replicas":%s,"zones":1,"nodes":[],"rates":{%s},"steps":[%s]}`
	for _, tc := range []struct{ hours, replicas, rates, steps, want string }{
		{"0", "1", "", "", "hours is 0"},
		{"1", "99", "", "", "replicas is 99"},
		{"1", "1", `"watch lost":2`, "", `"watch lost"`},
		{"1", "1", `"swarm":0.5`, "", `"swarm"`},
		{"1", "1", "", `{"at":"1s","do":"dance"}`, `"dance"`},
		{"1", "1", "", `{"at":"2s","do":"pods"},{"at":"1s","do":"pods"}`, "before the one"},
		{"1", "1", "", `{"at":"1s","do":"pods","count":-1}`, "out of range"},
		{"1", "1", "", `{"at":"soon","do":"pods"}`, "soon"},
	} {
		_, err := soak.ReadPlan(fmt.Appendf(nil, plan, tc.hours, tc.replicas, tc.rates, tc.steps))
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%+v: %v", tc, err)
		}
	}
}

// FuzzReadPlan reads plans of simulations.
//
//orrery:reads core/testing/soak core/testing/soak/command
func FuzzReadPlan(f *testing.F) {
	f.Add(soak.Draw(1, 1).Text())
	f.Add([]byte(`{"clocks": [{"ahead": "8m\u007f56s"}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var p soak.Plan
		var err error
		fuzz.Cost(t, len(text), func() { p, err = soak.ReadPlan(text) })
		if err != nil {
			fuzz.Error(t, err)
			return
		}
		if again, err := soak.ReadPlan(p.Text()); err != nil || !bytes.Equal(again.Text(), p.Text()) {
			t.Errorf("it does not read back: %v", err)
		}
	})
}
