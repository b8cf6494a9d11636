package report

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"orrery/core/answers/period"
	"orrery/core/safe/plural"
)

// Period is a report of a time range: what happened in it, and where that is from. Its texts are printable.
type Period struct {
	// Title is what it is of, Source the recording, Release the modelled release, or releases.
	Title, Source, Release string
	*period.Report
	// Notes are what a reader has to know of the recording, such as its gaps.
	Notes []string
	// Command repeats the report.
	Command string
}

// Verdict is what it comes to, in one sentence.
func (p *Period) Verdict() string {
	o := &p.Objective
	target := seconds(o.Target)
	if o.Counted.Pods == 0 {
		return "No pod counts for the objective; " + plural.Count(p.Pods.Waiting, "pod") + " waiting at the end."
	}
	word := "missed"
	if o.Met {
		word = "met"
	}
	text := fmt.Sprintf("Objective %s: %s of the %s that count were bound within %s, and %s have to be.", word, share(o.Within, o.Counted.Pods), plural.Count(o.Counted.Pods, "pod"), target, percent(o.Share))
	if p.Pods.Waiting > 0 {
		text += " " + plural.Count(p.Pods.Waiting, "pod") + " waiting at the end."
	}
	return text
}

// Range is the stretch, in words.
func (p *Period) Range() string {
	return p.From.UTC().Format("2006-01-02 15:04:05") + " – " + p.To.UTC().Format("2006-01-02 15:04:05") + " UTC, " + duration(p.To.Sub(p.From))
}

// Markdown writes the report.
func (p *Period) Markdown() string {
	w := &writer{}
	w.line("# " + text(p.Title))
	w.line("")
	w.line("- source: " + code(p.Source))
	w.line("- time: " + text(p.Range()))
	w.line("- modelled release: Kubernetes " + text(p.Release))
	for _, note := range p.Notes {
		w.line("- note: " + text(note))
	}
	w.heading("Verdict")
	w.line(text(p.Verdict()))
	for _, t := range p.Tables() {
		w.heading(t.Title)
		if t.Note != "" {
			w.line(text(t.Note) + "\n")
		}
		rows := make([][]string, len(t.Rows))
		for i, row := range t.Rows {
			for j, cell := range row {
				if t.Names[j] {
					cell = code(cell)
				} else {
					cell = text(cell)
				}
				rows[i] = append(rows[i], cell)
			}
		}
		w.table(t.Head, rows)
	}
	w.commands([]string{p.Command})
	return w.String()
}

// Table is a part of the report that all formats have.
type Table struct {
	Title, Note string
	Head        []string
	// Names are the columns that hold names, and Numbers those that hold numbers.
	Names, Numbers map[int]bool
	Rows           [][]string
}

// Facts reports whether the rows are names and values, without a head.
func (t *Table) Facts() bool { return t.Head[0] == "" }

// Tables are the parts of the report that have something to say.
func (p *Period) Tables() []*Table {
	var all []*Table
	for _, t := range []*Table{p.counts(), p.objective(), p.waited(), p.preempted(), p.evicted(), p.changed()} {
		if len(t.Rows) > 0 {
			all = append(all, t)
		}
	}
	return all
}

func set(columns ...int) map[int]bool {
	is := map[int]bool{}
	for _, c := range columns {
		is[c] = true
	}
	return is
}

func (p *Period) counts() *Table {
	t := &Table{Title: "What happened", Head: []string{"", ""}, Numbers: set(1)}
	add := func(name string, n int) {
		if n > 0 {
			t.Rows = append(t.Rows, []string{name, strconv.Itoa(n)})
		}
	}
	add("pods created", p.Pods.Came)
	add("pods bound", p.Pods.Bound)
	add("pods waiting at the end", p.Pods.Waiting)
	add("pods preempted", p.Pods.Preempted)
	add("pods evicted", p.Pods.Evicted)
	for _, verdict := range []string{"placed", "unschedulable", "failed", "skipped"} {
		add("attempts "+verdict, p.Decisions[verdict])
	}
	if last := len(p.Samples) - 1; last >= 0 {
		first, end := &p.Samples[0], &p.Samples[last]
		for i := range p.Samples { // a recording begins with an empty cluster, until its lists come
			if p.Samples[i].Nodes > 0 {
				first = &p.Samples[i]
				break
			}
		}
		t.Rows = append(t.Rows,
			[]string{"nodes", fmt.Sprintf("%d → %d", first.Nodes, end.Nodes)},
			[]string{"cpu requested", percent(first.CPU) + " → " + percent(end.CPU)},
			[]string{"memory requested", percent(first.Memory) + " → " + percent(end.Memory)},
			[]string{"fragmented", percent(first.Fragmented) + " → " + percent(end.Fragmented)})
	}
	return t
}

func (p *Period) objective() *Table {
	o := &p.Objective
	t := &Table{
		Title: "Scheduling latency", Note: "From creation to binding. A pod does not count if something that is not the scheduler's kept it; the reason is named.",
		Head: []string{"pods", "number", "p50", "p90", "p99", "longest", "reason"}, Numbers: set(1, 2, 3, 4, 5),
	}
	add := func(name string, l period.Latency, why string) {
		t.Rows = append(t.Rows, []string{name, strconv.Itoa(l.Pods), seconds(l.P50), seconds(l.P90), seconds(l.P99), seconds(l.Max), why})
	}
	add("count", o.Counted, share(o.Within, o.Counted.Pods)+" within "+seconds(o.Target))
	for _, e := range o.Excluded {
		add("excluded: "+string(e.Reason), e.Latency, e.Why)
	}
	add("all", o.All, "")
	if o.Elsewhere > 0 {
		t.Rows = append(t.Rows, []string{"other schedulers", strconv.Itoa(o.Elsewhere), "", "", "", "", "in none of these numbers"})
	}
	return t
}

func (p *Period) waited() *Table {
	t := &Table{
		Title: "Who waited longest", Head: []string{"owner", "pods", "waiting", "attempts", "all together", "longest", "held by", "excluded"},
		Names: set(0), Numbers: set(1, 2, 3, 4, 5),
	}
	for i := range p.Owners {
		o := &p.Owners[i]
		t.Rows = append(t.Rows, []string{
			o.Namespace + "/" + o.Owner, strconv.Itoa(o.Pods), strconv.Itoa(o.Waiting), strconv.Itoa(o.Attempts), seconds(o.Waited), seconds(o.Longest),
			causes(o.Causes), string(o.Excluded),
		})
	}
	if p.MoreOwners > 0 {
		t.Note = plural.Count(p.MoreOwners, "owner") + " who waited less left out."
	}
	return t
}

func causes(list []period.Cause) string {
	var all []string
	for _, c := range list {
		words := c.Plugin + " " + seconds(c.Seconds)
		if c.Reason != "" {
			words += " (" + c.Reason + ")"
		}
		all = append(all, words)
	}
	return strings.Join(all, "; ")
}

func (p *Period) preempted() *Table {
	t := &Table{Title: "Pre-emptions", Head: []string{"by", "priority", "preempted", "pods", "first", "last"}, Names: set(0, 2), Numbers: set(1, 3)}
	for _, pair := range p.Preempted {
		t.Rows = append(t.Rows, []string{pair.Preemptor, strconv.Itoa(int(pair.Priority)), pair.Victim, strconv.Itoa(pair.Victims), clock(pair.First), clock(pair.Last)})
	}
	return t
}

func (p *Period) evicted() *Table {
	t := &Table{Title: "Evictions", Head: []string{"owner", "reason", "pods", "first", "last"}, Names: set(0), Numbers: set(2)}
	for _, e := range p.Evicted {
		t.Rows = append(t.Rows, []string{e.Owner, e.Reason, strconv.Itoa(e.Pods), clock(e.First), clock(e.Last)})
	}
	return t
}

func (p *Period) changed() *Table {
	t := &Table{Title: "Changes", Head: []string{"at", "what", "of"}, Names: set(2)}
	for _, c := range p.Changes {
		of := c.Of
		if c.Times > 1 {
			of += " and " + strconv.Itoa(c.Times-1) + " more"
		}
		t.Rows = append(t.Rows, []string{clock(c.At), c.What, of})
	}
	if p.MoreChanges > 0 {
		t.Note = plural.Count(p.MoreChanges, "later change") + " left out."
	}
	return t
}

func clock(t time.Time) string { return t.UTC().Format("01-02 15:04:05") }

func percent(v float64) string { return strconv.FormatFloat(100*v, 'f', 1, 64) + "%" }

// share is a part of a whole; no whole is all of it. It is not rounded up to all.
func share(part, whole int) string {
	if whole == 0 {
		return "100.0%"
	}
	per1000 := 1000 * part / whole
	return strconv.FormatFloat(float64(per1000)/10, 'f', 1, 64) + "%"
}

// seconds writes a number of seconds for people.
func seconds(s float64) string { return duration(time.Duration(s * float64(time.Second))) }

func duration(d time.Duration) string {
	switch {
	case d == 0:
		return "0s"
	case d < time.Second:
		return d.Round(100 * time.Microsecond).Truncate(time.Microsecond).String()
	case d < time.Minute:
		return d.Round(10 * time.Millisecond).String()
	case d < 24*time.Hour:
		return wholeUnits(d.Round(time.Second))
	}
	days := d / (24 * time.Hour)
	return fmt.Sprintf("%dd%s", days, wholeUnits((d - days*24*time.Hour).Round(time.Minute)))
}

// wholeUnits leaves out the seconds and minutes at the end that are zero.
func wholeUnits(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
