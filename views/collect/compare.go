package collect

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/answers/diagnose"
	"orrery/core/safe/plural"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
	"orrery/views"
)

// sides collects the rows of a comparison.
type sides struct{ *views.Comparison }

func newSides(kind, a, b string, at time.Time) sides {
	return sides{&views.Comparison{Kind: kind, A: printable.Text(a), B: printable.Text(b), At: at}}
}

func (s sides) heading(name string) {
	s.List.Rows = append(s.List.Rows, views.CompareRow{Name: name, Heading: true})
}

func (s sides) add(name, a, b string) {
	if a == "" && b == "" {
		return
	}
	r := views.CompareRow{Name: printable.Text(name), A: printable.Text(a), B: printable.Text(b), Same: a == b}
	if !r.Same {
		s.Differ++
	}
	s.List.Rows = append(s.List.Rows, r)
}

// done drops headings without rows.
func (s sides) done() *views.Comparison {
	rows := s.List.Rows[:0]
	for i, r := range s.List.Rows {
		if next := i + 1; r.Heading && (next == len(s.List.Rows) || s.List.Rows[next].Heading) {
			continue
		}
		rows = append(rows, r)
	}
	s.List.Rows, s.List.Total = rows, len(rows)
	return s.Comparison
}

// CompareNodes compares two nodes: what they have, whose pods they run, and what each plugin says of them for the pod that has been
// pending for the longest.
func (c *Collector) CompareNodes(e *engine.Engine, a, b string) (*views.Comparison, error) {
	c.nodes.refresh(e, presentNodes{e})
	var details [2]*views.NodeDetail
	var nodes [2]*v1.Node
	for i, name := range [...]string{a, b} {
		if details[i] = c.nodeDetail(e, Query{Node: name}); details[i] == nil {
			return nil, fmt.Errorf("comparing nodes: there is no node %q at this moment", printable.Line(name, 80))
		}
		nodes[i] = e.Store().Node(name)
	}
	s, x, y := newSides("nodes", a, b, e.Now()), details[0], details[1]
	s.heading("requested")
	pairs(s, x.Resources, y.Resources, func(r views.Resource) (string, string) { return r.Name, r.Used + " of " + r.Most })
	s.heading("node")
	s.add("zone", x.Row.Zone, y.Row.Zone)
	s.add("state", x.Row.Flags.Words(), y.Row.Flags.Words())
	pairs(s, x.Facts, y.Facts, func(f views.Fact) (string, string) { return f.Name, f.Value })
	s.heading("labels")
	compareLabels(s, nodes[0].Labels, nodes[1].Labels)
	s.heading("pods by owner")
	pairs(s, x.Owners, y.Owners, func(o views.NodeOwner) (string, string) {
		return o.Name, plural.Count(o.Pods, "pod") + ", " + o.CPU + " cpu, " + o.Memory
	})
	c.compareVerdicts(e, s, a, b)
	return s.done(), nil
}

// pairs adds the rows of two lists of which the names are the same in one row each.
func pairs[T any](s sides, a, b []T, of func(T) (name, value string)) {
	values := map[string]string{}
	for i := range b {
		name, value := of(b[i])
		values[name] = value
	}
	for i := range a {
		name, value := of(a[i])
		s.add(name, value, values[name])
		delete(values, name)
	}
	for i := range b {
		if name, value := of(b[i]); values[name] != "" {
			s.add(name, "", value)
		}
	}
}

// compareLabels adds the labels that differ, and how many are the same.
func compareLabels(s sides, a, b map[string]string) {
	keys := maps.Clone(a)
	if keys == nil {
		keys = map[string]string{}
	}
	maps.Copy(keys, b)
	same := 0
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if a[key] == b[key] {
			same++
			continue
		}
		s.add(key, a[key], b[key])
	}
	if same > 0 {
		s.add("the same in both", strconv.Itoa(same), strconv.Itoa(same))
	}
}

// compareVerdicts adds what each Filter plugin says of both nodes for the pod that has been pending for the longest.
func (c *Collector) compareVerdicts(e *engine.Engine, s sides, a, b string) {
	p := c.longest.of(e)
	if p == nil {
		return
	}
	ref := world.PodRefOf(p.Pod())
	d, err := diagnose.Ask(e, ref, diagnose.Question{Now: true})
	if err != nil {
		return // the pod is gone meanwhile
	}
	s.heading("for " + printable.Text(ref.String()) + ", pending")
	said := func(node string) map[string]string {
		words := map[string]string{}
		for i := range d.Nodes {
			if d.Nodes[i].Node != node {
				continue
			}
			for _, status := range d.Nodes[i].Statuses {
				words[status.Plugin] = "✓ passes"
				if status.Code != fwk.Success && status.Code != fwk.Skip {
					words[status.Plugin] = "✗ " + strings.Join(status.Reasons, ", ")
				}
			}
		}
		return words
	}
	x, y := said(a), said(b)
	for _, plugin := range filtersOf(d.Explanation) {
		s.add(plugin, x[plugin], y[plugin])
	}
}

// ComparePods compares two pods: their facts and labels, and their journeys on one axis of time.
func (c *Collector) ComparePods(e *engine.Engine, a, b world.PodRef) (*views.Comparison, error) {
	var journeys [2]*views.Journey
	var pods [2]*v1.Pod
	for i, ref := range [...]world.PodRef{a, b} {
		pods[i] = e.Store().Pod(ref.Namespace, ref.Name)
		if pods[i] == nil {
			return nil, fmt.Errorf("comparing pods: there is no pod %q at this moment", printable.Line(ref.String(), 80))
		}
		journeys[i] = c.journey(e, Query{Pod: ref, Rows: previewAllSteps})
	}
	s, x, y := newSides("pods", a.String(), b.String(), e.Now()), journeys[0], journeys[1]
	s.heading("pod")
	s.add("state", x.State.Word(), y.State.Word())
	age := func(j *views.Journey) string { return e.Now().Sub(j.Created).Round(time.Second).String() }
	s.add("age", age(x), age(y))
	s.add("attempts", strconv.Itoa(x.Attempts), strconv.Itoa(y.Attempts))
	s.add("queued", x.QueuedFor.Round(time.Millisecond).String(), y.QueuedFor.Round(time.Millisecond).String())
	s.add("why", outcomeOf(x), outcomeOf(y))
	pairs(s, x.Facts, y.Facts, func(f views.Fact) (string, string) { return f.Name, f.Value })
	s.heading("labels")
	compareLabels(s, pods[0].Labels, pods[1].Labels)
	s.heading("journeys")
	compareJourneys(s, x.Steps.Rows, y.Steps.Rows)
	return s.done(), nil
}

// outcomeOf is the note of the last step that has one.
func outcomeOf(j *views.Journey) string {
	for _, step := range j.Steps.Rows {
		if step.Note != "" {
			return step.Note
		}
	}
	return ""
}

// compareJourneys adds the steps of both pods in the order of time, each at its time since the first of all.
func compareJourneys(s sides, a, b []views.JourneyStep) {
	slices.Reverse(a)
	slices.Reverse(b)
	var first time.Time
	for len(a)+len(b) > 0 {
		left := len(b) == 0 || len(a) > 0 && !b[0].At.Before(a[0].At)
		side := &b
		if left {
			side = &a
		}
		step := (*side)[0]
		*side = (*side)[1:]
		if first.IsZero() {
			first = step.At
		}
		text := step.From.Short() + " → " + string(step.To.Glyph()) + " " + step.To.Short() + "  " + step.Event
		row := views.CompareRow{Name: "+" + step.At.Sub(first).Round(time.Millisecond).String(), A: text}
		if !left {
			row.A, row.B = "", text
		}
		s.List.Rows = append(s.List.Rows, row)
	}
}
