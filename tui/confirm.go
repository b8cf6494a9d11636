package tui

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"orrery/core/answers/change"
	"orrery/core/answers/whatif"
	"orrery/core/operator/actions"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
	"orrery/themes"
	"orrery/views"
	"orrery/views/collect"
	"orrery/views/draw"
)

// confirmation is the dialog that confirms an action on the cluster and lists its predicted effects.
type confirmation struct {
	action actions.Action
	lines  []string
	// whatIfOpened says that the what-if's result is open beneath the dialog.
	whatIfOpened bool
}

// confirmMsg opens the dialog for the proposal with that number.
type confirmMsg struct {
	number int
	action actions.Action
	lines  []string
	answer *views.WhatIf
}

// propose computes what an action on the selection would do, and then opens the dialog.
func (s *Screen) propose(verb actions.Verb) {
	pod, _ := s.selectedPod()
	node, _ := s.selectedNode()
	s.proposeOn(verb, node, pod)
}

// proposeOn does so for an action on a node or a pod.
func (s *Screen) proposeOn(verb actions.Verb, node string, pod world.PodRef) {
	s.whatIfNumber++
	number := s.whatIfNumber
	s.whatIfPending = true
	s.setStatus("computing the what-if … esc cancels")
	s.submit(func(p *loop) {
		a, err := actionOn(p.source.Engine(), verb, node, pod)
		if err != nil {
			p.send(whatIfMsg{number: number, err: err})
			return
		}
		p.propose(number, a)
	})
}

// actionOn builds an action on an object as the engine knows it now.
func actionOn(e *engine.Engine, verb actions.Verb, node string, ref world.PodRef) (actions.Action, error) {
	a := actions.Action{Verb: verb}
	if verb <= actions.Drain {
		n := e.Store().Node(node)
		if n == nil {
			return a, fmt.Errorf("there is no node %q at this moment", printable.Line(node, 80))
		}
		if a.Node = node; verb == actions.Cordon && n.Spec.Unschedulable {
			a.Verb = actions.Uncordon
		}
		return a, nil
	}
	pod := e.Store().Pod(ref.Namespace, ref.Name)
	if pod == nil {
		return a, fmt.Errorf("there is no pod %q at this moment", printable.Line(ref.String(), 80))
	}
	a.Pod = world.PodRefOf(pod)
	for _, gate := range pod.Spec.SchedulingGates {
		a.Gates = append(a.Gates, gate.Name)
	}
	switch {
	case verb == actions.Ungate && len(a.Gates) == 0:
		return a, fmt.Errorf("no scheduling gate holds pod %s", printable.Line(ref.String(), 120))
	case verb == actions.Evict && pod.Spec.NodeName == "":
		return a, fmt.Errorf("pod %s is on no node that it could be evicted from", printable.Line(ref.String(), 120))
	case verb == actions.Activate && pod.Spec.NodeName != "":
		return a, fmt.Errorf("pod %s has its node already", printable.Line(ref.String(), 120))
	}
	if verb != actions.Ungate {
		a.Gates = nil
	}
	return a, nil
}

// propose runs an action's what-if on a fork, if it changes anything that a what-if can predict, and opens the dialog.
func (p *loop) propose(number int, a actions.Action) {
	changes := a.Changes()
	if len(changes) == 0 {
		p.send(confirmMsg{number: number, action: a, lines: []string{"It skips its back-off; nothing else changes."}})
		return
	}
	fork, err := p.source.Engine().Fork()
	if err != nil {
		p.send(whatIfMsg{number: number, err: fmt.Errorf("forking the scheduler for a what-if: %w", err)})
		return
	}
	p.spawn(func() {
		m := confirmMsg{number: number, action: a}
		answer, err := whatif.Evaluate(fork, changes, whatif.Options{})
		if err != nil {
			m.lines = []string{"What it would do is not known: " + printable.Line(err.Error(), 160)}
		} else {
			m.lines = summarize(answer)
			m.answer = collect.WhatIf(answer, printable.Text(change.Words(changes)), printable.Text(a.Command()))
		}
		p.send(m)
	})
}

// summarize sums up the result of a what-if in a few lines.
func summarize(a *whatif.Result) []string {
	counts := map[whatif.ChangeKind]int{}
	for _, pod := range a.Pods {
		counts[pod.Kind]++
	}
	var parts []string
	for _, f := range []struct {
		fate whatif.ChangeKind
		text string
	}{
		{whatif.Placed, "would be scheduled"},
		{whatif.Moved, "would move"},
		{whatif.OtherNode, "would go to another node"},
		{whatif.Evicted, "would be evicted"},
		{whatif.BecomesPending, "would be unschedulable"},
		{whatif.NotEvicted, "would not be evicted"},
	} {
		if n := counts[f.fate]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, f.text))
		}
	}
	var lines []string
	if a.Blocks() {
		lines = append(lines, fmt.Sprintf("Blocked: %d of %d cannot be evicted, %s first.", len(a.Blocked), a.ToEvict, printable.Line(a.Blocked[0].Pod.String(), 80)))
	}
	switch {
	case len(parts) > 0:
		lines = append(lines, "Pods: "+strings.Join(parts, ", ")+".")
	case len(lines) == 0:
		lines = append(lines, "No pod would change outcome.")
	}
	if a.Truncated {
		lines = append(lines, "The what-if stopped before everything had settled.")
	}
	return lines
}

// openConfirmation opens the dialog, unless it was cancelled or superseded.
func (s *Screen) openConfirmation(m confirmMsg) {
	if m.number != s.whatIfNumber || !s.whatIfPending {
		return
	}
	s.whatIfPending, s.status, s.dirty = false, "", true
	s.confirm = &confirmation{action: m.action, lines: m.lines, whatIfOpened: m.answer != nil}
	s.confirm.lines = append(s.confirm.lines, m.action.Notes()...)
	if command := m.action.Command(); command != "" {
		s.confirm.lines = append(s.confirm.lines, "$ "+printable.Text(command))
	}
	if m.answer != nil {
		s.push(navEntry{pane: views.WhatIfPane, answer: m.answer})
	}
}

// press confirms on y and cancels on n, q and esc; other keys do nothing, as they were not meant for the dialog.
func (c *confirmation) press(s *Screen, key string) tea.Cmd {
	switch key {
	case "y", "Y":
		s.perform(c.action)
	case "n", "N", "esc", "q":
		s.setStatus("cancelled")
	default:
		return nil
	}
	s.confirm = nil
	if c.whatIfOpened {
		s.pop()
	}
	return nil
}

// confirmHints are the hints while the dialog is open.
var confirmHints = []draw.Hint{{Key: "y", Action: "confirm"}, {Key: "n", Action: "cancel"}, {Key: "esc", Action: "cancel"}}

// actionTimeout limits how long an action may take: a drain waits for PodDisruptionBudgets.
//
//orrery:limit screen; how long an action on a cluster may take; it is given up
const actionTimeout = 15 * time.Minute

// perform runs a confirmed action and shows its outcome.
func (s *Screen) perform(a actions.Action) {
	s.setStatus("asked to " + printable.Line(a.String(), 160) + " …")
	s.submit(func(p *loop) {
		if why := p.readOnlyReason(); why != "" {
			p.reportError(fmt.Errorf("could not %s: %s", a, why))
			return
		}
		executor := p.live.Executor()
		executor.Progress = p.report
		p.spawn(func() {
			ctx, cancel := context.WithTimeout(context.Background(), actionTimeout)
			defer cancel()
			if err := executor.Do(ctx, a); err != nil {
				p.reportError(err)
				p.recordRefusal(a, err)
				return
			}
			p.report(printable.Line(a.DoneText(), 200))
		})
	})
}

// recordRefusal records that a PodDisruptionBudget refused an eviction, which a watch does not show.
func (p *loop) recordRefusal(a actions.Action, err error) {
	if a.Verb != actions.Evict || !apierrors.IsTooManyRequests(err) {
		return
	}
	p.submit(func(p *loop) {
		if ch := p.source.History(); ch != nil {
			ch.Refused(p.source.Engine().Now(), a.Pod, err.Error())
		}
	})
}

// readOnlyReason returns why the cluster cannot be changed from here; empty if it can.
func (p *loop) readOnlyReason() string {
	if p.live != nil {
		return p.live.ReadOnlyReason()
	}
	return "read-only: this is a recording"
}

// draw draws the dialog over the pane.
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
	x = line.Text(x+1, 0, themes.Style(themes.Text), "confirm") + 3
	x = line.Text(x, 0, themes.Accent.With(themes.Bold), "n")
	line.Text(x+1, 0, themes.Style(themes.Text), "cancel (or esc)")
}
