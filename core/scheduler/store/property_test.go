package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"orrery/core/scheduler/store"
	"orrery/core/world"
)

// history is what truly happened to a few pods, oldest first: every change has the next version, as in etcd.
type history []string

func drawHistory(t *rapid.T) (h history, alive map[string]string) {
	alive = map[string]string{} // name to state
	uids := map[string]int{}
	version := 90 // so that versions get a third digit, and text does not order them
	for range rapid.IntRange(1, 30).Draw(t, "changes") {
		version++
		name := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "name")
		at := func() string { return fmt.Sprintf("%s/%d@%d", name, uids[name], version) }
		switch _, lives := alive[name]; {
		case !lives:
			uids[name]++
			h = append(h, "added "+at())
			alive[name] = at()
		case rapid.Bool().Draw(t, "modify"):
			h = append(h, "modified "+at())
			alive[name] = at()
		case rapid.Bool().Draw(t, "end"):
			h = append(h, "modified "+at()+" ended")
			delete(alive, name)
		default:
			h = append(h, "deleted "+at())
			delete(alive, name)
		}
	}
	return h, alive
}

// drawDelivery is how a careless network delivers a history: in any order, and parts of it twice.
func drawDelivery(t *rapid.T, h history) []string {
	delivered := rapid.Permutation(slices.Clone(h)).Draw(t, "order")
	for _, e := range rapid.SliceOfN(rapid.SampledFrom(h), 0, 10).Draw(t, "again") {
		delivered = slices.Insert(delivered, rapid.IntRange(0, len(delivered)).Draw(t, "at"), e)
	}
	return delivered
}

func sortedStates(alive map[string]string) []string {
	var states []string
	for _, s := range alive {
		states = append(states, s)
	}
	slices.Sort(states)
	return states
}

// mirror is held up to date by deltas alone, and fails when one does not fit.
type mirror map[string]string

func (m mirror) follow(t *rapid.T, deltas []store.Delta) {
	for _, d := range deltas {
		if d.Old != nil && m[d.Old.GetName()] != show(d.Old) {
			t.Fatalf("%v is about %s, but %q was told before", showDeltas([]store.Delta{d}), show(d.Old), m[d.Old.GetName()])
		}
		switch {
		case d.Op == world.Added && (d.Old != nil || m[d.New.GetName()] != ""):
			t.Fatalf("%v, though there is %q already", showDeltas([]store.Delta{d}), m[d.New.GetName()])
		case d.New != nil:
			m[d.New.GetName()] = show(d.New)
		default:
			delete(m, d.Old.GetName())
		}
	}
}

func TestApply_AnyDeliveryConverges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h, alive := drawHistory(t)
		s, m := store.New(), mirror{}
		for _, e := range drawDelivery(t, h) {
			deltas, err := s.Apply(event(e))
			if err != nil {
				t.Fatal(err)
			}
			m.follow(t, deltas)
		}
		if diff := cmp.Diff(sortedStates(alive), held(s, world.Pod)); diff != "" {
			t.Fatalf("the store (-truth +held):\n%s", diff)
		}
		if diff := cmp.Diff(sortedStates(alive), sortedStates(m)); diff != "" {
			t.Fatalf("the mirror (-truth +mirrored):\n%s", diff)
		}
	})
}

func TestReplace_ListConverges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h, alive := drawHistory(t)
		delivered := drawDelivery(t, h)
		s, m := store.New(), mirror{}
		for _, e := range delivered[:rapid.IntRange(0, len(delivered)).Draw(t, "kept")] {
			deltas, err := s.Apply(event(e))
			if err != nil {
				t.Fatal(err)
			}
			m.follow(t, deltas)
		}
		list := world.Listed{Kind: world.Pod}
		for _, pod := range rapid.Permutation(sortedStates(alive)).Draw(t, "list order") {
			list.Objects = append(list.Objects, state(pod))
		}
		deltas, errs := s.Replace(list)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		m.follow(t, deltas)
		if diff := cmp.Diff(sortedStates(alive), held(s, world.Pod)); diff != "" {
			t.Fatalf("the store (-truth +held):\n%s", diff)
		}
		if diff := cmp.Diff(sortedStates(alive), sortedStates(m)); diff != "" {
			t.Fatalf("the mirror (-truth +mirrored):\n%s", diff)
		}
	})
}

// A list that is older than what is held, as from an API server that was restored or is behind, and the events that follow it lead to
// what is there.
func TestReplace_OlderListConverges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h, alive := drawHistory(t)
		at := rapid.IntRange(0, len(h)).Draw(t, "list's age")
		s, m := store.New(), mirror{}
		apply := func(events []string) {
			for _, e := range events {
				deltas, err := s.Apply(event(e))
				if err != nil {
					t.Fatal(err)
				}
				m.follow(t, deltas)
			}
		}
		apply(drawDelivery(t, h))
		list := world.Listed{Kind: world.Pod}
		for _, pod := range sortedStates(aliveAfter(h[:at])) {
			list.Objects = append(list.Objects, state(pod))
		}
		deltas, errs := s.Replace(list)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		m.follow(t, deltas)
		if len(h[at:]) > 0 {
			apply(drawDelivery(t, h[at:]))
		}
		if diff := cmp.Diff(sortedStates(alive), held(s, world.Pod)); diff != "" {
			t.Fatalf("the store (-truth +held):\n%s", diff)
		}
		if diff := cmp.Diff(sortedStates(alive), sortedStates(m)); diff != "" {
			t.Fatalf("the mirror (-truth +mirrored):\n%s", diff)
		}
	})
}

// aliveAfter are the pods that exist after the events of a history, by name.
func aliveAfter(h history) map[string]string {
	alive := map[string]string{}
	for _, e := range h {
		what, pod, _ := strings.Cut(e, " ")
		pod, ended := strings.CutSuffix(pod, " ended")
		name, _, _ := strings.Cut(pod, "/")
		if alive[name] = pod; what == "deleted" || ended {
			delete(alive, name)
		}
	}
	return alive
}

// TestFork_Independent drives a family of forks with random events, next to plain maps that are copied in full.
func TestFork_Independent(t *testing.T) {
	type pair struct {
		store *store.Store
		model map[string]string
	}
	rapid.Check(t, func(t *rapid.T) {
		pairs := []pair{{store.New(), map[string]string{}}}
		for step := range rapid.IntRange(50, 400).Draw(t, "steps") {
			p := pairs[rapid.IntRange(0, len(pairs)-1).Draw(t, "store")]
			name := fmt.Sprintf("pod-%03d", rapid.IntRange(0, 300).Draw(t, "name"))
			s := fmt.Sprintf("%s/%s@%d", name, name, step+1)
			switch word := rapid.SampledFrom([]string{"added", "added", "added", "deleted", "fork"}).Draw(t, "what"); word {
			case "fork":
				fork := pair{p.store.Fork(), map[string]string{}}
				for k, v := range p.model {
					fork.model[k] = v
				}
				pairs = append(pairs, fork)
			case "deleted":
				delete(p.model, name)
				p.store.Apply(event("deleted " + s))
			default:
				p.model[name] = s
				p.store.Apply(event("added " + s))
			}
		}
		for i, p := range pairs {
			if diff := cmp.Diff(sortedStates(p.model), held(p.store, world.Pod)); diff != "" {
				t.Fatalf("store %d of %d (-want +held):\n%s", i, len(pairs), diff)
			}
			if p.store.Len(world.Pod) != len(p.model) {
				t.Fatalf("store %d counts %d pods, want %d", i, p.store.Len(world.Pod), len(p.model))
			}
			for name, want := range p.model {
				if got := p.store.Pod("default", name); got == nil || show(got) != want {
					t.Fatalf("store %d finds %v as %s, want %s", i, got, name, want)
				}
			}
		}
	})
}

func TestFork_KeepsTombstones(t *testing.T) {
	s := store.New()
	s.Apply(event("added a/1@1"))
	s.Apply(event("deleted a/1@5"))
	fork := s.Fork()
	fork.Apply(event("deleted b/2@9"))
	if deltas, _ := fork.Apply(event("modified a/1@4")); len(deltas) > 0 {
		t.Errorf("in the fork a late message says %v, want nothing", showDeltas(deltas))
	}
	if deltas, _ := s.Apply(event("modified b/2@8")); len(deltas) != 1 {
		t.Errorf("a deletion that only the fork was told of covers %v in the original", strings.Join(showDeltas(deltas), ", "))
	}
}
