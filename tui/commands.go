package tui

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"orrery/core/objects/saturating"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
	"orrery/themes"
	"orrery/views"
	"orrery/views/collect"
)

// baseCommands are the commands without a key.
var baseCommands = slices.Concat(paneCommands(), planCommands, []command{
	{name: "goto", argument: "time", help: "a moment: 01:30, 90s, +10s, -10s, 50%, or a time of day", run: (*Screen).commandGoto},
	{name: "demo", argument: "[recording]", help: "play another recording; without a name, list them", run: (*Screen).commandDemo, complete: storyCompletions, about: storyTitle},
	{name: "speed", argument: "factor", help: "how fast it plays: 0.1 to max", run: (*Screen).commandSpeed, complete: oneOf("0.1", "0.5", "1", "2", "5", "10", "100", "max")},
	{name: "pod", argument: "[name]", help: "a pod's journey; without a name, all pods", run: commandPod(views.JourneyPane), complete: namesFromEngine("pod", collect.PodNames)},
	{name: "explain", argument: "[pod]", help: "why a pod is where it is", run: commandPod(views.ExplainPane), complete: namesFromEngine("pod", collect.PodNames)},
	{name: "node", argument: "[name]", help: "a node and what is on it; without a name, all nodes", run: (*Screen).commandNode, complete: namesFromEngine("node", collect.NodeNames)},
	{name: "theme", argument: "[name]", help: "the colours", run: (*Screen).commandTheme, complete: func(s *Screen, typed string) []string { return oneOf(s.themeNames()...)(s, typed) }},
	{name: "find", argument: "[name]", help: "anything by a part of its name, as ctrl+k does", run: func(s *Screen, rest string) tea.Cmd { s.openFinder(rest); return nil }},
	{name: "filter", argument: "[words]", help: "filter the list, as / does", run: (*Screen).commandFilter, complete: filterCompletions},
	{name: "columns", argument: "[names]", help: "show only some columns of the list, as in columns state, pod; without names, all", run: (*Screen).commandColumns, complete: columnCompletions},
	{name: "sort", argument: "[column]", help: "sort the list", run: (*Screen).commandSort, complete: func(s *Screen, typed string) []string { return oneOf(pane(s.top().pane).Sorts()...)(s, typed) }},
	{name: "whatif", argument: "change", help: "try a change on a copy, as in cordon NODE, drain NODE or add 3 nodes like NODE", run: (*Screen).commandWhatIf, complete: whatIfCompletions},
	{name: "report", argument: "[file]", help: "what is shown as Markdown: the verdict, the evidence, the timeline, what was tried, and the commands that repeat it", run: (*Screen).commandReport},
	{name: "save", argument: "file", help: "the screen, as a picture if the name ends in .svg, a report if in .md, else as text; of an attached scheduler a trace, if it ends in .orrery", run: (*Screen).commandSave},
})

// paneCommands are the commands that open a pane by name.
func paneCommands() []command {
	list := []command{{name: "overview", help: "all panes at once", run: func(s *Screen, _ string) tea.Cmd { s.openPane(views.Overview); return nil }}}
	for _, p := range views.Panes() {
		if p.Help != "" {
			list = append(list, paneCommand(string(p.ID), p))
		}
	}
	for _, also := range []struct {
		name string
		id   views.PaneID
	}{
		{"pvc", views.StoragePane},
		{"pv", views.VolumesPane},
		{"resourceslices", views.DevicesPane},
		{"dev", views.DevicesPane},
		{"claims", views.DeviceClaimsPane},
		{"gangs", views.GangsPane},
		{"workloads", views.GangsPane},
		{"wl", views.GangsPane},
		{"podgroups", views.GangsPane},
		{"pg", views.GangsPane},
	} { // as in k9s
		list = append(list, paneCommand(also.name, pane(also.id)))
	}
	return list
}

// filterArgument is the argument of a pane whose list can be filtered, but not by namespace.
const filterArgument = "[/filter]"

// paneCommand opens a pane. As in k9s, "/" and a filter may follow where the pane has a list, labels, or a namespace where that is one
// of pods, or the name of a gang, which has a slash, where it is one of gangs. As in kubectl, -l and labels may follow.
func paneCommand(name string, p *views.Pane) command {
	c := command{name: name, help: p.Help, pane: true, run: func(s *Screen, rest string) tea.Cmd {
		s.openPane(p.ID)
		if filter, is := filterIn(rest); is {
			return s.commandFilter(filter)
		}
		switch {
		case rest == "":
			return nil
		case p.ID == views.GangsPane && strings.Contains(rest, "/"):
			return s.commandFilter("-g " + rest)
		}
		return s.commandNamespace(rest)
	}}
	switch {
	case p.ID == views.GangsPane:
		c.argument, c.complete = "[namespace, gang or /filter]", filterOr(namesFromEngine("gangs", namespacesAndGangs))
	case p.Namespaced():
		c.argument, c.complete = "[namespace or /filter]", filterOr(namespaceCompletions)
	case p.Filters():
		c.argument, c.complete = filterArgument, filterCompletions
	}
	return c
}

// filterIn returns the filter in what follows the name of a pane: after a slash, labels as in kubectl, or as in k9s. No name of a namespace
// or a gang begins with a dash or has an equals sign in it.
func filterIn(rest string) (filter string, is bool) {
	if after, is := strings.CutPrefix(rest, "/"); is {
		return after, true
	}
	if strings.HasPrefix(rest, "-") {
		return rest, true
	}
	return "-l " + rest, strings.Contains(rest, "=")
}

func isFilter(rest string) bool {
	_, is := filterIn(rest)
	return is
}

// ViewNames returns the panes that can be open at first.
func ViewNames() []string {
	names := []string{"overview"}
	for _, p := range views.Panes() {
		if p.Help != "" && p.About == views.AboutAll {
			names = append(names, string(p.ID))
		}
	}
	return names
}

// ViewNamed returns the pane of a name of ViewNames.
func ViewNamed(name string) (views.PaneID, bool) {
	if name == "overview" || name == "" {
		return views.Overview, true
	}
	return views.PaneID(name), slices.Contains(ViewNames(), name)
}

// oneOf completes with those of some words that start with what was typed.
func oneOf(words ...string) func(*Screen, string) []string {
	return func(_ *Screen, typed string) []string {
		return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return !strings.HasPrefix(w, typed) })
	}
}

func (s *Screen) commandSpeed(rest string) tea.Cmd {
	if why := s.cannotPlay(); why != "" {
		s.fail(":speed: " + why)
		return nil
	}
	times, err := strconv.ParseFloat(strings.TrimSuffix(rest, "x"), 64)
	if rest == "max" {
		times, err = math.Inf(1), nil
	}
	if err != nil || !(times > 0) {
		s.fail(":speed wants a number such as 2 or 0.5, or max; " + strconv.Quote(printable.Line(rest, 60)) + " is neither")
		return nil
	}
	s.control(func(b Playback) error { b.SetSpeed(times); return nil })
	return nil
}

func (s *Screen) commandGoto(rest string) tea.Cmd {
	if why := s.cannotPlay(); why != "" {
		s.fail(":goto: " + why)
		return nil
	}
	t := s.frame.Model.Timeline
	at, err := parseMoment(rest, t.Start, t.End, t.At)
	if err != nil {
		s.fail(":goto: " + err.Error())
		return nil
	}
	switch {
	case at.After(t.End):
		s.setStatus(":goto " + printable.Line(rest, 60) + " is after the end: the recording is " + t.End.Sub(t.Start).Round(time.Millisecond).String() + " long")
	case at.Before(t.Start):
		s.setStatus(":goto " + printable.Line(rest, 60) + " is before the start of the recording")
	}
	s.leave(true)
	s.control(func(b Playback) error { return b.SeekTo(at) })
	return nil
}

// parseMoment parses a time: an offset from the start, an offset from now, a percentage, or a time of day.
func parseMoment(text string, start, end, now time.Time) (time.Time, error) {
	if part, ok := strings.CutSuffix(text, "%"); ok {
		if f, err := strconv.ParseFloat(part, 64); err == nil && f >= 0 && f <= 100 {
			return start.Add(time.Duration(saturating.Truncate(f / 100 * float64(end.Sub(start))))), nil
		}
	}
	if d, err := time.ParseDuration(text); err == nil {
		if text[0] == '+' || text[0] == '-' {
			return now.Add(d), nil
		}
		return start.Add(d), nil
	}
	if strings.Count(text, ":") == 1 {
		minutes, seconds, _ := strings.Cut(text, ":")
		m, err1 := strconv.Atoi(minutes)
		s, err2 := strconv.ParseFloat(seconds, 64)
		if err := errors.Join(err1, err2); err == nil && m >= 0 && s >= 0 && s < 60 {
			return start.Add(saturating.Seconds(60 * int64(min(m, math.MaxInt32)))).Add(time.Duration(s * float64(time.Second))), nil
		}
	}
	if day, err := time.Parse("15:04:05", text); err == nil {
		y, m, d := start.Date()
		at := time.Date(y, m, d, day.Hour(), day.Minute(), day.Second(), day.Nanosecond(), start.Location())
		if at.Before(start) && !at.Add(24*time.Hour).After(end) {
			at = at.Add(24 * time.Hour)
		}
		return at, nil
	}
	return time.Time{}, fmt.Errorf("%q is no time: say 01:30, 90s, +10s, -10s, 50%% or a time of day such as 09:01:30", printable.Line(text, 60))
}

// openMsg opens a pane on an object that the loop has found.
type openMsg struct{ place navEntry }

// commandPod opens a pane on a pod. The name alone is enough if it is unique.
func commandPod(pane views.PaneID) func(*Screen, string) tea.Cmd {
	return func(s *Screen, rest string) tea.Cmd {
		if pod, ok := s.selectedPod(); rest == "" && pane == views.ExplainPane && ok {
			s.push(navEntry{pane: pane, pod: pod})
			return nil
		}
		if rest == "" && pane == views.JourneyPane {
			s.openPane(views.PodsPane)
			return nil
		}
		s.submit(func(p *loop) {
			pod, err := findPod(p.source.Engine(), rest)
			if err != nil {
				p.reportError(err)
				return
			}
			p.send(openMsg{navEntry{pane: pane, pod: pod}})
		})
		return nil
	}
}

// findPod finds a pod by namespace/name, or by a name that is unique.
func findPod(e *engine.Engine, name string) (world.PodRef, error) {
	if name == "" {
		return world.PodRef{}, errors.New("no pod is selected")
	}
	if ref, ok := parseRef(name); ok {
		if e.Store().Pod(ref.Namespace, ref.Name) == nil {
			return world.PodRef{}, fmt.Errorf("there is no pod %q at this moment", printable.Line(name, 80))
		}
		return ref, nil
	}
	var found []world.PodRef
	for o := range e.Store().Objects(world.Pod) {
		if o.GetName() == name {
			found = append(found, world.PodRef{Namespace: o.GetNamespace(), Name: name})
		}
	}
	switch len(found) {
	case 0:
		return world.PodRef{}, fmt.Errorf("there is no pod %q in any namespace at this moment", printable.Line(name, 80))
	case 1:
		return found[0], nil
	}
	return world.PodRef{}, fmt.Errorf("%d pods are called %q: say the namespace too, as in %s", len(found), printable.Line(name, 80), found[0])
}

func (s *Screen) commandNode(rest string) tea.Cmd {
	if rest == "" {
		s.openPane(views.NodesPane)
		return nil
	}
	s.submit(func(p *loop) {
		if p.source.Engine().Store().Node(rest) == nil {
			p.reportError(fmt.Errorf("there is no node %q at this moment", printable.Line(rest, 80)))
			return
		}
		p.send(openMsg{navEntry{pane: views.NodePane, node: rest}})
	})
	return nil
}

func (s *Screen) themeNames() []string {
	var names []string
	for _, t := range s.options.Themes {
		names = append(names, t.Name)
	}
	return names
}

func (s *Screen) commandTheme(rest string) tea.Cmd {
	if rest == "" {
		s.nextTheme()
		return nil
	}
	i := slices.IndexFunc(s.options.Themes, func(t *themes.Theme) bool { return t.Name == rest })
	if i < 0 {
		s.fail(":theme: there is no " + strconv.Quote(printable.Line(rest, 60)) + "; there are " + strings.Join(s.themeNames(), ", "))
		return nil
	}
	s.themeChosen, s.themePicked = true, true
	s.setTheme(s.options.Themes[i])
	s.setStatus("theme " + s.theme.Name)
	return nil
}

// commandFilter filters the list on the screen, on the overview that of the focused pane, as / does.
func (s *Screen) commandFilter(rest string) tea.Cmd {
	if s.top().pane == views.Overview && pane(s.focus).Filters() {
		s.openPane(s.focus)
	}
	if !pane(s.top().pane).Filters() {
		s.fail(":filter: this pane has no list to filter")
		return nil
	}
	if err := s.setFilter(rest); err != nil {
		s.fail(":filter: " + err.Error())
		return nil
	}
	s.history.addFilter(s.top().list.filter)
	return nil
}

func (s *Screen) commandSort(rest string) tea.Cmd {
	switch orders := pane(s.top().pane).Sorts(); {
	case rest == "" && len(orders) > 0:
		s.sortNext()
	case slices.Contains(orders, rest):
		n := s.top().list
		n.sort = rest
		s.setList(n)
	case len(orders) == 0:
		s.fail(":sort: " + s.cannotSort())
	default:
		s.fail(":sort: this list can be sorted by " + strings.Join(orders, ", "))
	}
	return nil
}
