package gangs

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/scheduler/store"
	"orrery/core/world"
)

// State has the pod groups of the store's pods. One goroutine changes and reads it; a Manager may be read on others meanwhile.
type State struct {
	store  store.View
	mu     sync.RWMutex // of what follows, while it changes
	owner  *token
	groups map[Key]*Group
}

// New returns the state of an empty store.
func New(held store.View) *State {
	return &State{store: held, owner: &token{}, groups: map[Key]*Group{}}
}

// Fork returns a copy on a fork of the store.
func (s *State) Fork(held store.View) *State {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.owner = &token{} // what is there so far belongs to neither
	return &State{store: held, owner: &token{}, groups: maps.Clone(s.groups)}
}

// Group returns the group of a name, nil if it has no pods. It stays as it is until the state changes.
func (s *State) Group(key Key) *Group { return s.groups[key] }

// Len is how many groups there are.
func (s *State) Len() int { return len(s.groups) }

// Keys returns the names of all groups in order.
func (s *State) Keys() []Key { return slices.SortedFunc(maps.Keys(s.groups), compareKeys) }

// Changed takes in a change of a pod.
func (s *State) Changed(d store.Delta) {
	if d.Kind != world.Pod {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	was, _ := d.Old.(*v1.Pod)
	is, _ := d.New.(*v1.Pod)
	if was != nil && IsMember(was) && (is == nil || is.UID != was.UID || KeyOf(was) != KeyOf(is)) {
		s.removed(was)
		was = nil
	}
	if is == nil || !IsMember(is) {
		return
	}
	g := s.owned(KeyOf(is))
	stage := Unscheduled
	if is.Spec.NodeName != "" {
		stage = Assigned
	} else if was != nil && was.Spec.NodeName == "" {
		stage = g.members[is.UID].Stage
	}
	g.set(is, stage)
}

func (s *State) removed(pod *v1.Pod) {
	key := KeyOf(pod)
	g := s.owned(key)
	if g.remove(pod.UID); g.Len() == 0 {
		delete(s.groups, key)
	}
}

// owned returns the group of a name to be changed: a new one, or a copy of one that a fork has, too.
func (s *State) owned(key Key) *Group {
	g := s.groups[key]
	switch {
	case g == nil:
		g = newGroup(s.owner)
	case g.owner != s.owner:
		g = g.copyFor(s.owner)
	default:
		return g
	}
	s.groups[key] = g
	return g
}

// Assume notes that a pod has a place.
func (s *State) Assume(key Key, pod types.UID) { s.move(key, pod, Unscheduled, Assumed) }

// Forget notes that a pod has lost its place.
func (s *State) Forget(key Key, pod types.UID) { s.move(key, pod, Assumed, Unscheduled) }

func (s *State) move(key Key, pod types.UID, from, to Stage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if g := s.groups[key]; g != nil {
		if m, is := g.members[pod]; is && m.Stage == from {
			s.owned(key).set(m.Pod, to)
		}
	}
}

// Queued notes that a pod has come to activeQ, or is not there any more.
func (s *State) Queued(key Key, pod types.UID, active bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.groups[key]
	if g == nil {
		return
	}
	m, is := g.members[pod]
	_, idle := g.idle[pod]
	switch {
	case !is || m.Stage != Unscheduled || idle != active:
		return // it has a place, or this is known
	case active:
		delete(s.owned(key).idle, pod)
	default:
		s.owned(key).idle[pod] = m.Pod
	}
}

// Allowed notes that all members with a place are allowed to be bound.
func (s *State) Allowed(key Key) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if g := s.groups[key]; g != nil && len(g.held) > 0 {
		clear(s.owned(key).held)
	}
}

// Deadline returns until when the pods of a group wait for each other. It begins with the first that waits, and anew when it
// is over.
func (s *State) Deadline(key Key, now time.Time) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.groups[key] == nil {
		return now.Add(Timeout)
	}
	g := s.owned(key)
	if !g.deadline.After(now) {
		g.deadline = now.Add(Timeout)
	}
	return g.deadline
}

// Check compares the groups with the store's pods. It visits every pod, so it is for tests and debugging.
func (s *State) Check() error {
	var errs []error
	found := 0
	for o := range s.store.Objects(world.Pod) {
		pod := o.(*v1.Pod)
		if !IsMember(pod) {
			continue
		}
		found++
		g := s.groups[KeyOf(pod)]
		switch {
		case g == nil || g.members[pod.UID].Pod != pod:
			errs = append(errs, fmt.Errorf("pod %q is not in its group", pod.Namespace+"/"+pod.Name))
		case (pod.Spec.NodeName != "") != (g.members[pod.UID].Stage == Assigned):
			errs = append(errs, fmt.Errorf("pod %q is on node %q, and its group says otherwise", pod.Namespace+"/"+pod.Name, pod.Spec.NodeName))
		}
	}
	for _, g := range s.groups {
		found -= g.Len()
	}
	if found != 0 {
		errs = append(errs, fmt.Errorf("the store has %d pods more than the groups", found))
	}
	slices.SortFunc(errs, func(a, b error) int { return cmp.Compare(a.Error(), b.Error()) })
	return errors.Join(errs...)
}
