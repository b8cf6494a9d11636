package tui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

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

// confirmation is the dialog that confirms an action on the cluster and lists its predicted effects. It begins on cancel, and
// every key that is not its own cancels: letters that were meant for something else change nothing.
type confirmation struct {
	action  actions.Action
	cluster string
	lines   []string
	// act means that the button that acts is selected, not the one that cancels.
	act bool
	// opened is when the dialog opened.
	opened time.Duration
	// whatIfOpened means that the what-if's result is open beneath the dialog.
	whatIfOpened bool
	// box and buttons are where it was drawn: the one that cancels, then the one that acts.
	box     draw.Rect
	buttons [2]draw.Rect
}

// confirmDelay is how long a new dialog takes no key: it may open between two keys that were meant for the pane.
const confirmDelay = 300 * time.Millisecond

// confirmMsg opens the dialog for the proposal with that number.
type confirmMsg struct {
	number  int
	action  actions.Action
	cluster string
	lines   []string
	answer  *views.WhatIf
}

// proposal builds an action on an object as the engine knows it now.
type proposal func(*engine.Engine) (actions.Action, error)

// onNode is the proposal of an action on a node.
func onNode(name string, action func(*v1.Node) actions.Action) proposal {
	return func(e *engine.Engine) (actions.Action, error) {
		node := e.Store().Node(name)
		if node == nil {
			return nil, fmt.Errorf("there is no node %q at this moment", printable.Line(name, 80))
		}
		return action(node), nil
	}
}

// onPod is the proposal of an action on a pod.
func onPod(ref world.PodRef, action func(*v1.Pod) (actions.Action, error)) proposal {
	return func(e *engine.Engine) (actions.Action, error) {
		pod := e.Store().Pod(ref.Namespace, ref.Name)
		if pod == nil {
			return nil, fmt.Errorf("there is no pod %q at this moment", printable.Line(ref.String(), 80))
		}
		return action(pod)
	}
}

// propose computes what an action would do, and then opens the dialog.
func (s *Screen) propose(action proposal) {
	s.whatIfNumber++
	number := s.whatIfNumber
	s.whatIfPending = true
	s.setStatus("computing the what-if … esc cancels")
	s.submit(func(p *loop) {
		a, err := action(p.source.Engine())
		if err != nil {
			p.send(whatIfMsg{number: number, err: err})
			return
		}
		p.propose(number, a)
	})
}

// propose runs an action's what-if on a fork, if it changes anything that a what-if can predict, and opens the dialog.
func (p *loop) propose(number int, a actions.Action) {
	m := confirmMsg{number: number, action: a, cluster: p.source.Name()}
	changes := a.Changes()
	if len(changes) == 0 {
		m.lines = []string{"It skips its back-off; nothing else changes."}
		p.send(m)
		return
	}
	fork, err := p.source.Engine().Fork()
	if err != nil {
		p.send(whatIfMsg{number: number, err: fmt.Errorf("forking the scheduler for a what-if: %w", err)})
		return
	}
	p.spawn(func() {
		answer, err := whatif.Evaluate(fork, changes, whatif.Options{})
		if err != nil {
			m.lines = []string{"What it would do is not known: " + printable.Line(err.Error(), 160)}
		} else {
			m.lines = summarize(answer)
			m.answer = collect.WhatIf(answer, printable.Text(a.String()), printable.Text(a.Command()))
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

// openConfirmation opens the dialog, unless it was cancelled or superseded, or something else is being typed or chosen by now.
func (s *Screen) openConfirmation(m confirmMsg) {
	if m.number != s.whatIfNumber || !s.whatIfPending {
		return
	}
	s.whatIfPending = false
	if s.prompt != nil || s.menu != nil {
		s.setStatus("cancelled: " + printable.Line(m.action.String(), 160))
		return
	}
	s.status, s.dirty = "", true
	s.confirm = &confirmation{action: m.action, cluster: m.cluster, lines: m.lines, whatIfOpened: m.answer != nil, opened: s.options.Clock()}
	if command := m.action.Command(); command != "" {
		s.confirm.lines = append(s.confirm.lines, "$ "+printable.Text(command))
	} else {
		s.confirm.lines = append(s.confirm.lines, "There is no kubectl command for it: it changes this scheduler's queue.")
	}
	s.confirm.lines = append(s.confirm.lines, "Undo: "+m.action.UndoText())
	s.confirm.lines = append(s.confirm.lines, m.action.Notes()...)
	if m.answer != nil {
		s.push(navEntry{pane: views.WhatIfPane, answer: m.answer})
	}
}

// press moves between the buttons or takes the selected one; any other key cancels. "/" opens its prompt then, as it does
// everywhere.
func (c *confirmation) press(s *Screen, key string) tea.Cmd {
	if key != "/" && s.options.Clock()-c.opened < confirmDelay {
		return nil
	}
	switch key {
	case "left", "right", "tab", "shift+tab":
		c.act = !c.act
		return nil
	}
	s.confirm = nil
	if c.whatIfOpened {
		s.pop()
	}
	switch {
	case key == "enter" && c.act:
		s.top().marked = nil
		s.perform(c)
	case key == "/":
		s.startSlash()
	case key == "enter", key == "esc", key == "n", key == "q":
		s.setStatus("cancelled")
	default:
		s.setStatus("cancelled: " + printable.Line(key, 20) + " is not a key of the dialog; there ← → choose and enter confirms")
	}
	return nil
}

// confirmHints are the hints while the dialog is open.
var confirmHints = []draw.Hint{{Key: "← →", Action: "choose"}, {Key: "enter", Action: "confirm"}, {Key: "esc", Action: "cancel, as does any other key"}}

// actionTimeout limits how long an action may take: a drain waits for PodDisruptionBudgets.
//
//orrery:limit screen; how long an action on a cluster may take; it is given up
const actionTimeout = 15 * time.Minute

// perform runs a confirmed action and shows its outcome.
func (s *Screen) perform(c *confirmation) {
	a := c.action
	s.setStatus("asked to " + printable.Line(a.String(), 160) + " …")
	s.submit(func(p *loop) {
		why := p.readOnlyReason()
		if now := p.source.Name(); why == "" && now != c.cluster {
			why = "it was confirmed for " + printable.Line(c.cluster, 80) + ", and the screen shows " + printable.Line(now, 80) + " now"
		}
		if why != "" {
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
	if part := (*actions.PartError)(nil); errors.As(err, &part) {
		a = part.Part
	}
	evict, ok := a.(actions.Evict)
	if !ok || !apierrors.IsTooManyRequests(err) {
		return
	}
	p.submit(func(p *loop) {
		if ch := p.source.History(); ch != nil {
			ch.Refused(p.source.Engine().Now(), evict.Pod, err.Error())
		}
	})
}

// readOnlyReason returns why the cluster cannot be changed from here; empty if it can.
func (p *loop) readOnlyReason() string {
	if p.live != nil {
		return p.live.ReadOnlyReason()
	}
	return "read-only: " + cmp.Or(p.onList(), "this is a recording")
}

// draw draws the dialog over the pane. Where there is not room for all, the notes go first; the question and the buttons stay.
func (c *confirmation) draw(a draw.Area) {
	const margin, most, wraps = 8, 96, 4
	question := printable.Line(c.action.String(), 300) + "?"
	w := draw.Width(question) + margin
	for _, line := range c.lines {
		w = max(w, draw.Width(line)+margin)
	}
	w = min(max(w, 56), most, a.W)
	inner := a.In(draw.Rect{X: a.X, Y: a.Y, W: w - margin + 2, H: a.H}).Scrolled(wraps, wraps) // above the area, where nothing is drawn
	rows := 0
	for _, line := range c.lines {
		rows += inner.Wrap(0, 0, inner.W, wraps, themes.Style(themes.Text), line)
	}
	asked := inner.Wrap(0, 0, inner.W, 2, themes.Style(themes.Text), question)
	h := min(asked+rows+5, a.H)
	at := a.In(draw.Rect{X: a.X + (a.W-w)/2, Y: a.Y + max(a.H-h-1, 0), W: w, H: h})
	at.Fill(themes.Style(themes.Text), ' ')
	c.box = at.Rect
	at = at.Box(draw.Frame{Title: "This changes " + printable.Line(c.cluster, 80), Border: themes.Bad})
	at.Wrap(2, 0, inner.W, 2, themes.Title.With(themes.Bold), strings.ToUpper(question[:1])+question[1:])
	foot, body := at.Bottom(1)
	c.drawButtons(at.In(foot))
	y, gap := asked, 0
	if at.H > asked+rows+1 {
		y, gap = asked+1, min(at.H-asked-rows-2, 1)
	}
	_, body = body.Top(y)
	_, body = body.Bottom(gap)
	text := at.In(body)
	y = 0
	for _, line := range c.lines {
		style := themes.Style(themes.Text)
		if strings.HasPrefix(line, "$ ") {
			style = themes.Style(themes.Dim)
		}
		if y < text.H {
			y = text.Wrap(2, y, inner.W, min(wraps, text.H-y), style, line)
		}
	}
}

// drawButtons draws the two buttons. Brackets are around the selected one.
func (c *confirmation) drawButtons(row draw.Area) {
	x := 2
	for i, b := range [...]struct {
		label    string
		selected bool
		token    themes.Token
	}{{"cancel", !c.act, themes.Accent}, {c.action.Verb(), c.act, themes.Bad}} {
		label, style := "  "+b.label+"  ", themes.Style(b.token)
		if b.selected {
			label, style = "[ "+b.label+" ]", b.token.With(themes.Bold|themes.Reverse)
		}
		from := x
		x = row.Text(x, 0, style, label) + 2
		c.buttons[i] = draw.Rect{X: row.X + from, Y: row.Y, W: x - from - 2, H: 1}
	}
	row.Fit(x+1, 0, row.W-x-1, themes.Style(themes.Dim), "← → choose · enter")
}
