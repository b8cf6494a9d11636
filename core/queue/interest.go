package queue

import (
	"cmp"
	"maps"
	"slices"

	fwk "k8s.io/kube-scheduler/framework"
)

// profile is a Profile at work: with the parked pods of each of its plugins.
type profile struct {
	Profile
	number int // in the table of an interest
	groups map[string]*group
	gates  []GateCount
}

// group has the parked pods that one plugin of a profile turned down.
func (pr *profile) group(plugin string) *group {
	g := pr.groups[plugin]
	if g == nil {
		g = &group{}
		pr.groups[plugin] = g
	}
	return g
}

// interest is everything that follows from an event before any pod is looked at. There are few distinct events, and
// each is worked out once.
type interest struct {
	event    fwk.ClusterEvent
	label    string
	wildcard bool
	any      bool       // somebody registered for it
	hints    [][]hint   // those to ask, by profile number, in the order of registration
	groups   [][]*group // the parked pods of the plugins to ask, by profile number
}

func (q *Queue) setupProfiles() {
	q.profiles = make(map[string]*profile, len(q.opts.Profiles))
	q.gating = map[string][]fwk.ClusterEvent{}
	q.interest = map[fwk.ClusterEvent]*interest{}
	for i, name := range sortedKeys(q.opts.Profiles) {
		q.profiles[name] = &profile{Profile: q.opts.Profiles[name], number: i, groups: map[string]*group{}}
	}
	for _, name := range sortedKeys(q.profiles) {
		for _, plugin := range q.profiles[name].PreEnqueue {
			if _, done := q.gating[plugin.Name()]; !done {
				q.gating[plugin.Name()] = q.registered(plugin.Name())
			}
		}
	}
}

// registered are the events that plugins of one name registered, over all profiles.
func (q *Queue) registered(plugin string) []fwk.ClusterEvent {
	var events []fwk.ClusterEvent
	for _, name := range sortedKeys(q.profiles) {
		events = appendNew(events, q.profiles[name].Hints.events(plugin)...)
	}
	return events
}

func (q *Queue) interestIn(event fwk.ClusterEvent) *interest {
	if in := q.interest[event]; in != nil {
		return in
	}
	in := &interest{
		event: event, label: event.Label(), wildcard: IsWildcard(event),
		hints: make([][]hint, len(q.profiles)), groups: make([][]*group, len(q.profiles)),
	}
	in.any = in.wildcard || (q.opts.Rule == MoveRequestCycle && movesEverything[event.Resource])
	for _, pr := range q.profiles {
		q.fill(in, pr)
	}
	q.interest[event] = in
	return in
}

func (q *Queue) fill(in *interest, pr *profile) {
	if pr.Hints == nil {
		return
	}
	for _, h := range pr.Hints.all {
		if !Matches(h.event, in.event) {
			continue
		}
		in.any = true
		in.hints[pr.number] = append(in.hints[pr.number], h)
		in.groups[pr.number] = appendNew(in.groups[pr.number], pr.group(h.plugin))
	}
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	return slices.Sorted(maps.Keys(m))
}

// appendNew appends those values that are not there yet.
func appendNew[T comparable](list []T, values ...T) []T {
	for _, v := range values {
		if !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}
