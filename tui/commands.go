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

	"orrery/core/engine"
	"orrery/core/world"
	"orrery/themes"
	"orrery/views"
	"orrery/views/collect"
)

// commandWords are the words that are no keys.
var commandWords = slices.Concat(paneWords(), []word{
	{name: "goto", wants: "time", does: "a moment: 01:30, 90s, +10s, -10s, 50%, or a time of day", do: (*Screen).commandGoto},
	{name: "speed", wants: "factor", does: "how fast it plays: 0.1 to max", do: (*Screen).commandSpeed, offers: fixed("0.1", "0.5", "1", "2", "5", "10", "100", "max")},
	{name: "pod", wants: "name", does: "a pod's journey", do: commandPod(views.JourneyPane), offers: named("pod", collect.PodNames)},
	{name: "explain", wants: "[pod]", does: "why a pod is where it is", do: commandPod(views.ExplainPane), offers: named("pod", collect.PodNames)},
	{name: "node", wants: "name", does: "a node and what is on it", do: (*Screen).commandNode, offers: named("node", collect.NodeNames)},
	{name: "theme", wants: "[name]", does: "the colours", do: (*Screen).commandTheme, offers: func(s *Screen, typed string) []string { return fixed(s.themeNames()...)(s, typed) }},
	{name: "filter", wants: "[words]", does: "narrow the list, as / does", do: (*Screen).commandFilter},
	{name: "sort", wants: "[column]", does: "sort the list", do: (*Screen).commandSort, offers: func(s *Screen, typed string) []string { return fixed(collect.Sorts(s.top().pane)...)(s, typed) }},
	{name: "whatif", wants: "change", does: "try a change on a copy: cordon NODE, drain NODE, add 3 nodes like NODE, …", do: (*Screen).commandWhatIf, offers: changeOffers},
	{name: "save", wants: "file", does: "the screen, as a picture if the name ends in .svg, else as text", do: (*Screen).commandSave},
})

// paneWords open panes by name.
func paneWords() []word {
	list := []word{{name: "overview", does: "all panes at once", do: func(s *Screen, _ string) tea.Cmd { s.jump(views.Overview); return nil }}}
	for _, p := range views.Panes() {
		if p.Digit >= '1' && p.Digit <= '9' {
			list = append(list, word{name: strings.ToLower(p.Title), does: "the pane", do: func(s *Screen, _ string) tea.Cmd { s.jump(p.ID); return nil }})
		}
	}
	return list
}

// fixed offers those of some words that begin as what was typed.
func fixed(words ...string) func(*Screen, string) []string {
	return func(_ *Screen, typed string) []string {
		return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return !strings.HasPrefix(w, typed) })
	}
}

func (s *Screen) commandSpeed(rest string) tea.Cmd {
	if why := s.cannotPlay(); why != "" {
		s.say(":speed: " + why)
		return nil
	}
	times, err := strconv.ParseFloat(strings.TrimSuffix(rest, "x"), 64)
	if rest == "max" {
		times, err = math.Inf(1), nil
	}
	if err != nil || !(times > 0) {
		s.say(":speed wants a number such as 2 or 0.5, or max; " + strconv.Quote(rest) + " is neither")
		return nil
	}
	s.play(func(b Playback) error { b.SetSpeed(times); return nil })
	return nil
}

func (s *Screen) commandGoto(rest string) tea.Cmd {
	if why := s.cannotPlay(); why != "" {
		s.say(":goto: " + why)
		return nil
	}
	t := s.frame.Model.Timeline
	at, err := momentOf(rest, t.Start, t.End, t.At)
	if err != nil {
		s.say(":goto: " + err.Error())
		return nil
	}
	s.play(func(b Playback) error { return b.SeekTo(at) })
	return nil
}

// momentOf reads a time as people say it: into the recording, from here, as a part of it, or of the day.
func momentOf(text string, start, end, now time.Time) (time.Time, error) {
	if part, ok := strings.CutSuffix(text, "%"); ok {
		if f, err := strconv.ParseFloat(part, 64); err == nil && f >= 0 && f <= 100 {
			return start.Add(time.Duration(f / 100 * float64(end.Sub(start)))), nil
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
			return start.Add(time.Duration(m)*time.Minute + time.Duration(s*float64(time.Second))), nil
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
	return time.Time{}, fmt.Errorf("%q is no time: say 01:30, 90s, +10s, -10s, 50%% or a time of day such as 09:01:30", text)
}

// openMsg has a place opened that the pump has found.
type openMsg struct{ place place }

// commandPod opens a pane about a pod. It is found by its name alone if only one has it.
func commandPod(pane views.PaneID) func(*Screen, string) tea.Cmd {
	return func(s *Screen, rest string) tea.Cmd {
		if pod, ok := s.selectedPod(); rest == "" && ok {
			s.enter(place{pane: pane, pod: pod})
			return nil
		}
		s.order(func(p *pump) {
			pod, err := findPod(p.source.Engine(), rest)
			if err != nil {
				p.regret(err)
				return
			}
			p.tell(openMsg{place{pane: pane, pod: pod}})
		})
		return nil
	}
}

// findPod finds a pod by namespace and name, or by a name that only one has.
func findPod(e *engine.Engine, name string) (world.Ref, error) {
	if name == "" {
		return world.Ref{}, errors.New("no pod is selected")
	}
	if ref, ok := refOf(name); ok {
		if e.Store().Pod(ref.Namespace, ref.Name) == nil {
			return world.Ref{}, fmt.Errorf("there is no pod %.80q at this moment", name)
		}
		return ref, nil
	}
	var found []world.Ref
	for o := range e.Store().Objects(world.Pod) {
		if o.GetName() == name {
			found = append(found, world.Ref{Namespace: o.GetNamespace(), Name: name})
		}
	}
	switch len(found) {
	case 0:
		return world.Ref{}, fmt.Errorf("there is no pod %.80q in any namespace at this moment", name)
	case 1:
		return found[0], nil
	}
	return world.Ref{}, fmt.Errorf("%d pods are called %.80q: say the namespace too, as in %s", len(found), name, found[0])
}

func (s *Screen) commandNode(rest string) tea.Cmd {
	s.order(func(p *pump) {
		if p.source.Engine().Store().Node(rest) == nil {
			p.regret(fmt.Errorf("there is no node %.80q at this moment", rest))
			return
		}
		p.tell(openMsg{place{pane: views.NodePane, node: rest}})
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
		s.say(":theme: there is no " + strconv.Quote(rest) + "; there are " + strings.Join(s.themeNames(), ", "))
		return nil
	}
	s.chosen = true
	s.wear(s.options.Themes[i])
	return nil
}

func (s *Screen) commandFilter(rest string) tea.Cmd {
	if !slices.Contains(narrowed, s.top().pane) {
		s.say(":filter: this pane has no list to narrow")
		return nil
	}
	if err := s.filterTo(rest); err != nil {
		s.say(":filter: " + err.Error())
		return nil
	}
	s.words.filter = rest
	return nil
}

func (s *Screen) commandSort(rest string) tea.Cmd {
	switch orders := collect.Sorts(s.top().pane); {
	case rest == "" && len(orders) > 0:
		s.sortNext()
	case slices.Contains(orders, rest):
		n := s.top().narrow
		n.sort = rest
		s.narrowTo(n)
	case len(orders) == 0:
		s.say(":sort: " + s.unsortable())
	default:
		s.say(":sort: this list can be sorted by " + strings.Join(orders, ", "))
	}
	return nil
}
