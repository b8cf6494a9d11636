package tui

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"orrery/core/engine"
	"orrery/core/operate"
	"orrery/core/printable"
	"orrery/core/whatif"
	"orrery/core/world"
	"orrery/themes"
	"orrery/views"
	"orrery/views/collect"
	"orrery/views/draw"
)

// confirmation asks whether to change the cluster, before what it would do.
type confirmation struct {
	action operate.Action
	lines  []string
	// opened says that the answer of a what-if was opened beneath it.
	opened bool
}

// confirmMsg asks about the proposal of that number.
type confirmMsg struct {
	number int
	action operate.Action
	lines  []string
	answer *views.WhatIf
}

// propose asks what an action on what is selected would do, and then whether to do it.
func (s *Screen) propose(verb operate.Verb) {
	pod, _ := s.selectedPod()
	node, _ := s.selectedNode()
	s.question++
	number := s.question
	s.asking = true
	s.say("asking what it would do … esc gives up")
	s.order(func(p *pump) {
		a, err := actionOn(p.source.Engine(), verb, node, pod)
		if err != nil {
			p.tell(answerMsg{number: number, err: err})
			return
		}
		p.propose(number, a)
	})
}

// actionOn is an action on an object as the engine knows it now.
func actionOn(e *engine.Engine, verb operate.Verb, node string, ref world.Ref) (operate.Action, error) {
	a := operate.Action{Verb: verb}
	if verb <= operate.Drain {
		n := e.Store().Node(node)
		if n == nil {
			return a, fmt.Errorf("there is no node %.80q at this moment", node)
		}
		if a.Node = node; verb == operate.Cordon && n.Spec.Unschedulable {
			a.Verb = operate.Uncordon
		}
		return a, nil
	}
	pod := e.Store().Pod(ref.Namespace, ref.Name)
	if pod == nil {
		return a, fmt.Errorf("there is no pod %.80q at this moment", ref.String())
	}
	a.Pod = world.RefOf(pod)
	for _, gate := range pod.Spec.SchedulingGates {
		a.Gates = append(a.Gates, gate.Name)
	}
	switch {
	case verb == operate.Ungate && len(a.Gates) == 0:
		return a, fmt.Errorf("no scheduling gate holds pod %s", printable.Line(ref.String(), 120))
	case verb == operate.Evict && pod.Spec.NodeName == "":
		return a, fmt.Errorf("pod %s is on no node that it could be evicted from", printable.Line(ref.String(), 120))
	case verb == operate.Activate && pod.Spec.NodeName != "":
		return a, fmt.Errorf("pod %s has its node already", printable.Line(ref.String(), 120))
	}
	if verb != operate.Ungate {
		a.Gates = nil
	}
	return a, nil
}

// propose asks a fork what an action would do, if that is a question, and has the screen ask whether to do it.
func (p *pump) propose(number int, a operate.Action) {
	changes := a.Changes()
	if len(changes) == 0 {
		p.tell(confirmMsg{number: number, action: a, lines: []string{"It is taken out of its back-off; nothing else changes."}})
		return
	}
	fork, err := p.source.Engine().Fork()
	if err != nil {
		p.tell(answerMsg{number: number, err: fmt.Errorf("forking the scheduler for a what-if: %w", err)})
		return
	}
	p.start(func() {
		m := confirmMsg{number: number, action: a}
		answer, err := whatif.Ask(fork, changes, whatif.Options{})
		if err != nil {
			m.lines = []string{"What it would do is not known: " + printable.Line(err.Error(), 160)}
		} else {
			m.lines = consequences(answer)
			m.answer = collect.WhatIf(answer, printable.Text("what if "+whatif.Words(changes)+"?"), printable.Text(a.Command()))
		}
		p.tell(m)
	})
}

// consequences are what an answer comes to, in a few lines.
func consequences(a *whatif.Answer) []string {
	counts := map[whatif.Fate]int{}
	for _, pod := range a.Pods {
		counts[pod.Fate]++
	}
	var parts []string
	for _, f := range []struct {
		fate whatif.Fate
		says string
	}{
		{whatif.Placed, "would find a node"},
		{whatif.Moved, "would move"},
		{whatif.Elsewhere, "would go elsewhere"},
		{whatif.Evicted, "would leave for good"},
		{whatif.Unplaced, "would find no node"},
		{whatif.Spared, "would stay that leaves"},
	} {
		if n := counts[f.fate]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, f.says))
		}
	}
	lines := []string{"No pod would fare differently."}
	if len(parts) > 0 {
		lines = []string{"Pods: " + strings.Join(parts, ", ") + "."}
	}
	if len(a.Held) > 0 {
		lines = append(lines, fmt.Sprintf("Disruption budgets would hold %d, %s first.", len(a.Held), printable.Line(a.Held[0].Pod.String(), 80)))
	}
	if a.Truncated {
		lines = append(lines, "More would happen later than was looked at.")
	}
	return lines
}

// confirmed opens the question, unless nobody waits for it any more.
func (s *Screen) confirmed(m confirmMsg) {
	if m.number != s.question || !s.asking {
		return
	}
	s.asking, s.status, s.dirty = false, "", true
	s.confirm = &confirmation{action: m.action, lines: m.lines, opened: m.answer != nil}
	s.confirm.lines = append(s.confirm.lines, m.action.Notes()...)
	if command := m.action.Command(); command != "" {
		s.confirm.lines = append(s.confirm.lines, "$ "+printable.Text(command))
	}
	if m.answer != nil {
		s.enter(place{pane: views.WhatIfPane, answer: m.answer})
	}
}

// press takes a yes for an answer, and everything that means no for one; other keys do nothing, as they were not meant for
// this.
func (c *confirmation) press(s *Screen, key string) tea.Cmd {
	switch key {
	case "y", "Y":
		s.act(c.action)
	case "n", "N", "esc", "q":
		s.say("nothing was changed")
	default:
		return nil
	}
	s.confirm = nil
	if c.opened {
		s.back()
	}
	return nil
}

// confirmHints are the keys that work while it is asked.
var confirmHints = []draw.Hint{{Key: "y", Does: "does it"}, {Key: "n", Does: "leaves it"}, {Key: "esc", Does: "leaves it"}}

// actMost is for how long an action may take: a drain waits for disruption budgets.
const actMost = 15 * time.Minute

// act carries an action out that was confirmed, and says what came of it.
func (s *Screen) act(a operate.Action) {
	s.say("asked to " + printable.Line(a.String(), 160) + " …")
	s.order(func(p *pump) {
		o, ok := p.source.(Operated)
		if !ok || o.Unable() != "" {
			p.regret(fmt.Errorf("could not %s: %s", a, p.unable()))
			return
		}
		hand := o.Hand()
		hand.Said = p.report
		p.start(func() {
			ctx, cancel := context.WithTimeout(context.Background(), actMost)
			defer cancel()
			if err := hand.Do(ctx, a); err != nil {
				p.regret(err)
				p.refused(a, err)
				return
			}
			p.report(printable.Line(a.Done(), 200))
		})
	})
}

// refused has it written down that a budget did not let a pod go, which nobody who watches the cluster sees.
func (p *pump) refused(a operate.Action, err error) {
	if a.Verb != operate.Evict || !apierrors.IsTooManyRequests(err) {
		return
	}
	p.give(func(p *pump) {
		if ch := p.source.Chronicle(); ch != nil {
			ch.Refused(p.source.Engine().Now(), a.Pod, err.Error())
		}
	})
}

// unable says why nothing can be changed from here.
func (p *pump) unable() string {
	if o, ok := p.source.(Operated); ok {
		return o.Unable()
	}
	return "there is no cluster here that could be changed"
}

// draw draws the question over what it is about.
func (c *confirmation) draw(a draw.Area) {
	question := printable.Line(c.action.String(), 300) + "?"
	w := draw.Width(question) + 8
	for _, line := range c.lines {
		w = max(w, draw.Width(line)+8)
	}
	w = min(max(w, 48), a.W)
	h := min(len(c.lines)+6, a.H)
	at := a.In(draw.Rect{X: a.X + (a.W-w)/2, Y: a.Y + max(a.H-h-1, 0), W: w, H: h})
	at.Fill(themes.Style(themes.Text), ' ')
	at = at.Box(draw.Frame{Title: "This changes the cluster", Border: themes.Bad, Focused: true})
	at.Fit(2, 0, at.W-4, themes.Title.With(themes.Bold), strings.ToUpper(question[:1])+question[1:])
	for i, line := range c.lines {
		style := themes.Style(themes.Text)
		if strings.HasPrefix(line, "$ ") {
			style = themes.Style(themes.Dim)
		}
		at.Fit(2, 2+i, at.W-4, style, line)
	}
	foot, _ := at.Bottom(1)
	line := at.In(foot)
	x := line.Text(2, 0, themes.Bad.With(themes.Bold), "y")
	x = line.Text(x+1, 0, themes.Style(themes.Text), "does it") + 3
	x = line.Text(x, 0, themes.Accent.With(themes.Bold), "n")
	line.Text(x+1, 0, themes.Style(themes.Text), "leaves it (esc too)")
}
