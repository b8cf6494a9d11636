package tui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"orrery/core/safe/printable"
	"orrery/core/safe/spelling"
	"orrery/views"
)

// Story is a recording that the screen can switch to. Title says what happens in it, and Open opens it ready to play.
type Story struct {
	Name, Title string
	// View is the pane that is open at first; empty is the overview. Node is the node it is about, if it is about one.
	View views.PaneID
	Node string
	Open func() (Source, error)
}

func (s *Screen) storyNames() []string {
	var names []string
	for _, story := range s.options.Stories {
		names = append(names, story.Name)
	}
	return names
}

func storyCompletions(s *Screen, typed string) []string { return oneOf(s.storyNames()...)(s, typed) }

// storyTitle returns the title of a recording.
func storyTitle(s *Screen, name string) string {
	for _, story := range s.options.Stories {
		if story.Name == name {
			return story.Title
		}
	}
	return ""
}

// commandDemo switches to another recording; without a name it lists them.
func (s *Screen) commandDemo(name string) tea.Cmd {
	names := s.storyNames()
	at := slices.Index(names, name)
	switch {
	case len(names) == 0:
		s.fail(`:demo: this is a cluster; "orrery demo" plays recordings`)
	case name == "":
		s.setStatus("recordings: " + strings.Join(names, ", "))
	case at < 0:
		status := ":demo: there is no recording " + strconv.Quote(printable.Line(name, 80))
		if near := spelling.Nearest(name, names, 1); len(near) > 0 {
			status += "; did you mean " + near[0] + "?"
		} else {
			status += "; there are " + strings.Join(names, ", ")
		}
		s.fail(status)
	default:
		story := s.options.Stories[at]
		s.setStatus("opening " + name + " …")
		s.submit(func(p *loop) { p.switchStory(story) })
	}
	return nil
}

// switchStory opens a recording off the loop's goroutine; the loop then shows it.
func (p *loop) switchStory(story Story) {
	p.spawn(func() {
		next, err := story.Open()
		if err != nil {
			p.reportError(fmt.Errorf("staying here: opening %s: %w", story.Name, err))
			return
		}
		p.submit(func(p *loop) {
			p.afterHold = func() {
				p.use(next)
				p.lastAdvanced = p.clock() // it did not play while it was opened
				p.send(switchedMsg{cluster: story.Name, view: story.View, node: story.Node})
			}
		})
	})
}
