package consolidate

import (
	"cmp"
	"slices"

	"orrery/core/answers/change"
	"orrery/core/answers/fix"
	"orrery/core/answers/whatif"
	"orrery/core/world"
)

// seeds are how many ways in which ties between equally good nodes fall a plan is carried out with, unless there are [fix.ManyPods].
const seeds = 3

// finish carries the waves out from the start: with all their nodes cordoned first, so that no pod is moved twice, or one wave after the
// other if that is what it takes. The waves from the first one on that does not do however ties fall are left out.
func (s *search) finish(start *whatif.Start) error {
	for len(s.plan.Waves) > 0 {
		all, err := s.replay(start, true)
		if err != nil {
			return err
		}
		if all == len(s.plan.Waves) {
			s.plan.CordonAll = true
			break
		}
		single, err := s.replay(start, false)
		if err != nil {
			return err
		}
		if single == len(s.plan.Waves) {
			break
		}
		best := max(all, single)
		for _, wave := range s.plan.Waves[best:] {
			for _, node := range wave {
				delete(s.gone, node)
				s.plan.Blocked = append(s.plan.Blocked, Blocked{Node: node, Kind: Ties, Detail: "whether its pods find places hangs on how ties between equally good nodes fall"})
			}
		}
		s.plan.Waves = s.plan.Waves[:best]
	}
	if len(s.plan.Waves) == 0 {
		s.walk = s.first
	}
	s.plan.After = totalsOf(s.walk.Engine(), s.gone)
	s.moves(s.walk.Since(s.first))
	return nil
}

// replay returns how many waves do, from the first one on, with each way in which ties fall. The walk with the first of them is kept.
func (s *search) replay(start *whatif.Start, cordonAll bool) (int, error) {
	do, ways := len(s.plan.Waves), uint64(seeds)
	if s.first.Engine().Store().Len(world.Pod) > fix.ManyPods {
		ways = 1
	}
	for seed := range ways {
		walk, err := start.Walk(seed)
		if err != nil {
			return 0, err
		}
		first, err := walk.Fork()
		if err != nil {
			return 0, err
		}
		if cordonAll {
			if err := walk.Do(each(change.Cordon, s.plan.Freed())...); err != nil {
				return 0, err
			}
		}
		for i, wave := range s.plan.Waves[:do] {
			if err := walk.Do(append(each(change.Cordon, wave), each(change.Drain, wave)...)...); err != nil {
				return 0, err
			}
			if blockedBy(walk.Since(first), first.Engine()) != nil {
				do = i
				break
			}
		}
		if seed == 0 {
			s.first, s.walk = first, walk
		}
	}
	return do, nil
}

// moves lists the pods that were on the emptied nodes.
func (s *search) moves(r *whatif.Result) {
	wave := map[string]int{}
	for i, nodes := range s.plan.Waves {
		for _, node := range nodes {
			wave[node] = i
		}
	}
	for _, p := range r.Pods {
		at, is := wave[p.Without.Node]
		if !is || p.With.Node == "" || p.With.Node == p.Without.Node {
			continue
		}
		s.plan.Moves = append(s.plan.Moves, Move{Pod: p.Pod, Replacement: p.With.Pod, From: p.Without.Node, To: p.With.Node, Wave: at})
	}
	slices.SortFunc(s.plan.Moves, func(a, b Move) int {
		return cmp.Or(cmp.Compare(a.Wave, b.Wave), cmp.Compare(a.From, b.From), cmp.Compare(a.Pod.Namespace, b.Pod.Namespace), cmp.Compare(a.Pod.Name, b.Pod.Name))
	})
}

// each makes the same change to several nodes.
func each(verb change.Verb, nodes []string) []change.Change {
	var all []change.Change
	for _, node := range nodes {
		all = append(all, change.Change{Verb: verb, Name: node})
	}
	return all
}

func byNode(a, b Blocked) int { return cmp.Compare(a.Node, b.Node) }
