package tui

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"orrery/core/spelling"
)

// word is one command of the command line.
type word struct {
	name string
	// wants names what comes after it, empty if nothing does; does is a sentence.
	wants, does string
	// offers are what could come after it, given what was typed of it.
	offers func(s *Screen, typed string) []string
	do     func(s *Screen, rest string) tea.Cmd
}

// vocabulary is every word of the command line: its own, and the names of keys.
var vocabulary []word

// allWords are the words of commands and those of keys.
func allWords() []word {
	all := slices.Concat(commandWords, liveWords)
	for i := range bindings {
		b := &bindings[i]
		if slices.ContainsFunc(all, func(w word) bool { return w.name == b.name }) || len(b.keys) > 1 && b.group == playing {
			continue
		}
		all = append(all, word{name: b.name, does: b.tells, do: func(s *Screen, _ string) tea.Cmd {
			if at := bound(s.place(), b.keys[0]); at != nil && at.name == b.name {
				return s.run(at, b.keys[0])
			}
			s.say(":" + b.name + " does nothing in this pane")
			return nil
		}})
	}
	slices.SortFunc(all, func(a, b word) int { return cmp.Compare(a.name, b.name) })
	return all
}

func wordNamed(name string) *word {
	i := slices.IndexFunc(vocabulary, func(w word) bool { return w.name == name })
	if i < 0 {
		return nil
	}
	return &vocabulary[i]
}

// command carries out a line.
func (s *Screen) command(line string) tea.Cmd {
	name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	rest = strings.TrimSpace(rest)
	if name == "" {
		return nil
	}
	w := wordNamed(name)
	if w == nil { // a beginning that only one word has will do
		if some := wordsFrom(name); len(some) == 1 {
			w = some[0]
		}
	}
	switch {
	case w == nil:
		s.say(":" + name + " is no command; did you mean :" + nearest(name) + "?")
	case w.wants != "" && rest == "" && !strings.HasPrefix(w.wants, "["):
		s.say(":" + w.name + " wants " + w.wants + " after it")
	case w.wants == "" && rest != "":
		s.say(":" + w.name + " wants nothing after it")
	default:
		return w.do(s, rest)
	}
	return nil
}

func wordsFrom(prefix string) []*word {
	var some []*word
	for i := range vocabulary {
		if strings.HasPrefix(vocabulary[i].name, prefix) {
			some = append(some, &vocabulary[i])
		}
	}
	return some
}

// nearest is the word that takes the fewest changes to become.
func nearest(typed string) string {
	names := make([]string, len(vocabulary))
	for i := range vocabulary {
		names[i] = vocabulary[i].name
	}
	return slices.MinFunc(names, func(a, b string) int { return cmp.Compare(spelling.Mistakes(typed, a), spelling.Mistakes(typed, b)) })
}

// mostOffers is how many completions are shown.
const mostOffers = 8

// complete finds what the line could become.
func (s *Screen) complete() {
	p := s.prompt
	line := p.input.Value()
	p.offers = nil
	name, rest, spaced := strings.Cut(line, " ")
	if !spaced {
		for _, w := range wordsFrom(name) {
			p.offer(offer{line: w.name + blankIf(w.wants != ""), text: strings.TrimSpace(w.name + " " + strings.ToUpper(w.wants)), does: w.does})
		}
		return
	}
	w := wordNamed(name)
	if w == nil || w.offers == nil {
		return
	}
	for _, o := range w.offers(s, rest) {
		p.offer(offer{line: name + " " + o, text: o})
	}
}

func (p *prompt) offer(o offer) {
	if len(p.offers) < mostOffers {
		p.offers = append(p.offers, o)
	}
}

func blankIf(yes bool) string {
	if yes {
		return " "
	}
	return ""
}
