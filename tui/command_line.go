package tui

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"orrery/core/safe/printable"
	"orrery/core/safe/spelling"
)

// command is one command of the command line.
type command struct {
	name string
	pane bool // it opens a pane
	key  bool // it does what a key does, and nothing else
	// argument names the argument, empty if there is none; help is a sentence.
	argument, help string
	// complete returns the possible arguments, given what was typed of one.
	complete func(s *Screen, typed string) []string
	// about, if not nil, says more of one of them.
	about func(s *Screen, argument string) string
	run   func(s *Screen, rest string) tea.Cmd
}

// usage returns the name with the argument. Those of panes are left out: they are the same for all.
func (w *command) usage() string {
	if w.pane {
		return w.name
	}
	return strings.TrimSpace(w.name + " " + strings.ToUpper(w.argument))
}

// commands holds every command: those without a key, and one for each binding.
var commands []command

// allCommands returns the base commands, the cluster commands and one for each binding.
func allCommands() []command {
	all := slices.Concat(baseCommands, clusterCommands)
	for i := range bindings {
		b := &bindings[i]
		if slices.ContainsFunc(all, func(w command) bool { return w.name == b.name }) || len(b.keys) > 1 && b.group == timeKeys {
			continue
		}
		all = append(all, command{name: b.name, key: true, help: b.long, run: func(s *Screen, _ string) tea.Cmd {
			if at := bindingFor(s.keyPane(), b.keys[0]); at != nil && at.name == b.name {
				return s.run(at, b.keys[0])
			}
			s.fail(":" + b.name + ": " + b.notHere())
			return nil
		}})
	}
	return sortedCommands(all)
}

func sortedCommands(all []command) []command {
	slices.SortFunc(all, func(a, b command) int { return cmp.Compare(a.name, b.name) })
	return all
}

// aliases are names that people know from other programs.
var aliases = map[string]string{"q": "quit", "q!": "quit", "quit!": "quit", "po": "pods", "no": "nodes", "namespace": "ns", "context": "ctx"}

func commandNamed(name string) *command {
	if known, ok := aliases[name]; ok {
		name = known
	}
	i := slices.IndexFunc(commands, func(w command) bool { return w.name == name })
	if i < 0 {
		return nil
	}
	return &commands[i]
}

// command runs a line of the command line.
func (s *Screen) command(line string) tea.Cmd {
	name, rest, _ := strings.Cut(strings.TrimSpace(s.options.Settings.expand(line)), " ")
	name, rest = strings.ToLower(name), strings.TrimSpace(rest)
	if name == "" {
		return nil
	}
	w := commandNamed(name)
	var some []*command
	if w == nil { // an unambiguous prefix is enough
		if some = commandsWithPrefix(name); len(some) == 1 {
			w = some[0]
		}
	}
	switch {
	case len(some) > 1:
		s.fail("ambiguous: " + listed(some))
	case w == nil:
		s.fail(":" + printable.Line(name, 60) + " is no command; " + suggestion(name))
	case w.argument != "" && rest == "" && !strings.HasPrefix(w.argument, "["):
		s.fail(":" + w.name + " wants " + w.argument + " after it")
	case rest != "" && (w.argument == "" || w.argument == filterArgument && !isFilter(rest)):
		s.fail(":" + w.name + " wants nothing after it")
	default:
		return w.run(s, rest)
	}
	return nil
}

func commandsWithPrefix(prefix string) []*command {
	var some []*command
	for i := range commands {
		if strings.HasPrefix(commands[i].name, prefix) {
			some = append(some, &commands[i])
		}
	}
	return some
}

// listed returns the names of commands, as many as there are completions.
func listed(some []*command) string {
	var names []string
	for _, w := range some[:min(len(some), maxCompletions)] {
		names = append(names, ":"+w.name)
	}
	if len(some) > maxCompletions {
		names = append(names, "…")
	}
	return strings.Join(names, ", ")
}

// suggestion returns which commands may be meant by a name that none has.
func suggestion(typed string) string {
	near := nearestCommands(typed)
	if len(near) == 0 {
		return "tab goes through all that there are, and ? lists the keys"
	}
	return "did you mean :" + strings.Join(near, ", :") + "?"
}

// nearestCommands returns the command closest to a misspelt one, or else a few that have its letters in their order.
func nearestCommands(typed string) []string {
	const few = 3
	names := make([]string, len(commands))
	for i := range commands {
		names[i] = commands[i].name
	}
	if near := spelling.Nearest(typed, names, 1); len(near) > 0 {
		return near
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !hasInOrder(name, typed) })
	return names[:min(len(names), few)]
}

// hasInOrder reports whether a name has all letters of a text, in their order.
func hasInOrder(name, text string) bool {
	for _, r := range text {
		i := strings.IndexRune(name, r)
		if i < 0 {
			return false
		}
		name = name[i+len(string(r)):]
	}
	return text != ""
}

// maxCompletions limits how many completions are shown.
//
//orrery:limit screen; completions that are shown; the others are left out
const maxCompletions = 8

// complete computes the completions of the line.
func (s *Screen) complete() {
	p := s.prompt
	line := p.input.Value()
	p.completions = nil
	name, rest, spaced := strings.Cut(line, " ")
	if !spaced {
		for _, w := range commandsWithPrefix(name) {
			p.addCompletion(completion{line: w.name + spaceIf(w.argument != "" && !w.pane), text: w.usage(), help: w.help})
		}
		return
	}
	w := commandNamed(name)
	if w == nil || w.complete == nil {
		return
	}
	for _, o := range w.complete(s, rest) {
		c := completion{line: name + " " + o, text: o}
		if w.about != nil {
			c.help = w.about(s, o)
		}
		p.addCompletion(c)
	}
}

func (p *prompt) addCompletion(o completion) {
	if len(p.completions) < maxCompletions {
		p.completions = append(p.completions, o)
	}
}

func spaceIf(yes bool) string {
	if yes {
		return " "
	}
	return ""
}
