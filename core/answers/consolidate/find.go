package consolidate

import (
	"fmt"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/answers/change"
	"orrery/core/answers/whatif"
	"orrery/core/evict"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

const (
	// waveSize is how many nodes are drained at the same time at most.
	//
	//orrery:limit answers; nodes that one wave of a consolidation drains; the others are in the next wave
	waveSize = 8
	// maxSteps is how often the simulated cluster decides in a search.
	//
	//orrery:limit answers; decisions of a consolidation; the search ends, and says so
	maxSteps = 10_000_000
	// maxExplained bounds the nodes without room for which it is found out what each pod lacks.
	//
	//orrery:limit answers; nodes of a consolidation whose pods are asked what keeps them; the others are said to have no room
	maxExplained = 20
)

// Find finds nodes that can be emptied. The engine is only read.
func Find(e *engine.Engine, o Options) (*Plan, error) {
	start, err := whatif.Begin(e, whatif.Options{MaxTime: 30 * 24 * time.Hour, MaxDecisions: maxSteps})
	if err != nil {
		return nil, err
	}
	walk, err := start.Walk(0)
	if err != nil {
		return nil, err
	}
	s := &search{options: o, plan: &Plan{}, first: walk, walk: walk, gone: map[string]bool{}}
	s.plan.Before = totalsOf(walk.Engine(), nil)
	s.left, s.plan.Blocked = candidates(walk.Engine(), &o)
	s.plan.Candidates, s.plan.Bound, s.plan.RoomFor = len(s.left), boundOf(walk.Engine(), s.left), len(o.Room)
	s.onlyForRoom()
	if err := s.run(); err != nil {
		return nil, err
	}
	if err := s.finish(start); err != nil {
		return nil, err
	}
	if s.plan.RoomFor > 0 {
		if s.plan.HasRoom, err = hasRoom(s.walk.Engine(), s.gone, o.Room); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(s.plan.Blocked, byNode)
	return s.plan, nil
}

// search is a plan in the making.
type search struct {
	options     Options
	plan        *Plan
	first, walk *whatif.Walk // at the start, and after the waves so far
	left        []candidate
	gone        map[string]bool // the nodes of the waves so far
	moved       int
	explained   int
	looked      int
}

func (s *search) run() error {
	for len(s.left) > 0 {
		var err error
		if s.plan.Stopped, err = s.enough(); err != nil || s.plan.Stopped != "" {
			if err != nil {
				return err
			}
			break
		}
		wave, err := s.nextWave()
		if err != nil {
			return err
		}
		for len(wave) > 0 {
			done, err := s.try(wave)
			if err != nil {
				return err
			}
			if done || len(wave) == 1 {
				break
			}
			// The rest has its turn again: what is in the way may be another node of the wave.
			s.left = append(slices.Clone(wave[(len(wave)+1)/2:]), s.left...)
			wave = wave[:(len(wave)+1)/2]
		}
		s.refresh()
	}
	for _, c := range s.left {
		s.plan.Blocked = append(s.plan.Blocked, Blocked{Node: c.node, Kind: NotReached, Detail: s.plan.Stopped})
	}
	return nil
}

// enough says why the search is over; empty if it is not.
func (s *search) enough() (string, error) {
	o := &s.options
	if len(o.Room) > 0 {
		has, err := hasRoom(s.walk.Engine(), s.gone, o.Room)
		if err != nil || has {
			return "the pods that room is made for fit", err
		}
	}
	switch {
	case o.Free > 0 && len(s.gone) >= o.Free:
		return fmt.Sprintf("%d nodes are enough", o.Free), nil
	case o.Until > 0 && s.utilization() >= o.Until:
		return fmt.Sprintf("the nodes that stay are requested to %.0f%%", 100*s.utilization()), nil
	case o.Stop != nil && o.Stop():
		return "the time was over", nil
	}
	return "", nil
}

func (s *search) utilization() float64 {
	t := totalsOf(s.walk.Engine(), s.gone)
	return max(t.CPU, t.Memory)
}

// refresh takes the candidates that are left as they are now: pods have come to them.
func (s *search) refresh() {
	now, kept := candidates(s.walk.Engine(), &s.options)
	is := map[string]bool{}
	for _, c := range s.left {
		is[c.node] = true
	}
	s.left = slices.DeleteFunc(now, func(c candidate) bool { return !is[c.node] })
	for _, b := range kept {
		if is[b.Node] { // what keeps it came to it
			s.plan.Blocked = append(s.plan.Blocked, b)
		}
	}
}

// nextWave takes candidates whose pods fit on the other nodes, tried one beside the other.
func (s *search) nextWave() ([]candidate, error) {
	var wave []candidate
	from, most := s.walk.Engine(), waveSize
	if o := &s.options; o.Free > 0 {
		most = min(most, o.Free-len(s.gone))
	}
	if s.options.Until > 0 || len(s.options.Room) > 0 {
		most = 1
	}
	pods := s.moved
	for len(s.left) > 0 && len(wave) < most {
		if s.options.Stop != nil && s.options.Stop() {
			break
		}
		c := s.left[0]
		s.left = s.left[1:]
		s.looked++
		if s.options.Progress != nil {
			s.options.Progress(s.looked, s.plan.Candidates, len(s.gone))
		}
		if m := s.options.MaxMoves; m > 0 && pods+len(c.moves) > m {
			s.plan.Blocked = append(s.plan.Blocked, Blocked{Node: c.node, Kind: NotReached, Detail: fmt.Sprintf("more than %d pods would be moved", m)})
			continue
		}
		after, failed, err := place(from, &c)
		switch {
		case err != nil:
			return nil, err
		case failed == nil:
			wave, from, pods = append(wave, c), after, pods+len(c.moves)
		case len(wave) == 0:
			if err := s.explain(c, failed); err != nil {
				return nil, err
			}
		default:
			// It may fit where this wave does not go.
			s.left = append([]candidate{c}, s.left...)
			s.looked--
			return wave, nil
		}
	}
	return wave, nil
}

// place tries the pods of a node on the others. It returns an engine with them there, or the first that finds no place.
func place(e *engine.Engine, c *candidate) (after *engine.Engine, failed *v1.Pod, err error) {
	node := e.Store().Node(c.node).DeepCopy()
	node.Spec.Unschedulable, node.ResourceVersion = true, ""
	t, err := e.Trial(world.Changed{Op: world.Modified, Object: node})
	if err != nil {
		return nil, nil, err
	}
	for _, pod := range c.moves {
		t.Release(pod)
	}
	for _, pod := range c.moves {
		free := *pod
		free.Spec.NodeName = ""
		if to := t.Place(&free, ""); to == "" || to == c.node {
			return nil, pod, nil
		}
	}
	return t.Engine(), nil, nil
}

// explain finds out what keeps a node whose pods do not all find a place: by draining it.
func (s *search) explain(c candidate, failed *v1.Pod) error {
	if s.explained++; s.explained > maxExplained {
		s.plan.Blocked = append(s.plan.Blocked, Blocked{Node: c.node, Kind: NoRoom, Pod: failed.Namespace + "/" + failed.Name, Detail: "no other node takes it"})
		return nil
	}
	_, err := s.try([]candidate{c}) // the pods that come again may fare better
	return err
}

// try drains a wave on a copy, and goes on from there if all pods of it have places in the end. A single node that fails is blocked.
func (s *search) try(wave []candidate) (bool, error) {
	next, err := s.walk.Fork()
	if err != nil {
		return false, err
	}
	var names []string
	for _, c := range wave {
		names = append(names, c.node)
	}
	if err := next.Do(append(each(change.Cordon, names), each(change.Drain, names)...)...); err != nil {
		return false, err
	}
	result := next.Since(s.walk)
	if b := blockedBy(result, s.walk.Engine()); b != nil {
		if len(wave) == 1 {
			b.Node = wave[0].node
			s.plan.Blocked = append(s.plan.Blocked, *b)
		}
		return false, nil
	}
	s.walk = next
	for _, c := range wave {
		s.gone[c.node] = true
		s.moved += len(c.moves)
	}
	s.plan.Waves = append(s.plan.Waves, names)
	return true, nil
}

// blockedBy says why a drain is not taken; nil if all pods have places.
func blockedBy(r *whatif.Result, before *engine.Engine) *Blocked {
	if len(r.Blocked) > 0 {
		b := r.Blocked[0]
		detail := b.Message
		if len(b.Causes) > 0 {
			detail = b.Causes[0].Detail
		}
		return &Blocked{Kind: Budget, Pod: b.Pod.Namespace + "/" + b.Pod.Name, Detail: detail}
	}
	if r.Truncated {
		return &Blocked{Kind: NoRoom, Detail: "the simulation was cut off before the pods had places"}
	}
	for _, p := range r.Pods {
		name := p.Pod.Namespace + "/" + p.Pod.Name
		if pod := before.Store().Pod(p.Pod.Namespace, p.Pod.Name); pod != nil && pod.UID == p.Pod.UID && comesWithNode(pod) {
			continue
		}
		switch {
		case p.With.RemovedBy == string(evict.Preemption) && p.Without.RemovedBy == "":
			return &Blocked{Kind: Preempts, Pod: name, Detail: "it would be preempted by a pod that comes from the node"}
		case p.Kind.Bad():
			detail := "no other node takes it"
			if p.With.TotalNodes > 0 {
				detail = fmt.Sprintf("%s on %d of %d nodes", p.With.Reason.Reason, p.With.Reason.Nodes, p.With.TotalNodes)
			} else if p.With.Reason.Reason != "" {
				detail = p.With.Reason.Reason
			}
			if p.With.Pod == (world.PodRef{}) {
				return &Blocked{Kind: NoController, Pod: name, Detail: "its controller would not make it again"}
			}
			return &Blocked{Kind: NoRoom, Pod: name, Detail: detail}
		}
	}
	return nil
}
