package diagnose

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"orrery/core/answers/change"
	"orrery/core/safe/plural"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/gangs"
	"orrery/core/world"
)

// GangRemedy is changes that together let a gang go.
type GangRemedy struct {
	Changes []change.Change
	// At is when enough members have a place, Text the changes in a sentence.
	At   time.Time
	Text string
}

const (
	// gangPatience is how long a change may take to let the gang go: the longest back-off and a little more.
	gangPatience = 15 * time.Second
	// maxGangNodes bounds the nodes that a remedy adds, maxGangTried the candidates of each kind.
	//
	//orrery:limit answers; nodes that a remedy for a gang adds; it is none
	maxGangNodes = 64
	//orrery:limit answers; remedies for a gang of each kind that are tried; the others are not
	maxGangTried = 3
)

// remedies tries what would let the gang go, the cheapest first, unless it goes by itself at once.
func (s *gangSearch) remedies(g *Gang) error {
	deadline := s.now()
	for _, at := range append([]time.Time{g.Deadline}, rivalDeadlines(g)...) {
		if at.After(deadline) {
			deadline = at
		}
	}
	var err error
	if g.GoesAt, err = s.goes(deadline.Add(gangPatience)); err != nil || g.GoesAt.Equal(s.now()) {
		return err
	}
	for _, r := range slices.Concat(s.withoutRivals(g), s.ofMember(), s.smaller(g)) {
		until := s.now().Add(gangPatience)
		if r.Changes[0].Verb == change.SetMinCount {
			until = deadline.Add(gangPatience) // Permit is asked again when the deadline has passed
		}
		if err := s.try(g, r, until); err != nil {
			return err
		}
	}
	if err := s.tryNodes(g); err != nil {
		return err
	}
	slices.SortStableFunc(g.Remedies, func(a, b GangRemedy) int { return a.At.Compare(b.At) })
	g.TooLarge = len(g.Remedies) == 0 && s.steps <= 0
	return nil
}

func (s *gangSearch) now() time.Time { return s.engine.Now() }

func rivalDeadlines(g *Gang) []time.Time {
	var all []time.Time
	for i := range g.Rivals {
		all = append(all, g.Rivals[i].Deadline)
	}
	return all
}

// try adds a remedy if the gang goes with it by a time, and not as soon without it.
func (s *gangSearch) try(g *Gang, r GangRemedy, until time.Time) error {
	var err error
	r.At, err = s.goes(until, r.Changes...)
	if err == nil && !r.At.IsZero() && (g.GoesAt.IsZero() || r.At.Before(g.GoesAt)) {
		g.Remedies = append(g.Remedies, r)
	}
	return err
}

// withoutRivals are the ends of the gangs that are in the way.
func (s *gangSearch) withoutRivals(g *Gang) []GangRemedy {
	var list []GangRemedy
	for i := range g.Rivals {
		if r := &g.Rivals[i]; r.HoldsRoom && len(list) < maxGangTried {
			list = append(list, deleting(r.Name))
		}
	}
	if len(g.Together) > 0 {
		list = append(list, deleting(g.Together...))
	}
	return list
}

func deleting(names ...string) GangRemedy {
	r := GangRemedy{Text: "delete gang " + strings.Join(names, " and gang ")}
	for _, name := range names {
		r.Changes = append(r.Changes, change.Change{Verb: change.DeleteGang, Name: name})
	}
	return r
}

// ofMember are the changes of other objects than pods that place the first member without a place, but for more nodes.
func (s *gangSearch) ofMember() []GangRemedy {
	var list []GangRemedy
	for _, r := range s.candidates {
		if !ofPod(r.Change) && !ofClaim(r.Change) && r.Change.Verb != change.AddNodes && len(list) < maxGangTried {
			list = append(list, GangRemedy{Changes: []change.Change{r.Change}, Text: r.Text})
		}
	}
	return list
}

// smaller is the gang of as many pods as have a place or fit.
func (s *gangSearch) smaller(g *Gang) []GangRemedy {
	least := g.Placed + g.Trial.Placed
	if least == 0 || least >= g.MinCount {
		return nil
	}
	group := gangs.Key{Namespace: s.key.Namespace, Workload: s.key.Workload, Group: s.key.Group}
	return []GangRemedy{{
		Changes: []change.Change{{Verb: change.SetMinCount, Name: gangName(group), Count: least}},
		Text:    fmt.Sprintf("create its workload again with a minCount of %d only", least),
	}}
}

// tryNodes adds the fewest nodes like an existing one that let the gang go, also where other pods get a part of them.
func (s *gangSearch) tryNodes(g *Gang) error {
	like := ""
	for _, r := range s.candidates {
		if r.Change.Verb == change.AddNodes {
			like = r.Change.Name
			break
		}
	}
	if like == "" {
		return nil
	}
	var err error
	nodes := func(n int) change.Change { return change.Change{Verb: change.AddNodes, Name: like, Count: n} }
	enough := func(n int) bool {
		if err != nil {
			return false
		}
		var at time.Time
		at, err = s.goes(s.now().Add(gangPatience), nodes(n))
		return !at.IsZero()
	}
	high := 1
	for high < maxGangNodes && !enough(high) {
		high *= 2
	}
	low := high / 2 // not enough
	for high-low > 1 {
		if middle := (low + high) / 2; enough(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	if err != nil {
		return err
	}
	r := GangRemedy{Changes: []change.Change{nodes(high)}, Text: fmt.Sprintf("add %d more %s like %s", high, plural.Of(high, "node"), like)}
	return s.try(g, r, s.now().Add(gangPatience))
}

// goes returns when enough members have a place after changes, by a time, with the turns of all pods; zero if they do not, or if that
// is too much to try.
func (s *gangSearch) goes(until time.Time, changes ...change.Change) (time.Time, error) {
	f, err := s.engine.Fork()
	if err != nil {
		return time.Time{}, err
	}
	for _, c := range changes {
		if !s.apply(f, c) {
			return time.Time{}, nil
		}
	}
	for at, due := f.Now(), true; due && !at.After(until); at, due = f.NextWake() {
		if err := f.Apply(world.Input{At: at, Event: world.Tick{}}); err != nil {
			return time.Time{}, err
		}
		for more := true; more; _, more = f.Step() {
			if s.going(f) {
				return f.Now(), nil
			}
			if s.steps--; s.steps <= 0 {
				return time.Time{}, nil
			}
		}
	}
	return time.Time{}, nil
}

// waitingIn counts the members that wait on Permit.
func waitingIn(e *engine.Engine, group *gangs.Group) int {
	n := 0
	for _, pod := range group.At(gangs.Assumed) {
		if e.PodState(pod.Namespace, pod.Name) == engine.StateWaiting {
			n++
		}
	}
	return n
}

// apply makes a change; false if it is refused.
func (s *gangSearch) apply(f *engine.Engine, c change.Change) bool {
	times := 1
	if c.Verb == change.AddNodes {
		times = c.Count
	}
	for range times {
		for _, event := range s.eventsOf(f, c) {
			if f.Apply(world.Input{At: f.Now(), Event: event}) != nil {
				return false
			}
		}
	}
	return true
}

// going reports whether enough members are bound in an engine, or being bound.
func (s *gangSearch) going(f *engine.Engine) bool {
	workload, group := workloadOf(f, s.key), f.Gangs().Group(s.key)
	if workload == nil || group == nil {
		return false
	}
	policy := gangs.PolicyOf(workload, s.key.Group)
	return policy != nil && policy.Gang != nil && placedIn(group) >= int(policy.Gang.MinCount) &&
		placedIn(group)-waitingIn(f, group) >= int(policy.Gang.MinCount)
}

// eventsOf returns a change as the cluster would report it.
func (s *gangSearch) eventsOf(f *engine.Engine, c change.Change) []world.Event {
	switch c.Verb {
	case change.DeleteGang:
		return deletedGang(f, c.Name)
	case change.SetMinCount:
		was := workloadOf(f, s.key)
		is := was.DeepCopy()
		gangs.PolicyOf(is, s.key.Group).Gang.MinCount = int32(c.Count)
		is.ResourceVersion, is.UID = "", was.UID+"-again"
		return []world.Event{world.Changed{Op: world.Deleted, Object: was}, world.Changed{Op: world.Added, Object: is}}
	}
	return eventsOf(f, s.missing[0], c)
}

// deletedGang is the deletion of all pods of a gang.
func deletedGang(f *engine.Engine, name string) []world.Event {
	var events []world.Event
	for _, key := range f.Gangs().Keys() {
		if gangName(key) == name {
			for _, m := range f.Gangs().Group(key).Members() {
				events = append(events, world.Changed{Op: world.Deleted, Object: m.Pod})
			}
		}
	}
	return events
}
