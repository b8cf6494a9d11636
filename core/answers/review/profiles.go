package review

import (
	"slices"
	"strings"

	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
)

// Profile is what a profile does at each extension point.
type Profile struct {
	Name   string
	Points []Point
}

// Point has the plugins of an extension point, in the order of their calls.
type Point struct {
	Name    string // as the configuration spells it
	Plugins []Plugin
	Removed []string // that the default profile has here
	Moved   bool     // plugins of the default profile are called in another order
}

// Plugin is a plugin at an extension point.
type Plugin struct {
	Name string
	// Weight is that of a Score plugin; UsualWeight is that of the default profile, or 0 if the plugin is not in it.
	Weight, UsualWeight int64
	Added               bool // the default profile does not have it here
}

// Differs reports whether the point is not that of the default profile.
func (p *Point) Differs() bool {
	return p.Moved || len(p.Removed) > 0 || slices.ContainsFunc(p.Plugins, func(one Plugin) bool {
		return one.Added || one.Weight != one.UsualWeight
	})
}

var points = []framework.Point{
	framework.PreEnqueue, framework.QueueSort, framework.PreFilter, framework.Filter, framework.PostFilter, framework.PreScore,
	framework.Score, framework.Reserve, framework.Permit, framework.PreBind, framework.Bind, framework.PostBind,
}

func profilesOf(e, usual *engine.Engine) []Profile {
	beside := usual.Profile(usual.Profiles()[0])
	var all []Profile
	for _, name := range e.Profiles() {
		p := Profile{Name: name}
		for _, at := range points {
			p.Points = append(p.Points, pointOf(at, e.Profile(name), beside))
		}
		all = append(all, p)
	}
	return all
}

func pointOf(at framework.Point, own, usual *framework.Profile) Point {
	p := Point{Name: spelled(at)}
	before, now := usual.Enabled(at), own.Enabled(at)
	for _, name := range now {
		plugin := Plugin{Name: name, Added: !slices.Contains(before, name)}
		if at == framework.Score {
			plugin.Weight, plugin.UsualWeight = own.Weight(name), usual.Weight(name)
		}
		p.Plugins = append(p.Plugins, plugin)
	}
	for _, name := range before {
		if !slices.Contains(now, name) {
			p.Removed = append(p.Removed, name)
		}
	}
	p.Moved = !slices.Equal(common(before, now), common(now, before))
	return p
}

// common returns the names of one list that the other has too.
func common(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(name string) bool { return !slices.Contains(other, name) })
}

func spelled(p framework.Point) string { return strings.ToLower(string(p[:1])) + string(p[1:]) }
