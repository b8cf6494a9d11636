package tui

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"orrery/core/answers/change"
	"orrery/core/safe/printable"
	"orrery/core/safe/spelling"
	"orrery/demo/scenario/strict"
	"orrery/tui/term"
)

// OwnCommand is a program of the user's that runs with the screen put away: as a list of arguments that no shell sees, or a line for the shell.
type OwnCommand struct {
	strict.Position `yaml:"-"`
	Run             []string `yaml:"run"`
	Shell           string   `yaml:"shell"`
	// Key is the key that runs it, in the panes that have what its placeholders name; empty for none. About says what it does.
	Key   string `yaml:"key"`
	About string `yaml:"about"`
	// Wait leaves its output on the terminal until enter is pressed; nil is yes.
	Wait *bool `yaml:"wait"`
}

// maxOwnCommands bounds the user's own commands.
//
//orrery:limit screen; own commands in the settings; refused
const maxOwnCommands = 50

// placeholders stand in own commands for what is selected.
var placeholders = []string{"pod", "namespace", "node", "context"}

// inBraces is what may be a placeholder. Anything else in braces is the program's own, such as a template.
var inBraces = regexp.MustCompile(`\{([a-z]+)\}`)

// commandNames is what own commands may be called: what can be typed after a colon.
var commandNames = regexp.MustCompile(`^[a-z][a-z0-9-]{0,30}$`)

// words are the arguments, or the line for the shell.
func (c *OwnCommand) words() []string {
	if c.Shell != "" {
		return []string{c.Shell}
	}
	return c.Run
}

// uses reports whether it has a placeholder.
func (c *OwnCommand) uses(name string) bool {
	return slices.ContainsFunc(c.words(), func(word string) bool { return strings.Contains(word, "{"+name+"}") })
}

// usesPod reports whether it is about a pod.
func (c *OwnCommand) usesPod() bool { return c.uses("pod") || c.uses("namespace") }

// about says what it does.
func (c *OwnCommand) about() string {
	return printable.Line(cmp.Or(c.About, strings.Join(c.words(), " ")), 80)
}

// where is the set of panes in which it can run.
func (c *OwnCommand) where() where {
	switch {
	case c.usesPod():
		return onPods
	case c.uses("node"):
		return onNodes
	}
	return everywhere
}

// checkCommands reports the first own command that cannot be.
func (s *Settings) checkCommands() error {
	if len(s.Commands) > maxOwnCommands {
		return s.Fail("commands", "there are %d; at most %d can be", len(s.Commands), maxOwnCommands)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Commands)) {
		c := s.Commands[name]
		_, alias := s.Aliases[name]
		switch {
		case c == nil:
			return s.Fail("commands."+name, "it says neither run nor shell")
		case !commandNames.MatchString(name):
			return s.Fail("commands."+name, "%+q cannot be the name of a command: say lower-case letters, digits and dashes", printable.Line(name, 40))
		case commandNamed(name) != nil:
			return s.Fail("commands."+name, "%+q is a command already", printable.Line(name, 40))
		case alias:
			return s.Fail("commands."+name, "%+q is an alias, too", printable.Line(name, 40))
		case len(c.Run) == 0 && c.Shell == "":
			return c.Fail("", "it says neither run nor shell")
		case len(c.Run) > 0 && c.Shell != "":
			return c.Fail("shell", "it says run, too: arguments without a shell, or a line for one")
		case len(c.Run) > 0 && c.Run[0] == "":
			return c.Fail("run", "the program has no name")
		case len(c.Run) > 0 && inBraces.MatchString(c.Run[0]):
			return c.Fail("run", "which program it is cannot depend on what is selected")
		case c.Key != "" && !isKey(c.Key):
			return c.Fail("key", "%+q is no key that every terminal sends: say a letter or a sign, ctrl+ and a letter but c, or one of %s", printable.Line(c.Key, 40), strings.Join(namedKeyNames, ", "))
		}
		if err := c.checkPlaceholders(); err != nil {
			return err
		}
	}
	return nil
}

// checkPlaceholders reports a placeholder that is misspelt.
func (c *OwnCommand) checkPlaceholders() error {
	for _, word := range c.words() {
		for _, found := range inBraces.FindAllStringSubmatch(word, -1) {
			if near := spelling.Nearest(found[1], placeholders, 1); len(near) > 0 && !slices.Contains(placeholders, found[1]) {
				return c.Fail("", "there is no {%s}; did you mean {%s}?", found[1], near[0])
			}
		}
	}
	return nil
}

// ownCommandBindings are the rows of the key table for own commands with a key.
func (s *Settings) ownCommandBindings() []binding {
	var rows []binding
	for _, name := range slices.Sorted(maps.Keys(s.Commands)) {
		c := s.Commands[name]
		if c.Key == "" {
			continue
		}
		rows = append(rows, binding{
			name: name, keys: []string{c.Key}, label: c.Key, short: name, long: c.about(), group: ownKeys, where: c.where(), hint: 4,
			disabled: func(s *Screen) string {
				if _, err := s.fillIn(c); err != nil {
					return err.Error()
				}
				return ""
			},
			run: func(s *Screen, _ string) tea.Cmd { return s.runOwn(name, c) },
		})
	}
	return rows
}

// ownCommandsWithoutKey are those that are only typed or found.
func (s *Settings) ownCommandsWithoutKey() []command {
	var list []command
	for _, name := range slices.Sorted(maps.Keys(s.Commands)) {
		if c := s.Commands[name]; c.Key == "" {
			list = append(list, command{name: name, help: c.about(), run: func(s *Screen, _ string) tea.Cmd { return s.runOwn(name, c) }})
		}
	}
	return list
}

// onCommandLine is what may be put into an own command. Names of Kubernetes' objects are such, and so are those of most contexts; nothing in them is an option, or
// anything to a shell.
var onCommandLine = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.:/@+-]*$`)

// fillIn returns the arguments of an own command for what is selected.
func (s *Screen) fillIn(c *OwnCommand) ([]string, error) {
	values := map[string]string{}
	if c.usesPod() {
		pod, ok := s.selectedPod()
		if !ok {
			return nil, errors.New("no pod is selected")
		}
		values["pod"], values["namespace"] = pod.Name, pod.Namespace
	}
	if c.uses("node") {
		node, ok := s.selectedNode()
		if !ok {
			return nil, errors.New("no node is selected")
		}
		values["node"] = node
	}
	if c.uses("context") {
		if s.frame == nil || s.frame.Context == "" {
			return nil, errors.New("this is no cluster of the kubeconfig, and has no context")
		}
		values["context"] = s.frame.Context
	}
	for _, name := range placeholders {
		if value := values[name]; value != "" && c.uses(name) && !onCommandLine.MatchString(value) {
			return nil, fmt.Errorf("the %s is called %s, which is not put on a command line", name, quoted(value))
		}
	}
	words := slices.Clone(c.words())
	for i, word := range words {
		words[i] = inBraces.ReplaceAllStringFunc(word, func(found string) string {
			if value := values[found[1:len(found)-1]]; value != "" {
				return value
			}
			return found
		})
	}
	if c.Shell != "" {
		return append([]string{"sh", "-c"}, words...), nil
	}
	return words, nil
}

// runOwn runs an own command, with the screen put away until it has ended.
func (s *Screen) runOwn(name string, c *OwnCommand) tea.Cmd {
	args, err := s.fillIn(c)
	if err != nil {
		s.fail(":" + name + ": " + err.Error())
		return nil
	}
	shown := make([]string, len(args))
	for i, word := range args {
		shown[i] = change.ShellWord(word)
	}
	heading := "$ " + strings.Join(shown, " ")
	if c.Shell != "" {
		heading = "$ " + args[2]
	}
	return func() tea.Msg { return term.Run{Args: args, Heading: heading, Wait: c.Wait == nil || *c.Wait} }
}
