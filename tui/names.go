package tui

import (
	"slices"
	"strings"

	"orrery/core/engine"
	"orrery/views/collect"
)

// lister finds the names that begin with a prefix, n at most.
type lister func(e *engine.Engine, prefix string, n int) []string

// namesMsg are the names that begin with what was typed behind a word of the command line.
type namesMsg struct {
	word, typed string
	names       []string
}

// named offers names that the engine knows. The pump is asked for them, and the line is completed again when they are
// there.
func named(word string, list lister) func(*Screen, string) []string {
	return func(s *Screen, typed string) []string {
		if s.known.word == word && s.known.typed == typed {
			return s.known.names
		}
		s.order(func(p *pump) {
			p.tell(namesMsg{word: word, typed: typed, names: list(p.source.Engine(), typed, mostOffers)})
		})
		return nil
	}
}

// changeOffers completes what a what-if changes: the verb, and then the node or pod it is about.
func changeOffers(s *Screen, typed string) []string {
	for _, c := range [...]struct {
		lead string
		list lister
	}{
		{"delete node ", collect.NodeNames},
		{"delete pod ", collect.PodNames},
		{"cordon ", collect.NodeNames},
		{"uncordon ", collect.NodeNames},
		{"drain ", collect.NodeNames},
		{"add 1 node like ", collect.NodeNames},
		{"requests ", collect.PodNames},
		{"priority ", collect.PodNames},
		{"scale ", collect.PodNames},
		{"profile ", collect.PodNames},
		{"ungate ", collect.PodNames},
		{"taint ", collect.NodeNames},
		{"untaint ", collect.NodeNames},
		{"tolerate ", collect.PodNames},
	} {
		rest, ok := strings.CutPrefix(typed, c.lead)
		if !ok || strings.Contains(rest, " ") {
			continue
		}
		names := slices.Clone(named("whatif "+c.lead, c.list)(s, rest))
		for i := range names {
			names[i] = c.lead + names[i]
		}
		return names
	}
	return fixed("cordon ", "uncordon ", "drain ", "add 1 node like ", "delete node ", "delete pod ", "requests ", "priority ", "scale ", "profile ", "taint ", "untaint ", "tolerate ", "ungate ")(s, typed)
}
