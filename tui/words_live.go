package tui

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	v1 "k8s.io/api/core/v1"

	"orrery/core/engine"
	"orrery/core/operate"
	"orrery/core/printable"
	"orrery/core/world"
	"orrery/views"
	"orrery/views/filter"
)

// liveWords are the commands for clusters.
var liveWords = []word{
	{name: "agreement", does: "how the cluster's scheduler compares with Orrery", do: func(s *Screen, _ string) tea.Cmd { s.enter(place{pane: views.AgreementPane}); return nil }},
	{name: "ctx", wants: "[context]", does: "watch another cluster of the kubeconfig", do: (*Screen).commandContext, offers: contextOffers},
	{name: "ns", wants: "[namespace]", does: "show pods of one namespace only; without one, of all", do: (*Screen).commandNamespace},
	{name: "pods", does: "all pods that are seen, and where they are", do: (*Screen).commandPods},
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

// switchedMsg says that another cluster is watched now, or that a namespace of it is shown; empty for all.
type switchedMsg struct{ cluster, namespace string }

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
			p.dial(w, name, "")
		}
	})
	return nil
}

// dial opens another cluster beside the pump, or a namespace of this one, and has the pump watch it.
func (p *pump) dial(w Switched, name, namespace string) {
	p.report("connecting to " + printable.Line(name, 80) + " …")
	p.start(func() {
		ctx, cancel := context.WithTimeout(context.Background(), dialMost)
		defer cancel()
		change, err := w.Dial(ctx, name, namespace)
		if err != nil {
			p.regret(fmt.Errorf("staying here: %w", err))
			return
		}
		p.give(func(p *pump) {
			p.then = func() {
				leave := change()
				p.start(leave)
				p.tell(switchedMsg{name, namespace})
			}
		})
	})
}

// switched shows the overview of another cluster, or this one within other bounds.
func (s *Screen) switched(m switchedMsg) {
	s.namespace, s.dirty = m.namespace, true
	if m.cluster != "" {
		s.jump(views.Overview)
		clear(s.kept)
	}
	switch {
	case m.namespace != "":
		s.say("pods of namespace " + printable.Line(m.namespace, 80) + "; :ns shows all again")
	case m.cluster != "":
		s.say("watching " + printable.Line(m.cluster, 80))
	default:
		s.say("pods of all namespaces")
	}
}

// commandNamespace shows pods of one namespace only. Where no more than one may be seen, another takes another session.
func (s *Screen) commandNamespace(name string) tea.Cmd {
	if name == "all" || name == "*" {
		name = ""
	}
	if _, err := filter.Parse("-n " + name); name != "" && err != nil {
		s.say(":ns: " + err.Error())
		return nil
	}
	s.order(func(p *pump) {
		w, ok := p.source.(Switched)
		switch within := p.within(); {
		case !ok || within == "" || name == within:
			p.tell(switchedMsg{namespace: name})
		case name == "":
			p.report(":ns: no more may be read than namespace " + printable.Line(within, 80) + "; :access says what it takes")
		default:
			p.dial(w, p.source.Name(), name)
		}
	})
	return nil
}

// within is the one namespace of which anything may be seen; empty if there is no such bound.
func (p *pump) within() string {
	if a, ok := p.source.(Accessed); ok {
		return a.Within()
	}
	return ""
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

// commandPods opens a list of all pods, those with a node included, of the chosen namespace or of all.
func (s *Screen) commandPods(string) tea.Cmd {
	namespace := s.namespace
	s.order(func(p *pump) {
		lines := podLines(p.source.Engine(), namespace)
		title := "pods"
		if namespace != "" {
			title += " of namespace " + printable.Line(namespace, 80)
		}
		if len(lines) == 0 {
			p.report(title + ": there are none to be seen")
			return
		}
		p.tell(pageMsg{&page{title: title, lines: lines}})
	})
	return nil
}

// podLines are a line for each pod, in the order of their names.
func podLines(e *engine.Engine, namespace string) []string {
	var pods []*v1.Pod
	wide := 0
	for o := range e.Store().Objects(world.Pod) {
		if pod, ok := o.(*v1.Pod); ok && (namespace == "" || pod.Namespace == namespace) {
			pods = append(pods, pod)
			wide = max(wide, len(pod.Namespace)+1+len(pod.Name))
		}
	}
	slices.SortFunc(pods, func(a, b *v1.Pod) int {
		return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
	})
	const most = 60 // of a name in its column
	lines := make([]string, len(pods))
	for i, pod := range pods {
		where := string(e.Where(pod.Namespace, pod.Name))
		if pod.Spec.NodeName != "" {
			where = "on " + pod.Spec.NodeName
		}
		if pod.DeletionTimestamp != nil {
			where += ", leaving"
		}
		lines[i] = printable.Text(fmt.Sprintf("%-*s  %s", min(wide, most), pod.Namespace+"/"+pod.Name, where))
	}
	return lines
}

// report puts a sentence on the screen.
func (p *pump) report(text string) { p.tell(sayMsg{text: text}) }
