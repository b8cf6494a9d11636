package app

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"orrery/core/answers/change"
	"orrery/core/answers/diagnose"
	"orrery/core/answers/fix"
	"orrery/core/safe/printable"
	"orrery/core/world"
)

// gangsDocument is the result of explain for a workload: its gangs.
type gangsDocument struct {
	envelope
	Trace    string          `json:"trace"`
	At       moment          `json:"at"`
	Workload podRef          `json:"workload"`
	Gangs    []gangDocument  `json:"gangs"`
	Source   *sourceDocument `json:"source,omitempty"`
	// Leader is whether a scheduler leads; nil if that is not known.
	Leader *leaderDocument `json:"leader,omitempty"`
	Damage *damageDocument `json:"damage,omitempty"`

	at       time.Time
	fallback string
}

// gangDocument is a diagnose.Gang, with what its remedies do.
type gangDocument struct {
	*diagnose.Gang
	Summary  string       `json:"summary"`
	Remedies []gangRemedy `json:"remedies"`
}

// gangRemedy is changes that let a gang go, tried as their command is run.
type gangRemedy struct {
	Change string `json:"change"`
	Text   string `json:"text"`
	// Effect is the verdict on all that follows, and Command evaluates it.
	Effect  string `json:"effect"`
	Command string `json:"command"`
}

// workloadArgument returns the workload, and perhaps the group and replica, that an argument names, as in workload/train.
func workloadArgument(arg string) (name string, ok bool) {
	kind, name, _ := strings.Cut(arg, "/")
	return name, (kind == "workload" || kind == "workloads") && name != ""
}

// explainWorkload explains the gangs of a workload, or the one of them that is named with its group.
func explainWorkload(s *openedAt, namespace, asked string) (*gangsDocument, error) {
	name, group, _ := strings.Cut(asked, "/")
	if s.Engine().Unread(world.Workload) {
		return nil, fmt.Errorf("explaining workload %q: there is no right to list %s", name, world.Workload.Resource().GroupResource())
	}
	if err := checkNamespace(s, namespace); err != nil {
		return nil, err
	}
	namespace, err := findWorkload(s, namespace, name)
	if err != nil {
		return nil, err
	}
	doc := &gangsDocument{
		envelope: document("Gangs"), Trace: s.trace, At: momentOf(s.at), Workload: podRef{Namespace: namespace, Name: name}, Gangs: []gangDocument{},
		Source: s.source, Leader: s.leader, Damage: s.damage, at: s.at,
	}
	if s.fallback {
		doc.fallback = s.fallbackText()
	}
	for _, key := range diagnose.GangsOf(s.Engine(), namespace, name) {
		if of := key.String(); group != "" && of != asked && !strings.HasPrefix(of, asked+"/") {
			continue
		}
		g, err := diagnose.GangOf(s.Engine(), key)
		if err != nil {
			return nil, err
		}
		if g == nil {
			continue
		}
		d, err := newGang(s, g)
		if err != nil {
			return nil, err
		}
		doc.Gangs = append(doc.Gangs, *d)
	}
	if len(doc.Gangs) == 0 {
		return nil, fmt.Errorf("workload %q in namespace %q has no gang%s, or the scheduler's feature gate GangScheduling is off", name, namespace, ofGroup(group))
	}
	return doc, nil
}

func ofGroup(group string) string {
	if group == "" {
		return ""
	}
	return fmt.Sprintf(" %q", group)
}

// findWorkload returns the namespace of a workload: the given one, or the default one, or the only one that has it.
func findWorkload(s *openedAt, namespace, name string) (string, error) {
	var where, known []string
	add := func(in, workload string) {
		if namespace != "" && in != namespace {
			return
		}
		if known = append(known, workload); workload == name && !slices.Contains(where, in) {
			where = append(where, in)
		}
	}
	for o := range s.Engine().Store().Objects(world.Workload) {
		add(o.GetNamespace(), o.GetName())
	}
	for _, key := range s.Engine().Gangs().Keys() { // pods may name one that does not exist
		add(key.Namespace, key.Workload)
	}
	slices.Sort(where)
	switch {
	case len(where) == 0:
		return "", fmt.Errorf("at %s of %s there is no workload %q%s", timeText(s.at), s.trace, name, suggestion(name, known))
	case slices.Contains(where, "default"):
		return "default", nil
	case len(where) > 1:
		return "", fmt.Errorf("there are %d workloads called %q: name one of the namespaces %q with -n", len(where), name, where[:min(len(where), 5)])
	}
	return where[0], nil
}

// newGang converts a gang's diagnosis, and evaluates its remedies with all that follows.
func newGang(s *openedAt, g *diagnose.Gang) (*gangDocument, error) {
	e, err := engineAt(s)
	if err != nil {
		return nil, err
	}
	doc := &gangDocument{Gang: g, Remedies: []gangRemedy{}}
	for _, f := range fix.OfGang(e, g) {
		doc.Remedies = append(doc.Remedies, gangRemedy{
			Change: change.Words(f.Changes), Text: f.Text, Effect: f.Effect, Command: whatIfCommandFor(s.again, f.Changes...),
		})
	}
	doc.Summary = g.Summary()
	return doc, nil
}

func (d *gangsDocument) text(w io.Writer) {
	if d.fallback != "" {
		fmt.Fprintf(w, "(%s)\n", d.fallback)
	}
	if none := d.Leader.none(); none != "" && !d.yes() {
		fmt.Fprintln(w, printable.Line(none, 400))
	}
	for i := range d.Gangs {
		if i > 0 {
			fmt.Fprintln(w)
		}
		g := &d.Gangs[i]
		fmt.Fprintf(w, "%s\n  %s\n", printable.Line("gang "+g.Name, 200), printable.Line(g.Summary, 500))
		g.text(w)
	}
	d.Source.text(w)
}

// text writes how far the gang is, and what lets it go.
func (d *gangDocument) text(w io.Writer) {
	if d == nil {
		return
	}
	var lines [][]string
	for _, line := range d.Lines() {
		lines = append(lines, []string{printable.Line(line, 600)})
	}
	section(w, "Gang", lines)
	section(w, "Tried on a copy, each alone lets the gang go", d.remedyLines())
}

func (d *gangDocument) remedyLines() [][]string {
	var lines [][]string
	for i := range d.Remedies {
		r := &d.Remedies[i]
		lines = append(lines, []string{printable.Line(r.Text, 300) + ": " + printable.Line(r.Effect, 300)}, []string{"  " + printable.Line(r.Command, 2000)})
	}
	return lines
}

func (d *gangsDocument) askedAt() time.Time { return d.at }

func (d *gangsDocument) yes() bool {
	return !slices.ContainsFunc(d.Gangs, func(g gangDocument) bool { return g.Held() })
}

func (d *gangsDocument) settled() bool { return d.yes() }

func (d *gangsDocument) damaged() bool { return d.Damage != nil }

func (d *gangsDocument) gist() string {
	var text strings.Builder
	text.WriteString(d.Leader.none())
	for i := range d.Gangs {
		text.WriteString(d.Gangs[i].gist())
	}
	return text.String()
}

// gist is how far the gang is: not for how long.
func (d *gangDocument) gist() string {
	if d == nil {
		return ""
	}
	return fmt.Sprintln(d.Name, d.State, d.Placed, d.Deadline, d.Summary, d.Counts, d.remedyLines())
}
