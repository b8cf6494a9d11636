package tui

import (
	"slices"
	"strings"

	"orrery/core/engine"
	"orrery/views/collect"
)

// nameLister returns at most n names that start with a prefix.
type nameLister func(e *engine.Engine, prefix string, n int) []string

// namesMsg lists the names that complete what was typed after a command.
type namesMsg struct {
	command, typed string
	names          []string
}

// namesFromEngine completes with names that the engine knows. The loop looks them up, and their arrival completes the
// line again.
func namesFromEngine(word string, list nameLister) func(*Screen, string) []string {
	return func(s *Screen, typed string) []string {
		if s.names.command == word && s.names.typed == typed {
			return s.names.names
		}
		s.submit(func(p *loop) {
			p.send(namesMsg{command: word, typed: typed, names: list(p.source.Engine(), typed, maxCompletions)})
		})
		return nil
	}
}

// whatIfCompletions completes the change of a what-if: the verb, then its node or pod.
func whatIfCompletions(s *Screen, typed string) []string {
	for _, c := range [...]struct {
		lead string
		list nameLister
	}{
		{"delete node ", collect.NodeNames},
		{"delete pod ", collect.PodNames},
		{"delete pvc ", collect.ClaimNames},
		{"class ", collect.ClaimNames},
		{"capacity ", collect.ClassNames},
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
		{"unselect ", collect.PodNames},
		{"move ", collect.PodNames},
		{movedPod(typed), collect.NodeNames},
	} {
		rest, ok := strings.CutPrefix(typed, c.lead)
		if !ok || strings.Contains(rest, " ") {
			continue
		}
		names := slices.Clone(namesFromEngine("whatif "+c.lead, c.list)(s, rest))
		for i := range names {
			names[i] = c.lead + names[i]
		}
		return names
	}
	return oneOf("cordon ", "uncordon ", "drain ", "add 1 node like ", "add pv ", "delete node ", "delete pod ", "delete pvc ", "class ", "capacity ", "requests ", "priority ", "scale ", "profile ", "taint ", "untaint ", "tolerate ", "unselect ", "ungate ", "move ")(s, typed)
}

// movedPod returns a move up to the node that it wants, or else a space, which starts no change.
func movedPod(typed string) string {
	if words := strings.SplitAfterN(typed, " ", 3); len(words) == 3 && words[0] == "move " {
		return words[0] + words[1]
	}
	return " "
}
