package tui

import (
	"slices"
	"strings"

	"orrery/core/engine"
	"orrery/core/whatif/change"
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
}

// whatIfCompletions completes the change of a what-if: the verb, then the names that it takes.
func whatIfCompletions(s *Screen, typed string) []string {
	at := strings.LastIndex(typed, " ") + 1
	lead, rest := typed[:at], typed[at:]
	for _, next := range change.Next(strings.Fields(lead)) {
		if list := changedNames[next]; list != nil {
			names := slices.Clone(namesFromEngine("whatif "+lead, list)(s, rest))
			for i := range names {
				names[i] = lead + names[i]
			}
			return names
		}
	}
	return oneOf("cordon ", "uncordon ", "drain ", "add 1 node like ", "add pv ", "add device like ", "delete node ", "delete pod ", "delete pvc ", "delete gang ", "mincount ", "class ", "capacity ", "requests ", "priority ", "scale ", "profile ", "taint ", "untaint ", "tolerate ", "unselect ", "ungate ", "move ", "taint device ", "untaint device ", "free claim ", "class claim ", "count claim ", "relax claim ", "unconstrain claim ", "tolerate claim ")(s, typed)
}
