package tui

import (
	"cmp"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"orrery/core/answers/change"
	"orrery/core/safe/printable"
	"orrery/views/collect"
	"orrery/views/report"
)

// reportMsg is a report to be written to a file of that name; empty makes one up.
type reportMsg struct {
	name   string
	report *report.Report
}

// commandReport writes what is shown as Markdown: what is open, the selected pod or node, the timeline and what was tried.
func (s *Screen) commandReport(name string) tea.Cmd {
	if s.frame == nil {
		s.fail(":report: nothing is shown yet")
		return nil
	}
	m, t := s.frame.Model, s.top()
	r := &report.Report{
		Source: m.Header.Source, Mode: m.Header.Mode.String(), At: s.frame.Now, Timeline: m.Timeline, Tried: s.whatIfs, WhatIf: t.answer, Comparison: t.comparison,
	}
	if m.Timeline != nil {
		r.At, r.Offset = m.Timeline.At, wholeSeconds(m.Timeline.At.Sub(m.Timeline.Start))
	}
	about := s.reported()
	if r.WhatIf == nil && r.Comparison == nil && about == (collect.Preview{}) {
		r.Health = m.Troubles(s.frame.Now)
	}
	r.Title = s.reportTitle(r, about)
	s.submit(func(p *loop) { p.fillReport(name, r, about) })
	return nil
}

// reported returns the pod or node that a report is about; nothing where a what-if, two things, or the whole cluster is shown.
func (s *Screen) reported() collect.Preview {
	switch t := s.top(); {
	case t.answer != nil, t.comparison != nil, s.onOverview() && s.selectedRow() == nil:
		return collect.Preview{}
	}
	if pod, ok := s.selectedPod(); ok {
		return collect.Preview{Pod: pod}
	}
	node, _ := s.selectedNode()
	return collect.Preview{Node: node}
}

func (s *Screen) reportTitle(r *report.Report, about collect.Preview) string {
	switch {
	case r.WhatIf != nil && r.WhatIf.Moments:
		return "Between " + r.WhatIf.Before + " and " + r.WhatIf.After
	case r.WhatIf != nil:
		return "What if: " + r.WhatIf.Tried
	case r.Comparison != nil:
		return r.Comparison.A + " and " + r.Comparison.B
	case about.Pod.Name != "":
		return "Pod " + printable.Text(about.Pod.String())
	case about.Node != "":
		return "Node " + printable.Text(about.Node)
	}
	return cmp.Or(r.Source, "the cluster")
}

// fillReport adds what the engine knows of the pod or node, and the commands that repeat the answers, and sends the report.
func (p *loop) fillReport(name string, r *report.Report, about collect.Preview) {
	query := collect.Query{Preview: about}
	if p.playback != nil {
		query.Past = p.playback
	}
	e := p.source.Engine()
	r.Release = e.Features().Release().String()
	if beside := p.collector.PreviewOf(e, query); beside != nil {
		r.Explain, r.Journey, r.Node = beside.Explain, beside.Journey, beside.Node
	}
	if r.WhatIf != nil && r.WhatIf.Command != "" {
		r.Commands = append(r.Commands, r.WhatIf.Command)
	}
	_, again := p.source.WhatIfCommand(nil)
	if explain, is := strings.CutPrefix(strings.TrimSpace(again), "orrery whatif"); is && about.Pod.Name != "" {
		r.Commands = append(r.Commands, "orrery explain"+printable.Text(explain)+" "+change.ShellWord(printable.Text(about.Pod.String())))
	}
	for _, tried := range r.Tried {
		if tried != r.WhatIf {
			r.Commands = append(r.Commands, tried.Command)
		}
	}
	p.send(reportMsg{name, r})
}

// saveReport writes a report to a new file, says where it is, and copies that.
func (s *Screen) saveReport(msg reportMsg) tea.Cmd {
	folder, terminal := s.options.Folder, s.options.Terminal
	return func() tea.Msg {
		path, err := saveNew(folder, msg.name, ".md", report.Markdown(msg.report))
		if err != nil {
			return failedMsg{err}
		}
		if whole, err := filepath.Abs(path); err == nil {
			path = whole
		}
		copied, _ := terminal.Copy(path)
		return savedMsg{path: path, also: copied}
	}
}

// savedMsg says where a file is, and what copies that.
type savedMsg struct {
	path string
	also tea.Cmd
}

// saved says where a file is, and copies that.
func (s *Screen) fileSaved(msg savedMsg) tea.Cmd {
	s.setStatus("saved " + printable.Line(msg.path, 300))
	return msg.also
}
