package app

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/answers/change"
	"orrery/core/answers/diagnose"
	"orrery/core/answers/whatif"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
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

// gangRemedy is changes that let a gang go, tried on a copy.
type gangRemedy struct {
	Change string `json:"change"`
	Text   string `json:"text"`
	// At is when enough of the gang's pods have a place.
	At moment `json:"at"`
	// Goes says that the gang has its places in the end, too; Effect is the verdict on that, and Command evaluates it.
	Goes    bool   `json:"goes"`
	Effect  string `json:"effect"`
	Command string `json:"command"`

	changes []change.Change
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
	doc := &gangDocument{Gang: g, Summary: g.Summary(), Remedies: []gangRemedy{}}
	each := make([][]change.Change, len(g.Remedies))
	for i, r := range g.Remedies {
		each[i] = r.Changes
		doc.Remedies = append(doc.Remedies, gangRemedy{
			Change: change.Words(r.Changes), Text: r.Text, At: momentOf(r.At), Command: whatIfCommandFor(s.again, r.Changes...), changes: r.Changes,
		})
	}
	if len(each) == 0 {
		return doc, nil
	}
	e, err := engineAt(s)
	if err != nil {
		return nil, err
	}
	results, errs := whatif.EvaluateEach(e, each, whatif.Options{})
	helpful := []gangRemedy{}
	for i := range doc.Remedies {
		if r := &doc.Remedies[i]; errs[i] == nil {
			r.Effect, r.Goes = results[i].Verdict(), r.goes(e, g, results[i])
			helpful = append(helpful, *r)
		}
	}
	doc.Remedies = helpful
	return doc, nil
}

// goes reports whether enough pods of the gang have a node at the end of a what-if.
func (r *gangRemedy) goes(e *engine.Engine, g *diagnose.Gang, result *whatif.Result) bool {
	least := g.MinCount
	for _, c := range r.changes {
		if c.Verb == change.SetMinCount {
			least = c.Count
		}
	}
	without := map[world.PodRef]bool{} // a pod that is not in the result has the same node with the changes and without
	for _, p := range slices.Concat(result.Pods, result.StillPending) {
		without[p.Pod] = p.With.Node == ""
	}
	placed := 0
	for _, pod := range membersOf(e, g.Name) {
		if !without[world.PodRefOf(pod)] {
			placed++
		}
	}
	return placed >= least
}

// membersOf returns the pods of a gang.
func membersOf(e *engine.Engine, name string) []*v1.Pod {
	var pods []*v1.Pod
	for _, key := range e.Gangs().Keys() {
		if key.Namespace+"/"+key.String() == name {
			for _, m := range e.Gangs().Group(key).Members() {
				pods = append(pods, m.Pod)
			}
		}
	}
	return pods
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
	section(w, "Tried on a copy, each alone lets the gang go", d.remedyLines(true))
	section(w, "Tried on a copy, each alone gives the gang its places only if other pods come later", d.remedyLines(false))
}

func (d *gangDocument) remedyLines(goes bool) [][]string {
	var lines [][]string
	for i := range d.Remedies {
		if r := &d.Remedies[i]; r.Goes == goes {
			lines = append(lines, []string{printable.Line(r.Text, 300) + ": " + printable.Line(r.Effect, 300)}, []string{"  " + printable.Line(r.Command, 2000)})
		}
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
	return fmt.Sprintln(d.Name, d.State, d.Placed, d.Deadline, d.Summary, d.Counts, d.remedyLines(true))
}
