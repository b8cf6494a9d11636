package store

import (
	"maps"
	"strconv"

	"orrery/core/world"
)

// age is how a resourceVersion relates to another one.
type age uint8

const (
	unknown age = iota // at least one is missing, or they differ and are not both numbers
	older
	same
	newer
)

// compareVersions says what version is in relation to other.
func compareVersions(version, other string) age {
	switch {
	case version == "" || other == "":
		return unknown
	case version == other:
		return same
	}
	a, errA := strconv.ParseUint(version, 10, 64)
	b, errB := strconv.ParseUint(other, 10, 64)
	switch {
	case errA != nil || errB != nil:
		return unknown
	case a < b:
		return older
	case a > b:
		return newer
	}
	return same // 7 and 07
}

// ageOf says what an object is in relation to the one that is held under its name.
func ageOf(object, held world.Object) age {
	if object == held {
		return same
	}
	return compareVersions(object.GetResourceVersion(), held.GetResourceVersion())
}

// later is the later of two states' resourceVersions, as far as that can be told.
func later(held, last world.Object) string {
	if version := last.GetResourceVersion(); compareVersions(held.GetResourceVersion(), version) != newer && version != "" {
		return version
	}
	return held.GetResourceVersion()
}

// mostGraves is how many deletions of one kind are remembered, at least: what is still under way when an object goes
// is a matter of seconds, and this is some seconds of a very busy cluster.
const mostGraves = 1024

// graves remembers at which resourceVersion objects went, so that a late message does not bring one back. Two maps take
// turns: when the younger one is full it becomes the elder, and the elder is forgotten.
type graves struct {
	young, elder map[objectName]string
}

// bury remembers that the object of that name went at that version. Without a version there is nothing to compare.
func (g *graves) bury(namespace, name, version string) {
	if version == "" {
		return
	}
	key := objectName{namespace, name}
	if known, buried := g.version(key); buried && compareVersions(version, known) == older {
		return
	}
	if len(g.young) >= mostGraves {
		g.young, g.elder = nil, g.young
	}
	if g.young == nil {
		g.young = make(map[objectName]string)
	}
	g.young[key] = version
}

// cover tells whether an object of that name and version is known to be gone.
func (g *graves) cover(namespace, name, version string) bool {
	known, buried := g.version(objectName{namespace, name})
	if !buried {
		return false
	}
	a := compareVersions(version, known)
	return a == older || a == same
}

func (g *graves) version(key objectName) (string, bool) {
	if version, buried := g.young[key]; buried {
		return version, true
	}
	version, buried := g.elder[key]
	return version, buried
}

// fork shares the elder map, which nobody writes to any more.
func (g *graves) fork() graves {
	return graves{young: maps.Clone(g.young), elder: g.elder}
}
