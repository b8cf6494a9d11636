package diagnose

import (
	"cmp"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
)

// GangRival is another gang whose pods have places, and wait for others of their own.
type GangRival struct {
	Name string `json:"name"`
	// Holding of its pods have places, until Deadline; its pods lack Needed more.
	Holding  int       `json:"holding"`
	Needed   int       `json:"needed"`
	Deadline time.Time `json:"deadline,omitzero"`
	// HoldsRoom says that this gang fits without them, LacksRoom that the other one fits without the places of this one; both were
	// tried on a copy.
	HoldsRoom bool `json:"holdsRoom"`
	LacksRoom bool `json:"lacksRoom"`
}

// Deadlock reports whether each of the two holds the room of the other.
func (r *GangRival) Deadlock() bool { return r.HoldsRoom && r.LacksRoom }

// maxRivals bounds the other gangs that are tried: those that hold the most places.
//
//orrery:limit answers; other gangs whose places are tried; the others are not
const maxRivals = 8

// rival is another gang in the search.
type rival struct {
	*gangSearch
	holds []*v1.Pod
}

// findRivals finds the gangs in whose way this one is, and those in the way of this one.
func (s *gangSearch) findRivals(g *Gang) error {
	rivals := s.rivals()
	own := holding(s.engine, s.group)
	for _, r := range rivals {
		found := GangRival{Name: r.key.FullName(), Holding: len(r.holds), Needed: r.needed()}
		if deadline := r.group.Deadline(); deadline.After(s.engine.Now()) {
			found.Deadline = deadline
		}
		var err error
		if found.HoldsRoom, err = s.fitWithout(s, r.holds); err != nil {
			return err
		}
		if found.LacksRoom, err = s.fitWithout(r.gangSearch, own); err != nil {
			return err
		}
		if found.HoldsRoom || found.LacksRoom {
			g.Rivals = append(g.Rivals, found)
		}
	}
	if len(rivals) < 2 || slices.ContainsFunc(g.Rivals, func(r GangRival) bool { return r.HoldsRoom }) {
		return nil
	}
	return s.tryWithoutAll(g, rivals)
}

// tryWithoutAll tries the gang without all of several others.
func (s *gangSearch) tryWithoutAll(g *Gang, rivals []rival) error {
	var all []*v1.Pod
	var names []string
	for _, r := range rivals {
		all, names = append(all, r.holds...), append(names, r.key.FullName())
	}
	fits, err := s.fitWithout(s, all)
	if fits {
		g.Together = names
	}
	return err
}

// rivals are the other gangs that hold places and lack some, those that hold the most first.
func (s *gangSearch) rivals() []rival {
	var all []rival
	for _, key := range s.engine.Gangs().Keys() {
		if key == s.key {
			continue
		}
		other := newGangSearch(s.engine, key)
		if other == nil || other.least == 0 || other.needed() <= 0 {
			continue
		}
		if holds := holding(s.engine, other.group); len(holds) > 0 {
			all = append(all, rival{other, holds})
		}
	}
	slices.SortStableFunc(all, func(a, b rival) int {
		return cmp.Or(cmp.Compare(len(b.holds), len(a.holds)), cmp.Compare(a.key.FullName(), b.key.FullName()))
	})
	return all[:min(len(all), maxRivals)]
}

// fitWithout tries whether a gang fits once some pods of others have no node.
func (s *gangSearch) fitWithout(of *gangSearch, pods []*v1.Pod) (bool, error) {
	if held, _ := of.held(); held != nil || len(pods) == 0 || s.visits <= 0 {
		return false, nil
	}
	t, err := s.engine.Trial()
	if err != nil {
		return false, err
	}
	for _, pod := range pods {
		t.Release(pod)
	}
	p := s.newPlacement(t, of.missing, of.needed())
	err = p.run()
	return p.fits(), err
}
