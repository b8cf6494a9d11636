package diagnose

import (
	v1 "k8s.io/api/core/v1"

	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/gangs"
	"orrery/core/world"
)

// GangTrial is what happened when the members without a place were tried together on a copy, beside those that have one and
// without the turns of other pods.
type GangTrial struct {
	// Needed more members have to get a place. Of Tried, Placed got one; Fits says that these are enough.
	Needed int  `json:"needed"`
	Tried  int  `json:"tried"`
	Placed int  `json:"placed"`
	Fits   bool `json:"fits"`
	// Untried is a member that cannot be placed whatever the nodes are: nothing else was tried.
	Untried string `json:"untried,omitempty"`
	// First is the first member that got no node, and Why the reason, beside those before it.
	First string `json:"first,omitempty"`
	Why   string `json:"why,omitempty"`
	// Cut says that the trial was too large, and ended before all were tried.
	Cut bool `json:"cut,omitempty"`
}

// tryAlone tries the members without a place, and says which holds the gang back.
func (s *gangSearch) tryAlone(g *Gang) error {
	g.Trial = &GangTrial{Needed: s.needed()}
	if held, why := s.held(); held != nil {
		g.Trial.Untried, g.HeldBackBy, g.Why = held.Name, held.Name, why
		return nil
	}
	t, err := s.engine.Trial()
	if err != nil {
		return err
	}
	p := s.newPlacement(t, s.missing, s.needed())
	p.onFirst = func(pod *v1.Pod) error {
		d, pending, err := explain(t.Engine(), world.PodRefOf(pod))
		if err == nil {
			g.Trial.First, g.Trial.Why = pod.Name, d.Summary
			s.candidates = pending.candidates(d.Explanation)
		}
		return err
	}
	if err := p.run(); err != nil {
		return err
	}
	g.Trial.Tried, g.Trial.Placed, g.Trial.Cut = p.tried, p.placed, p.cut
	g.Trial.Fits = p.fits()
	if g.HeldBackBy, g.Why = g.Trial.First, g.Trial.Why; g.Trial.Fits {
		g.HeldBackBy, g.Why = s.waitingForTurn()
	}
	return nil
}

// held returns the first of the members that are too many for the gang to go without, and that no node would change; nil if the
// others are enough.
func (s *gangSearch) held() (first *v1.Pod, why string) {
	spare := len(s.missing) - s.needed()
	for _, pod := range s.missing {
		reason := s.untriable(pod)
		if reason == "" {
			continue
		}
		if first == nil {
			first, why = pod, reason
		}
		if spare--; spare < 0 {
			return first, why
		}
	}
	return nil, ""
}

// waitingForTurn is the first member that waits in the queue although all fit, and for what.
func (s *gangSearch) waitingForTurn() (name, why string) {
	for _, pod := range s.missing {
		q := QueueingOf(s.engine, pod)
		if q == nil {
			continue
		}
		why = "fits, and is " + memberWords[q.State]
		if facts := q.Facts(); len(facts) > 0 {
			why += ", " + facts[len(facts)-1]
		}
		return pod.Name, why
	}
	return "", ""
}

// maxFailed bounds the members that those after them are compared with.
//
//orrery:limit answers; members that failed and are compared with later ones; the others are tried anew
const maxFailed = 4

// placement places pods in a trial until so many have a place.
type placement struct {
	search  *gangSearch
	trial   *engine.Trial
	pods    []*v1.Pod
	needed  int
	onFirst func(pod *v1.Pod) error // the first that gets no node; may be nil

	tried, placed int
	cut           bool
	failed        []*v1.Pod // pods after which one that is alike fits no more
}

func (s *gangSearch) newPlacement(t *engine.Trial, pods []*v1.Pod, needed int) *placement {
	return &placement{search: s, trial: t, pods: pods, needed: needed}
}

func (p *placement) fits() bool { return p.placed >= p.needed }

func (p *placement) run() error {
	before := p.trial.Visited()
	defer func() { p.search.visits -= p.trial.Visited() - before }()
	last, likely := (*v1.Pod)(nil), ""
	for _, pod := range p.pods {
		switch {
		case p.fits():
			return nil
		case p.trial.Visited()-before >= p.search.visits:
			p.cut = true
			return nil
		case p.search.untriable(pod) != "":
			continue
		}
		p.tried++
		if p.likeFailed(pod) {
			continue
		}
		if last == nil || !alike(pod, last) {
			likely = ""
		}
		if node := p.trial.Place(pod, likely); node != "" {
			p.placed++
			last, likely = pod, node
			continue
		}
		if p.onFirst != nil && p.placed+1 == p.tried {
			if err := p.onFirst(pod); err != nil {
				return err
			}
		}
		p.failed = append(p.failed, pod)
	}
	return nil
}

// likeFailed reports whether a pod is like one that got no node. There is no more room than there was.
func (p *placement) likeFailed(pod *v1.Pod) bool {
	for _, failed := range p.failed[max(0, len(p.failed)-maxFailed):] {
		if alike(pod, failed) {
			return true
		}
	}
	return false
}

// holding returns the members of a group that have a place and wait on Permit, or are nominated to a node.
func holding(e *engine.Engine, group *gangs.Group) []*v1.Pod {
	var pods []*v1.Pod
	for _, m := range group.Members() {
		_, nominated := e.Queue().NominatedNode(m.Pod)
		if nominated && m.Stage == gangs.Unscheduled || m.Stage == gangs.Assumed && e.PodState(m.Pod.Namespace, m.Pod.Name) == engine.StateWaiting {
			pods = append(pods, m.Pod)
		}
	}
	return pods
}
