package kubesource

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Row is a gate in one release.
type Row struct {
	Name     string
	In       Entry
	Requires []string
	// WithoutOlder says that the gate is on by default where the minimum compatibility version is the release itself.
	WithoutOlder bool
}

// always are the gates of stages, which no source lists.
var always = []Row{{Name: "AllAlpha", In: Entry{Stage: "Alpha"}}, {Name: "AllBeta", In: Entry{Stage: "Beta"}}}

// Table returns the gates of a release by its minor number, sorted by name.
func (s *Specs) Table(minor int) ([]Row, error) {
	rows := slices.Clone(always)
	for id, entries := range s.entries {
		name, known := s.names[id]
		if !known {
			return nil, fmt.Errorf("gate %s has no constant in the packages that are read", id)
		}
		in, ok := inForce(entries, minor, minor-1)
		if !ok {
			continue
		}
		alone, _ := inForce(entries, minor, minor)
		r := Row{Name: name, In: in, WithoutOlder: alone.On && !in.On}
		for _, parent := range s.requires[id] {
			parentName, known := s.names[parent]
			if !known {
				return nil, fmt.Errorf("gate %s depends on %s, which has no constant in the packages that are read", name, parent)
			}
			r.Requires = append(r.Requires, parentName)
		}
		slices.Sort(r.Requires)
		rows = append(rows, r)
	}
	slices.SortFunc(rows, func(a, b Row) int { return strings.Compare(a.Name, b.Name) })
	return rows, nil
}

// inForce returns the last Entry that a release has reached with a minimum compatibility version, which by default is the release before it.
func inForce(entries []Entry, minor, compatible int) (last Entry, ok bool) {
	for _, e := range entries {
		if e.Minor <= minor && e.MinToCompat <= compatible {
			last, ok = e, true
		}
	}
	return last, ok
}

// MinorOf returns the 36 of 1.36.3.
func MinorOf(patch string) int {
	numbers := strings.Split(patch, ".")
	if len(numbers) < 2 {
		return 0
	}
	n, _ := strconv.Atoi(numbers[1])
	return n
}
