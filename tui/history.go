package tui

import (
	"slices"

	"orrery/views/filter"
)

// history holds the commands, the filters and the searches that were typed in this session.
type history struct{ commands, filters, searches typedLines }

// typedLines are lines that were typed, each once, the latest last.
type typedLines []string

// maxHistory limits how many lines are kept.
//
//orrery:limit screen; commands, filters, and searches, that were typed and are remembered; the oldest goes
const maxHistory = 100

func (h *typedLines) add(line string) {
	if line == "" {
		return
	}
	lines := append(slices.DeleteFunc(*h, func(l string) bool { return l == line }), line)
	*h = lines[max(len(lines)-maxHistory, 0):]
}

// latest returns the line that was typed last; empty if there is none.
func (h typedLines) latest() string {
	if len(h) == 0 {
		return ""
	}
	return h[len(h)-1]
}

// typed returns the lines that were typed in prompts of a kind.
func (h *history) typed(kind promptKind) typedLines {
	return [...]typedLines{commandPrompt: h.commands, filterPrompt: h.filters, searchPrompt: h.searches, deafPrompt: nil, finderPrompt: nil}[kind]
}

// addFilter adds a filter that a list has; nil is none.
func (h *history) addFilter(f *filter.Filter) { h.filters.add(f.String()) }

// recallHistory puts an earlier or later line of the history into the prompt; after the latest comes what was typed before.
func (s *Screen) recallHistory(earlier bool) {
	p := s.prompt
	lines, at := s.history.typed(p.kind), p.historyIndex-1
	if earlier {
		at = p.historyIndex + 1
	}
	if at < 0 || at > len(lines) {
		return
	}
	if p.historyIndex == 0 {
		p.draft = p.input.Value()
	}
	p.historyIndex = at
	line := p.draft
	if at > 0 {
		line = lines[len(lines)-at]
	}
	p.set(line)
	p.chosen = -1
	s.typedLine()
}
