package store

import (
	"maps"
	"strconv"

	"orrery/core/world"
)

// age is the order of two resourceVersions.
type age uint8

const (
	unknown age = iota // at least one is missing, or they differ and are not both numbers
	older
	same
	newer
)

// compareVersions compares version with other.
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

// compareAge compares an object with the held one of its name.
func compareAge(object, held world.Object) age {
	if object == held {
		return same
	}
	return compareVersions(object.GetResourceVersion(), held.GetResourceVersion())
}

// laterVersion returns the later of two states' resourceVersions, if they can be compared.
func laterVersion(held, last world.Object) string {
	if version := last.GetResourceVersion(); compareVersions(held.GetResourceVersion(), version) != newer && version != "" {
		return version
	}
	return held.GetResourceVersion()
}

// minTombstones is the minimum number of remembered deletions of one kind: late events arrive within seconds, and this is
// some seconds of a very busy cluster.
//
//orrery:limit API server; deletions of a kind that are remembered, twice; the older half is forgotten, and a late event could bring its object back
const minTombstones = 1024

// tombstones holds the resourceVersions of deleted objects, so that a late event does not recreate one. It uses two maps:
// when the younger is full it becomes the older, and the older is dropped.
type tombstones struct {
	young, old map[objectName]string
}

// add records the deletion of an object at a version. Without a version there is nothing to compare.
func (g *tombstones) add(namespace, name, version string) {
	if version == "" {
		return
	}
	key := objectName{namespace, name}
	if known, buried := g.version(key); buried && compareVersions(version, known) == older {
		return
	}
	if len(g.young) >= minTombstones {
		g.young, g.old = nil, g.young
	}
	if g.young == nil {
		g.young = make(map[objectName]string)
	}
	g.young[key] = version
}

// covers reports whether an object of that name and version is known to be deleted.
func (g *tombstones) covers(namespace, name, version string) bool {
	known, buried := g.version(objectName{namespace, name})
	if !buried {
		return false
	}
	a := compareVersions(version, known)
	return a == older || a == same
}

func (g *tombstones) version(key objectName) (string, bool) {
	if version, buried := g.young[key]; buried {
		return version, true
	}
	version, buried := g.old[key]
	return version, buried
}

// fork shares the older map, which is never written again.
func (g *tombstones) fork() tombstones { return tombstones{young: maps.Clone(g.young), old: g.old} }
