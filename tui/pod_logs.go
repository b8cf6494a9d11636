package tui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"

	"orrery/core/operator/actions"
	"orrery/core/operator/logs"
	"orrery/core/safe/printable"
	"orrery/core/world"
	"orrery/views/draw"
)

// readTimeout limits how long reading logs or events may take.
//
//orrery:limit screen; the wait for a pod's logs or events; an error
const readTimeout = 10 * time.Second

// readBindings read of a pod what the scheduler does not know.
var readBindings = []binding{
	{
		name: "logs", keys: []string{"ctrl+l"}, label: "ctrl+l", short: "logs", long: "the last lines that the pod's containers wrote, from the cluster", group: inspectKeys, hint: 18,
		disabled: (*Screen).cannotReadPod, run: readsPod("logs", readLogs), where: onPods,
	},
	{
		name: "events", keys: []string{"ctrl+e"}, label: "ctrl+e", short: "events", long: "the events about the pod, from the cluster", group: inspectKeys, hint: 19,
		disabled: (*Screen).cannotReadPod, run: readsPod("events", readEvents), where: onPods,
	},
}

func (s *Screen) cannotReadPod() string {
	switch _, ok := s.selectedPod(); {
	case !ok:
		return "no pod is selected"
	case s.frame == nil || s.frame.Context == "":
		return "logs and events are read from a cluster, and this is none"
	}
	return ""
}

// podReader reads something of a pod, of which the scheduler knows what pod has, as a page as wide as the screen.
type podReader func(ctx context.Context, client kubernetes.Interface, ref world.PodRef, pod *v1.Pod, columns int) (*page, error)

// readsPod makes the function of a key that reads something of the selected pod from the cluster, off the loop's goroutine.
func readsPod(what string, read podReader) func(*Screen, string) tea.Cmd {
	return func(s *Screen, _ string) tea.Cmd {
		ref, _ := s.selectedPod()
		name, columns := printable.Line(ref.String(), 120), s.w-6
		s.submit(func(p *loop) {
			if p.live == nil {
				return // another source is shown since
			}
			client, pod := p.live.Executor().Client, p.source.Engine().Store().Pod(ref.Namespace, ref.Name)
			p.report("reading " + what + " of " + name + " …")
			p.spawn(func() {
				ctx, cancel := context.WithTimeout(context.Background(), readTimeout)
				defer cancel()
				read, err := read(ctx, client, ref, pod, columns)
				if err != nil {
					read = problemPage(err, columns)
				}
				read.title, read.plain = what+" of "+name, true
				p.send(pageMsg{read})
			})
		})
		return nil
	}
}

// problemPage says why nothing could be read. A missing rule is written as in a role.
func problemPage(err error, columns int) *page {
	p := &page{}
	p.wrap("✗ "+printable.Line(err.Error(), 2000), columns)
	if refused := (*actions.ForbiddenError)(nil); errors.As(err, &refused) {
		p.lines = append(p.lines, "", "rules:")
		p.lines = append(p.lines, printableLines(actions.YAML([]actions.Rule{refused.Rule}))...)
	}
	return p
}

func readLogs(ctx context.Context, client kubernetes.Interface, _ world.PodRef, pod *v1.Pod, columns int) (*page, error) {
	if pod == nil {
		return nil, errors.New("there is no such pod at this moment")
	}
	all, err := logs.Of(ctx, client, pod)
	if err != nil {
		return nil, err
	}
	p := &page{}
	for i, log := range all {
		if i > 0 {
			p.lines = append(p.lines, "")
		}
		p.lines = append(p.lines, "── "+log.Container+" ──")
		switch {
		case log.Problem != "":
			p.wrap("✗ "+log.Problem, columns)
		case len(log.Lines) == 0:
			p.lines = append(p.lines, "it has written nothing")
		}
		for _, line := range log.Lines {
			p.wrap(line, columns)
		}
		p.copied += strings.Join(log.Lines, "\n") + "\n"
	}
	p.atEnd = true
	return p, nil
}

func readEvents(ctx context.Context, client kubernetes.Interface, ref world.PodRef, _ *v1.Pod, columns int) (*page, error) {
	all, err := logs.EventsOf(ctx, client, ref)
	if err != nil {
		return nil, err
	}
	p := &page{}
	if len(all) == 0 {
		p.lines = append(p.lines, "there are no events about it; API servers keep them for an hour")
	}
	for _, e := range all {
		sign, times := "·", ""
		if e.Warning {
			sign = "≥"
		}
		if e.Count > 1 {
			times = " ×" + strconv.Itoa(e.Count)
		}
		line := fmt.Sprintf("%s %s %s%s (%s)  %s", sign, e.At.UTC().Format(time.DateTime), cmp.Or(e.Reason, "no reason"), times, cmp.Or(e.From, "unknown"), e.Message)
		p.copied += line + "\n"
		p.wrap(line, columns)
	}
	return p, nil
}

// wrap adds a line, on as many as it takes; the further ones are indented.
func (p *page) wrap(line string, columns int) {
	const indent = "    "
	for columns = max(columns, 20); draw.Width(line) > columns; {
		cut := 0
		for at := range line {
			if draw.Width(line[:at]) > columns {
				break
			}
			cut = at
		}
		p.lines, line = append(p.lines, line[:cut]), indent+line[cut:]
	}
	p.lines = append(p.lines, line)
}
