package app

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"orrery/core/safe/printable"
	"orrery/core/scheduler/config"
	modelled "orrery/core/scheduler/release"
	"orrery/core/trace"
)

func traceInfoCommand() *cobra.Command {
	var out output
	c := &cobra.Command{
		Use:   "info TRACE",
		Short: "Say what is in a trace: times, counts, marks, digest, damage",
		Long: `Info goes through a trace without deciding anything. Of a directory it says what all segments hold, and where
records are missing between them.
` + traceHelp + `

The exit code is 1 when the trace is damaged: what was read of it is described.`,
		Example: `  orrery trace info zone-failure
  orrery trace info -o json incident.orrery | jq '.marks[].text'`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeTrace,
		RunE: func(c *cobra.Command, args []string) error {
			if isDirectory(args[0]) {
				return directoryInfo(c, out, args[0])
			}
			rec, err := openTrace(c, args[0])
			if err != nil {
				return err
			}
			defer rec.Close()
			p := newProgress(c, "reading "+rec.name)
			info, err := trace.ReadInfo(p.reading(rec, rec.size))
			p.done()
			if err != nil {
				return fmt.Errorf("reading %s: %w", rec.name, err)
			}
			doc := newTraceInfo(rec.name, &info)
			if err := out.print(c, doc, func(w io.Writer) { doc.text(w, &info) }); err != nil {
				return err
			}
			return exitFor(doc.Damage.harmless())
		},
	}
	out.addFlag(c)
	return c
}

type traceInfoDocument struct {
	envelope
	Trace         string            `json:"trace"`
	Program       string            `json:"program"`
	Description   string            `json:"description"`
	Origin        string            `json:"origin"`
	NamesHashed   bool              `json:"namesHashed"`
	Seed          uint64            `json:"seed"`
	Kubernetes    modelled.Release  `json:"kubernetes,omitzero"` // the release that it was decided as
	Configuration string            `json:"configuration,omitempty"`
	FeatureGates  []string          `json:"featureGates"` // those that are not at their defaults
	Start         moment            `json:"start"`
	First         moment            `json:"first,omitempty"`
	Last          moment            `json:"last,omitempty"`
	Seconds       float64           `json:"seconds"`
	Bytes         int64             `json:"bytes"`
	Unpacked      int64             `json:"uncompressedBytes"`
	Inputs        uint64            `json:"inputs"`
	InputsByKind  map[string]uint64 `json:"inputsByKind"`
	ListedObjects uint64            `json:"listedObjects"`
	Decisions     uint64            `json:"decisions"`
	ByVerdict     map[string]uint64 `json:"decisionsByVerdict"`
	Checkpoints   uint64            `json:"checkpoints"`
	States        uint64            `json:"states"`
	UsageReadings uint64            `json:"usageReadings"`
	Digest        string            `json:"digest,omitempty"`
	Marks         []markDocument    `json:"marks"`
	Damage        *damageDocument   `json:"damage,omitempty"`
}

type markDocument struct {
	Record uint64  `json:"record"`
	At     moment  `json:"at"`
	Offset float64 `json:"offsetSeconds"`
	Kind   string  `json:"kind"`
	Pod    *podRef `json:"pod,omitempty"`
	Text   string  `json:"text"`

	offset time.Duration
}

func newTraceInfo(name string, i *trace.Info) traceInfoDocument {
	h := i.Header
	doc := traceInfoDocument{
		envelope: document("TraceInfo"), Trace: name, Program: h.Program, Description: h.Description, Origin: string(h.Origin),
		NamesHashed: h.NamesHashed, Seed: h.Seed, Kubernetes: h.Kubernetes, Configuration: h.Configuration, FeatureGates: changedGates(&h), Start: momentOf(h.Start),
		Bytes: i.Bytes, Unpacked: i.Unpacked, Inputs: i.Inputs, InputsByKind: i.InputsByKind, ListedObjects: i.Objects,
		Decisions: i.Decisions, ByVerdict: map[string]uint64{}, Checkpoints: i.Checkpoints, States: i.States, UsageReadings: i.Usages,
		Marks: []markDocument{}, Damage: damageOf(i.Damage),
	}
	// Time does not run backwards in a replay: a record from before the start is played at the start.
	since := func(at time.Time) float64 { return max(at.Sub(h.Start), 0).Seconds() }
	if !i.First.IsZero() {
		doc.First, doc.Last, doc.Seconds = momentOf(i.First), momentOf(i.Last), since(i.Last)
	}
	if i.Digest != 0 {
		doc.Digest = fmt.Sprintf("%016x", i.Digest)
	}
	for v, n := range i.Verdicts {
		doc.ByVerdict[trace.Verdict(v).String()] = n
	}
	for _, m := range i.Marks {
		offset := max(m.At.Sub(h.Start), 0)
		mark := markDocument{m.Record, momentOf(m.At), offset.Seconds(), m.Mark.Kind.String(), nil, m.Mark.Text, offset}
		if m.Mark.Pod.Name != "" {
			pod := refOf(m.Mark.Pod)
			mark.Pod = &pod
		}
		doc.Marks = append(doc.Marks, mark)
	}
	return doc
}

// changedGates returns the gates of a recording that are not at their defaults; of a recording with gates that this
// program does not know, all of them.
func changedGates(h *trace.Header) []string {
	if features, err := config.ParseFeaturesOf(h.Kubernetes, h.FeatureGates); err == nil {
		return append([]string{}, features.Changed()...)
	}
	list := []string{}
	for _, name := range slices.Sorted(maps.Keys(h.FeatureGates)) {
		list = append(list, fmt.Sprintf("%s=%t", name, h.FeatureGates[name]))
	}
	return list
}

var originText = map[trace.Origin]string{
	trace.FromStart:    "of a scheduler's life, from its first input on",
	trace.FromSnapshot: "of a scheduler's life, beginning with a snapshot in the middle of it",
	trace.FromState:    "of a scheduler's life, beginning with its state in the middle of it",
	trace.FromImport:   "of a cluster, imported without a scheduler",
}

func (d *traceInfoDocument) text(w io.Writer, i *trace.Info) {
	h := i.Header
	d.Damage.headline(w, d.Trace)
	fmt.Fprintf(w, "%s: %s %s\n", d.Trace, durationText(durationOf(d.Seconds)), originText[h.Origin])
	var table [][]string
	fact := func(name, value string) {
		if value != "" {
			table = append(table, []string{name, value})
		}
	}
	about := "about"
	for _, line := range wrapText(d.Description, 90) {
		fact(about, line)
		about = ""
	}
	fact("made by", printable.Line(d.Program, 200))
	if !h.Kubernetes.IsZero() {
		fact("decided as", "Kubernetes "+h.Kubernetes.String())
	}
	fact("feature gates", printable.Line(strings.Join(d.FeatureGates, ", "), 300))
	fact("from", timeText(h.Start))
	if !i.Last.IsZero() {
		fact("to", timeText(i.Last))
	}
	fact("file", humanize.IBytes(uint64(d.Bytes))+", "+humanize.IBytes(uint64(d.Unpacked))+" uncompressed")
	fact("inputs", humanize.Comma(int64(d.Inputs))+breakdown(d.InputsByKind))
	if d.ListedObjects > 0 {
		where := " in lists"
		if d.States > 0 {
			where = " in lists and states"
		}
		fact("", "with "+countText(d.ListedObjects, "object")+where)
	}
	if d.States > 0 {
		fact("states", humanize.Comma(int64(d.States))+", from each of which a replay can go on")
	}
	if d.UsageReadings > 0 {
		fact("usage", countText(d.UsageReadings, "reading")+" of what nodes use")
	}
	fact("decisions", humanize.Comma(int64(d.Decisions))+breakdown(d.ByVerdict))
	if d.Damage == nil {
		fact("digest", d.Digest)
	} else { // inputs may follow it
		fact("last digest", d.Digest)
	}
	if h.NamesHashed {
		fact("names", "hashed")
	}
	writeTable(w, "  ", table)
	markLines(w, d.Marks)
	d.Damage.text(w)
}

// maxParts bounds the parts of a breakdown.
//
//orrery:limit answers; parts of a printed breakdown; the others are added up
const maxParts = 8

// breakdown lists the parts of a number, the largest first: " (30 Pod, 2 Node)".
func breakdown(of map[string]uint64) string {
	keys := slices.SortedFunc(maps.Keys(of), func(a, b string) int { return cmp.Or(cmp.Compare(of[b], of[a]), cmp.Compare(a, b)) })
	var parts []string
	for _, k := range keys {
		if of[k] > 0 && len(parts) < maxParts {
			parts = append(parts, humanize.Comma(int64(of[k]))+" "+printable.Line(k, 60))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	if len(keys) > maxParts && of[keys[maxParts]] > 0 {
		parts = append(parts, "others")
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// maxMarkLines bounds the marks in text output; JSON has all.
//
//orrery:limit answers; marks that are printed; the others are counted; JSON has all
const maxMarkLines = 40

func markLines(w io.Writer, marks []markDocument) {
	if len(marks) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s\n", countText(len(marks), "mark"))
	var table [][]string
	for _, m := range marks[:min(len(marks), maxMarkLines)] {
		table = append(table, []string{offsetText(m.offset), m.Kind, printable.Line(m.Text, 200)})
	}
	writeTable(w, "  ", table)
	if more := len(marks) - maxMarkLines; more > 0 {
		fmt.Fprintf(w, "  and %d more; --output json has all\n", more)
	}
}
