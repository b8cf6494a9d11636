package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"orrery/core/operate"
	"orrery/core/printable"
	"orrery/views"
	"orrery/views/filter"
)

// liveWords are the commands for clusters.
var liveWords = []word{
	{name: "agreement", does: "how the cluster's scheduler compares with Orrery", do: func(s *Screen, _ string) tea.Cmd { s.enter(place{pane: views.AgreementPane}); return nil }},
	{name: "ctx", wants: "[context]", does: "watch another cluster of the kubeconfig", do: (*Screen).commandContext, offers: contextOffers},
	{name: "ns", wants: "[namespace]", does: "show pods of one namespace only; without one, of all", do: (*Screen).commandNamespace},
	{name: "access", does: "what may not be seen, and the RBAC rules it takes", do: (*Screen).commandAccess},
}

func proposing(verb operate.Verb) func(*Screen, string) tea.Cmd {
	return func(s *Screen, _ string) tea.Cmd {
		s.propose(verb)
		return nil
	}
}

// contextsMsg are the contexts there are.
type contextsMsg []string

func contextOffers(s *Screen, typed string) []string {
	if s.contexts == nil {
		s.order(func(p *pump) {
			if w, ok := p.source.(Switched); ok {
				p.tell(contextsMsg(w.Contexts()))
			}
		})
	}
	return fixed(s.contexts...)(s, typed)
}

// switchedMsg says that another cluster is watched now.
type switchedMsg struct{ name string }

// dialMost is for how long another cluster is waited for.
const dialMost = 30 * time.Second

// commandContext watches another cluster; without a name it says which there are.
func (s *Screen) commandContext(name string) tea.Cmd {
	s.order(func(p *pump) {
		w, ok := p.source.(Switched)
		switch {
		case !ok:
			p.report(":ctx: this is a recording, and has no contexts")
		case name == "":
			p.report("contexts: " + printable.Line(strings.Join(w.Contexts(), ", "), 300))
		case !slices.Contains(w.Contexts(), name):
			p.regret(fmt.Errorf(":ctx: there is no context %.80q; there are %s", name, printable.Line(strings.Join(w.Contexts(), ", "), 300)))
		default:
			p.report("connecting to " + printable.Line(name, 80) + " …")
			p.start(func() { p.dial(w, name) })
		}
	})
	return nil
}

// dial opens another cluster beside the pump, and has the pump watch it.
func (p *pump) dial(w Switched, name string) {
	ctx, cancel := context.WithTimeout(context.Background(), dialMost)
	defer cancel()
	change, err := w.Dial(ctx, name)
	if err != nil {
		p.regret(fmt.Errorf("staying here: %w", err))
		return
	}
	p.give(func(p *pump) {
		p.then = func() {
			leave := change()
			p.start(leave)
			p.tell(switchedMsg{name})
		}
	})
}

// switched shows the overview of another cluster.
func (s *Screen) switched(m switchedMsg) {
	s.jump(views.Overview)
	clear(s.kept)
	s.say("watching " + printable.Line(m.name, 80))
}

// commandNamespace shows pods of one namespace only.
func (s *Screen) commandNamespace(name string) tea.Cmd {
	if name == "all" || name == "*" {
		name = ""
	}
	if _, err := filter.Parse("-n " + name); name != "" && err != nil {
		s.say(":ns: " + err.Error())
		return nil
	}
	s.namespace = name
	s.dirty = true
	if name == "" {
		s.say("pods of all namespaces")
	} else {
		s.say("pods of namespace " + printable.Line(name, 80) + "; :ns shows all again")
	}
	return nil
}

// ofPods are the panes whose lists are of pods.
var ofPods = []views.PaneID{views.QueuePane, views.EvictionsPane, views.DecisionsPane, views.NodePane}

// scope is a filter as it is once a namespace was chosen, kept so that the same question is the same filter.
type scope struct {
	namespace string
	of, made  *filter.Filter
}

// scoped is a place's filter within the chosen namespace.
func (s *Screen) scoped(t *place) *filter.Filter {
	of := t.narrow.filter
	if s.namespace == "" || !slices.Contains(ofPods, t.pane) {
		return of
	}
	if s.scope.made == nil || s.scope.namespace != s.namespace || s.scope.of != of {
		made, err := filter.Parse(strings.TrimSpace("-n " + s.namespace + " " + of.String()))
		if err != nil {
			return of
		}
		s.scope = scope{s.namespace, of, made}
	}
	return s.scope.made
}

// commandAccess opens what may not be seen.
func (s *Screen) commandAccess(string) tea.Cmd {
	s.order(func(p *pump) {
		a, ok := p.source.(Accessed)
		if !ok {
			p.report(":access: this is a recording; there is nobody to forbid anything")
			return
		}
		p.tell(pageMsg{&page{title: "access", lines: printableLines(a.Access())}})
	})
	return nil
}

// report puts a sentence on the screen.
func (p *pump) report(text string) { p.tell(sayMsg{text: text}) }
