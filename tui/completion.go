package tui

import (
	"slices"
	"strings"

	"orrery/core/answers/change"
	"orrery/core/scheduler/engine"
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

// changedNames list what a change names, by what its usage calls it.
var changedNames = map[string]nameLister{
	"NODE": collect.NodeNames, "POD": collect.PodNames, "OWNER|POD": collect.PodNames, "CLAIM": collect.ClaimNames, "CLASS": collect.ClassNames,
	"NAME": collect.ProfileNames, "NUMBER|CLASS": collect.PriorityClassNames,
	"RESOURCECLAIM": collect.ResourceClaimNames, "DEVICECLASS": collect.DeviceClassNames, "DEVICE": collect.DeviceNames,
	"RELEASE": func(e *engine.Engine, prefix string, _ int) []string {
		return withPrefix(change.OtherReleases(e.Features().Release()), prefix)
	},
	"GANG": collect.GangNames, "GROUP": collect.PodGroupNames,
	"KEY=VALUE": collect.NodeLabels, "FIELD=VALUE": func(_ *engine.Engine, prefix string, _ int) []string { return withPrefix(change.SpreadFields, prefix) },
}

func withPrefix(list []string, prefix string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(text string) bool { return !strings.HasPrefix(text, prefix) })
}

// filterNames list the names that follow the flags of a filter.
var filterNames = map[string]nameLister{"-g": collect.GangNames, "-n": collect.Namespaces}

// filterCompletions completes the name after a flag of a filter.
func filterCompletions(s *Screen, typed string) []string {
	lead, rest := cutLastWord(typed)
	if words := strings.Fields(lead); len(words) > 0 {
		if list := filterNames[strings.TrimPrefix(words[len(words)-1], "/")]; list != nil {
			return namesAfter(s, "filter", lead, rest, list)
		}
	}
	return nil
}

// filterOr completes a filter after "/", and another argument else.
func filterOr(other func(*Screen, string) []string) func(*Screen, string) []string {
	return func(s *Screen, typed string) []string {
		if strings.HasPrefix(typed, "/") {
			return filterCompletions(s, typed)
		}
		return other(s, typed)
	}
}

// namespacesAndGangs lists what may follow the command of the gangs.
func namespacesAndGangs(e *engine.Engine, prefix string, n int) []string {
	list := collect.Namespaces(e, prefix, n)
	return append(list, collect.GangNames(e, prefix, n-len(list))...)
}

// cutLastWord splits a line before its last word.
func cutLastWord(line string) (lead, last string) {
	at := strings.LastIndex(line, " ") + 1
	return line[:at], line[at:]
}

// namesAfter completes the last word of an argument with names.
func namesAfter(s *Screen, command, lead, last string, list nameLister) []string {
	names := slices.Clone(namesFromEngine(command+" "+lead, list)(s, last))
	for i := range names {
		names[i] = lead + names[i]
	}
	return names
}

// whatIfCompletions completes the change of a what-if: the verb, then the names that it takes.
func whatIfCompletions(s *Screen, typed string) []string {
	lead, rest := cutLastWord(typed)
	for _, next := range change.Next(strings.Fields(lead)) {
		if list := changedNames[next]; list != nil {
			return namesAfter(s, "whatif", lead, rest, list)
		}
	}
	return oneOf("cordon ", "uncordon ", "drain ", "add 1 node like ", "add pv ", "add device like ", "delete node ", "delete pod ", "delete pvc ", "delete gang ", "mincount ", "upgrade ", "class ", "capacity ", "requests ", "priority ", "scale ", "profile ", "taint ", "untaint ", "tolerate ", "select ", "unselect ", "spread ", "label ", "ungate ", "move ", "taint device ", "untaint device ", "free claim ", "class claim ", "count claim ", "relax claim ", "unconstrain claim ", "tolerate claim ")(s, typed)
}
