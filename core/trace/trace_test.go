package trace_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"
	"pgregory.net/rapid"

	"orrery/core/testing/mk"
	"orrery/core/trace"
	"orrery/core/world"
	"orrery/core/world/trim"
)

var start = time.Date(2026, 1, 1, 12, 0, 0, 5, time.UTC)

func written(t testing.TB, h trace.Header, records ...trace.Record) []byte {
	t.Helper()
	var file bytes.Buffer
	w, err := trace.NewWriter(&file, h)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range records {
		if err := w.Write(r); err != nil {
			t.Fatalf("writing record %d: %v", i, err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// read returns the readable records of a file, and the error that ended it.
func read(t testing.TB, file []byte) ([]trace.Record, *trace.Damage) {
	t.Helper()
	r, err := trace.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return readAll(t, r)
}

func readAll(t testing.TB, r *trace.Reader) ([]trace.Record, *trace.Damage) {
	t.Helper()
	var records []trace.Record
	for record, err := range r.All() {
		if err != nil {
			var damage *trace.Damage
			if !errors.As(err, &damage) {
				t.Fatalf("reading fails with %v, want a Damage", err)
			}
			return records, damage
		}
		records = append(records, record)
	}
	return records, nil
}

// withoutPosition returns a record without its position in the file.
func withoutPosition(r trace.Record) trace.Record {
	r.Number, r.Size = 0, 0
	return r
}

func ref(name string) world.PodRef {
	return world.PodRef{Namespace: "default", Name: name, UID: types.UID("uid-" + name)}
}

func inputBody(event world.Event) trace.Body { return trace.Input{Event: event} }

// randomRecord returns a random record that a writer accepts.
func randomRecord(t *rapid.T) trace.Record {
	text := rapid.StringN(0, 20, 80)
	at := start.Add(time.Duration(rapid.Int64().Draw(t, "at")))
	pod := func() *v1.Pod {
		p := mk.Pod("p"+rapid.StringMatching(`[a-z0-9]{1,8}`).Draw(t, "name")).CPU("100m").Label("app", text.Draw(t, "app")).
			Node(rapid.SampledFrom([]string{"", "n1", "n2"}).Draw(t, "node")).Obj()
		p.CreationTimestamp = metav1.Time{Time: start.Truncate(time.Second)}
		return p
	}
	wish := func() trace.EffectKey {
		w := trace.EffectKey{Verb: trace.Verb(rapid.IntRange(0, int(trace.DeleteResourceClaim)).Draw(t, "verb"))}
		if w.Verb != trace.Unknown {
			w.Pod, w.Detail = ref(text.Draw(t, "pod")), text.Draw(t, "detail")
		}
		return w
	}
	var body trace.Body
	switch rapid.IntRange(0, 7).Draw(t, "kind") {
	case 0:
		body = trace.Input{
			Event:      world.Changed{Op: world.Op(rapid.IntRange(0, 2).Draw(t, "op")), Object: pod()},
			BeforeRest: rapid.Bool().Draw(t, "hurried"),
		}
	case 1:
		list := world.Listed{Kind: world.Pod}
		for range rapid.IntRange(0, 5).Draw(t, "objects") {
			list.Objects = append(list.Objects, pod())
		}
		body = inputBody(list)
	case 2:
		body = trace.Input{
			Event: world.EffectDone{Effect: world.EffectID(rapid.Uint64().Draw(t, "effect")), Outcome: world.Outcome{
				Code: fwk.Code(rapid.IntRange(0, 8).Draw(t, "code")), Reason: metav1.StatusReason(text.Draw(t, "reason")), Message: text.Draw(t, "message"),
			}},
			Effect: wish(),
		}
	case 3:
		asked := world.ActivateRequest{}
		for range rapid.IntRange(0, 3).Draw(t, "asked") {
			asked.Activate = append(asked.Activate, types.NamespacedName{Namespace: text.Draw(t, "ns"), Name: text.Draw(t, "n")})
		}
		body = inputBody(asked)
	case 4:
		body = inputBody(world.Tick{})
	case 5:
		body = trace.Decision{
			Seq: rapid.Uint64().Draw(t, "seq"), Pod: ref(text.Draw(t, "pod")), Attempt: rapid.IntRange(0, 1<<20).Draw(t, "attempt"),
			Verdict: trace.Verdict(rapid.IntRange(0, 3).Draw(t, "verdict")), Node: text.Draw(t, "node"),
			Nominated: text.Draw(t, "nominated"), Victims: rapid.IntRange(0, 9).Draw(t, "victims"), Digest: rapid.Uint64().Draw(t, "digest"),
		}
	case 6:
		body = trace.Checkpoint{Digest: rapid.Uint64().Draw(t, "digest"), Inputs: rapid.Uint64().Draw(t, "inputs"), Decisions: 3}
	case 7:
		body = trace.Mark{Kind: trace.MarkKind(rapid.IntRange(0, int(trace.Difference)).Draw(t, "mark")), Pod: ref("x"), Text: text.Draw(t, "text")}
	}
	return trace.Record{At: at, Body: body}
}

func TestReader_ReadsWhatWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		records := rapid.SliceOfN(rapid.Custom(randomRecord), 0, 40).Draw(t, "records")
		h := trace.Header{
			Program: "orrery", Description: "drawn", Start: start, Origin: trace.FromStart, Seed: rapid.Uint64().Draw(t, "seed"),
			Configuration: "a: b\n", FeatureGates: map[string]bool{"A": true}, PodMaxInUnschedulablePodsDuration: metav1.Duration{Duration: time.Minute},
		}
		var file bytes.Buffer
		w, err := trace.NewWriter(&file, h)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range records {
			if err := w.Write(r); err != nil {
				t.Fatal(err)
			}
			if rapid.IntRange(0, 5).Draw(t, "flush") == 0 {
				if err := w.Flush(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		r, err := trace.NewReader(&file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(h, r.Header()); diff != "" {
			t.Fatalf("the header (-want +got):\n%s", diff)
		}
		var back []trace.Record
		for record, err := range r.All() {
			if err != nil {
				t.Fatal(err)
			}
			back = append(back, withoutPosition(record))
		}
		want := append([]trace.Record(nil), records...)
		for i := range want {
			want[i].Body = trimmed(want[i].Body)
		}
		if diff := cmp.Diff(want, back); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

// trimmed returns a body with its objects trimmed.
func trimmed(b trace.Body) trace.Body {
	input, ok := b.(trace.Input)
	if !ok {
		return b
	}
	switch ev := input.Event.(type) {
	case world.Changed:
		ev.Object = trim.Object(ev.Object)
		input.Event = ev
	case world.Listed:
		var objects []world.Object
		for _, o := range ev.Objects {
			objects = append(objects, trim.Object(o))
		}
		ev.Objects = objects
		input.Event = ev
	}
	return input
}

// A mark of a kind that a later version has is a note.
func TestReader_ReadsUnknownMarksAsNotes(t *testing.T) {
	later := trace.Record{At: start, Body: trace.Mark{Kind: trace.CaughtUp + 1, Text: "the moon rose"}}
	known := trace.Record{At: start, Body: trace.Mark{Kind: trace.RecordingResumed, Text: "it goes on"}}
	records, damage := read(t, written(t, trace.Header{Start: start}, later, known))
	want := []trace.Body{trace.Mark{Kind: trace.Note, Text: "the moon rose"}, known.Body}
	if damage != nil || len(records) != 2 || records[0].Body != want[0] || records[1].Body != want[1] {
		t.Errorf("read %+v, %v", records, damage)
	}
}

func TestWriter_RecordsEveryKind(t *testing.T) {
	for _, kind := range world.Kinds() {
		o, err := world.New(kind)
		if err != nil {
			t.Fatal(err)
		}
		o.SetName("one")
		records, damage := read(t, written(t, trace.Header{Start: start},
			trace.Record{At: start, Body: inputBody(world.Changed{Op: world.Added, Object: o})},
			trace.Record{At: start, Body: inputBody(world.Listed{Kind: kind, Objects: []world.Object{o, o}})}))
		if damage != nil || len(records) != 2 {
			t.Errorf("%s: %d records are read, %v", kind, len(records), damage)
			continue
		}
		back := records[0].Body.(trace.Input).Event.(world.Changed).Object
		if world.KindOf(back) != kind || back.GetName() != "one" {
			t.Errorf("a %s comes back as a %s named %q", kind, world.KindOf(back), back.GetName())
		}
	}
}

// manyRecords returns records for several blocks, with times from the whole range.
func manyRecords(n int) []trace.Record {
	var records []trace.Record
	for i := range n {
		pod := mk.Pod(fmt.Sprintf("pod-%06d", i)).CPU("100m").Label("app", fmt.Sprint(i*i)).Obj()
		records = append(records,
			trace.Record{At: start.Add(time.Duration(i) * time.Second), Body: inputBody(world.Changed{Op: world.Added, Object: pod})},
			trace.Record{At: start.Add(time.Duration(i) * time.Second), Body: trace.Decision{Seq: uint64(i), Pod: world.PodRefOf(pod), Node: "n", Digest: uint64(i)}})
	}
	records = append(records, trace.Record{At: time.Time{}, Body: inputBody(world.Tick{})})
	return records
}

func TestReader_ReadsTruncatedFileUpToTheEnd(t *testing.T) {
	records := manyRecords(3000)
	file := written(t, trace.Header{Start: start}, records...)
	whole, damage := read(t, file)
	if damage != nil || len(whole) != len(records) {
		t.Fatalf("the whole file gives %d records and %v", len(whole), damage)
	}
	step, before := 331, 0
	for size := 0; size < len(file); size += step {
		r, err := trace.NewReader(bytes.NewReader(file[:size]))
		if err != nil {
			if before > 0 {
				t.Fatalf("%d bytes cannot be opened, and fewer can: %v", size, err)
			}
			continue
		}
		got, damage := readAll(t, r)
		if damage == nil {
			t.Fatalf("%d of %d bytes are read without damage", size, len(file))
		}
		if damage.Record != uint64(len(got)) || damage.Offset > int64(size) {
			t.Fatalf("%d bytes give %d records, and the damage is %v", size, len(got), damage)
		}
		if len(got) < before {
			t.Fatalf("%d bytes give %d records, and fewer bytes give %d", size, len(got), before)
		}
		before = len(got)
		if n := len(got); n > 0 && !cmp.Equal(whole[n-1], got[n-1]) {
			t.Fatalf("%d bytes give another record %d", size, n-1)
		}
	}
	if before < len(records)*3/4 {
		t.Errorf("all but the last bytes give %d of %d records", before, len(records))
	}
}

func TestReader_DetectsEveryFlippedBit(t *testing.T) {
	file := written(t, trace.Header{Start: start}, manyRecords(3)...)
	whole, _ := read(t, file)
	for i := range len(file) * 8 {
		broken := bytes.Clone(file)
		broken[i/8] ^= 1 << (i % 8)
		r, err := trace.NewReader(bytes.NewReader(broken))
		if err != nil {
			continue
		}
		if got, damage := readAll(t, r); damage == nil || len(got) > len(whole) {
			t.Fatalf("with bit %d of byte %d flipped, %d records are read and the damage is %v", i%8, i/8, len(got), damage)
		}
	}
}

func TestDamage_NamesRecordAndOffset(t *testing.T) {
	file := written(t, trace.Header{Start: start}, manyRecords(3000)...)
	file[len(file)*3/4] ^= 1
	records, damage := read(t, file)
	if damage == nil || len(records) == 0 {
		t.Fatal("the damage is not noticed")
	}
	want := fmt.Sprintf("the trace is damaged at record %d, in the block at byte %d: a block's checksum is wrong", len(records), damage.Offset)
	if damage.Error() != want {
		t.Errorf("the error is\n%s\nwant\n%s", damage, want)
	}
	if _, again := read(t, file); again.Offset != damage.Offset {
		t.Errorf("the second time the damage is elsewhere: %v", again)
	}
}

func TestReader_ReportsMissingEndMark(t *testing.T) {
	var file bytes.Buffer
	w, err := trace.NewWriter(&file, trace.Header{Start: start})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range manyRecords(2) {
		if err := errors.Join(w.Write(r), w.Flush()); err != nil {
			t.Fatal(err)
		}
	}
	if records, damage := read(t, file.Bytes()); len(records) != 5 || !errors.Is(damage, trace.ErrUnfinished) {
		t.Errorf("%d records are read and the damage is %v, want all five and ErrUnfinished", len(records), damage)
	}
}

func TestNewReader_RefusesOtherFiles(t *testing.T) {
	good := written(t, trace.Header{Start: start})
	newer := bytes.Clone(good)
	newer[7] = trace.Version + 1
	for _, c := range []struct {
		name, want string
		file       []byte
	}{
		{"an empty file", "this is not a trace", nil},
		{"a file of something else", "this is not a trace", []byte("apiVersion: v1\nkind: Pod\n")},
		{"a trace of a newer format", "the file has version 5, and this program reads versions 2 to 4: open it with the orrery that recorded it or a newer one", newer},
		{"nothing after the version", "the trace is damaged at record 0, in the block at byte 8", good[:8]},
		{"half a header", "the file ends in the middle of a block", good[:40]},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := trace.NewReader(bytes.NewReader(c.file))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v, want one with %q", err, c.want)
			}
		})
	}
}

// Between the first and the last year there is more time than a Duration holds.
func TestReader_ReadsTimesOfAllYears(t *testing.T) {
	first, last := time.Time{}, time.Date(9999, 12, 31, 23, 59, 59, 999999999, time.UTC)
	tick := func(at time.Time) trace.Record { return trace.Record{At: at, Body: inputBody(world.Tick{})} }
	var want []time.Time
	var records []trace.Record
	for _, at := range []time.Time{last, first, time.Unix(-1, 5), time.Unix(0, 0), last, start} {
		want, records = append(want, at.UTC()), append(records, tick(at))
	}
	got, damage := read(t, written(t, trace.Header{Start: start}, records...))
	if damage != nil || len(got) != len(want) {
		t.Fatalf("%d records are read, want %d; damage %v", len(got), len(want), damage)
	}
	for i, r := range got {
		if !r.At.Equal(want[i]) {
			t.Errorf("record %d is at %v, want %v", i, r.At, want[i])
		}
	}
	for _, at := range []time.Time{last.Add(1), first.Add(-1), time.Unix(1<<60, 0)} {
		w, err := trace.NewWriter(io.Discard, trace.Header{Start: start})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(tick(at)); err == nil || !strings.Contains(err.Error(), "the years from 1 to 9999 only") {
			t.Errorf("a record at %v is written: %v", at, err)
		}
	}
}

func TestReader_DamagedByTimesOfNoYear(t *testing.T) {
	for name, seconds := range map[string]int64{"after the last year": 1 << 48, "before the first year": -1 << 48, "beyond all numbers": math.MaxInt64} {
		entry := binary.AppendVarint(append([]byte{}, 6), seconds) // a tick
		entry = append(entry, 0, 0)
		_, damage := read(t, trace.FileOfEntries(trace.FromStart, append([]byte{byte(len(entry))}, entry...)))
		if damage == nil || !strings.Contains(damage.Error(), "an entry's time is in none of the years from 1 to 9999") {
			t.Errorf("%s: the damage is %v", name, damage)
		}
	}
}

// A flight recorder that begins with its engine has no time yet.
func TestReader_StartsAtFirstRecordWithoutStart(t *testing.T) {
	records := []trace.Record{
		{At: start.Add(time.Minute), Body: inputBody(world.Tick{})},
		{At: start.Add(time.Hour), Body: inputBody(world.Listed{Kind: world.Pod})},
	}
	file := written(t, trace.Header{}, records...)
	r, err := trace.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Header().Start; !got.Equal(records[0].At) {
		t.Errorf("the trace starts at %v, want %v", got, records[0].At)
	}
	got, damage := readAll(t, r)
	if damage != nil || len(got) != 2 || !got[0].At.Equal(records[0].At) || got[1].Number != 1 || !got[1].At.Equal(records[1].At) {
		t.Errorf("read %v with the damage %v", got, damage)
	}
	for name, file := range map[string][]byte{"empty": written(t, trace.Header{}), "cut": file[:len(file)-50]} {
		r, err := trace.NewReader(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Next(); err == nil || name == "empty" && err != io.EOF {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
}

func TestWriter_RefusesBadRecordsAndGoesOn(t *testing.T) {
	var file bytes.Buffer
	w, err := trace.NewWriter(&file, trace.Header{Start: start})
	if err != nil {
		t.Fatal(err)
	}
	huge := mk.Pod("huge").Label("long", strings.Repeat("x", 3<<20)).Obj()
	for name, body := range map[string]trace.Body{
		"an object beyond all size":           inputBody(world.Changed{Object: huge}),
		"a change of nothing":                 inputBody(world.Changed{}),
		"a list with such an object":          inputBody(world.Listed{Kind: world.Pod, Objects: []world.Object{huge, mk.Pod("fine").Obj()}}),
		"a list with objects of another kind": inputBody(world.Listed{Kind: world.Node, Objects: []world.Object{huge}}),
	} {
		if err := w.Write(trace.Record{At: start.Add(time.Hour), Body: body}); err == nil {
			t.Errorf("%s is recorded", name)
		}
	}
	if err := errors.Join(w.Write(trace.Record{At: start, Body: inputBody(world.Tick{})}), w.Close()); err != nil {
		t.Fatal(err)
	}
	records, damage := read(t, file.Bytes())
	if damage != nil || len(records) != 3 || !records[len(records)-1].At.Equal(start) {
		t.Errorf("%d records are read, the last at %v; damage %v", len(records), records[len(records)-1].At, damage)
	}
}

func TestWriter_StopsAtWriteError(t *testing.T) {
	w, err := trace.NewWriter(&limitedWriter{left: 4000}, trace.Header{Start: start})
	if err != nil {
		t.Fatal(err)
	}
	var first error
	for _, r := range manyRecords(3000) {
		if first = w.Write(r); first != nil {
			break
		}
	}
	if !errors.Is(first, io.ErrShortWrite) || w.Close() != first {
		t.Errorf("the first error is %v and the last %v", first, w.Close())
	}
}

// limitedWriter is a disk that fills up.
type limitedWriter struct{ left int }

func (l *limitedWriter) Write(p []byte) (int, error) {
	if l.left -= len(p); l.left < 0 {
		return 0, io.ErrShortWrite
	}
	return len(p), nil
}
