package queue

import (
	"cmp"
	"maps"
	"slices"

	fwk "k8s.io/kube-scheduler/framework"
)

// profile is a Profile with the index of its pods in unschedulablePods by plugin.
type profile struct {
	Profile
	number           int // the index in an eventMatch's tables
	rejected         map[string]*pluginPods
	preEnqueueCounts []PreEnqueueCount
}

// rejectedBy returns the pods in unschedulablePods that a plugin of the profile rejected.
func (pr *profile) rejectedBy(plugin string) *pluginPods {
	g := pr.rejected[plugin]
	if g == nil {
		g = &pluginPods{}
		pr.rejected[plugin] = g
	}
	return g
}

// eventMatch caches what follows from an event alone. There are few distinct events, and each is computed once.
type eventMatch struct {
	event      fwk.ClusterEvent
	label      string
	wildcard   bool
	registered bool            // some plugin registered for it
	hints      [][]hint        // the hints to run, by profile number, in the order of registration
	rejected   [][]*pluginPods // the pods that these plugins rejected, by profile number
}

func (q *Queue) setupProfiles() {
	q.profiles = make(map[string]*profile, len(q.opts.Profiles))
	q.gatingEvents = map[string][]fwk.ClusterEvent{}
	q.eventMatches = map[fwk.ClusterEvent]*eventMatch{}
	for i, name := range sortedKeys(q.opts.Profiles) {
		q.profiles[name] = &profile{Profile: q.opts.Profiles[name], number: i, rejected: map[string]*pluginPods{}}
	}
	for _, name := range sortedKeys(q.profiles) {
		for _, plugin := range q.profiles[name].PreEnqueue {
			if _, done := q.gatingEvents[plugin.Name()]; !done {
				q.gatingEvents[plugin.Name()] = q.registered(plugin.Name())
			}
		}
	}
}

// registered returns the events that plugins of one name registered, over all profiles.
func (q *Queue) registered(plugin string) []fwk.ClusterEvent {
	var events []fwk.ClusterEvent
	for _, name := range sortedKeys(q.profiles) {
		events = appendNew(events, q.profiles[name].Hints.eventsOf(plugin)...)
	}
	return events
}

func (q *Queue) matchFor(event fwk.ClusterEvent) *eventMatch {
	if match := q.eventMatches[event]; match != nil {
		return match
	}
	match := &eventMatch{
		event: event, label: event.Label(), wildcard: IsWildcard(event),
		hints: make([][]hint, len(q.profiles)), rejected: make([][]*pluginPods, len(q.profiles)),
	}
	match.registered = match.wildcard || (q.opts.RequeueRule == MoveRequestCycle && alwaysMovingResources[event.Resource])
	for _, pr := range q.profiles {
		q.addProfile(match, pr)
	}
	q.eventMatches[event] = match
	return match
}

func (q *Queue) addProfile(match *eventMatch, pr *profile) {
	if pr.Hints == nil {
		return
	}
	for _, h := range pr.Hints.all {
		if !Matches(h.event, match.event) {
			continue
		}
		match.registered = true
		match.hints[pr.number] = append(match.hints[pr.number], h)
		match.rejected[pr.number] = appendNew(match.rejected[pr.number], pr.rejectedBy(h.plugin))
	}
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

// appendNew appends the values that the list does not contain.
func appendNew[T comparable](list []T, values ...T) []T {
	for _, v := range values {
		if !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}
