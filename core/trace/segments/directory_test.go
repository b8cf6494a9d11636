//go:build unix

package segments

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"orrery/core/testing/race"
	"orrery/core/trace/play"
)

// record records into a real directory for some seconds, in segments of 16 KiB.
func record(t *testing.T, dir string, seconds int) *scene {
	t.Helper()
	s := newScene(t, &directory{path: dir}, Limits{MaxBytes: 1 << 30, MaxAge: time.Hour, segment: 16 << 10})
	s.run(seconds)
	s.recorder.Finish(s.now)
	return s
}

func opened(t *testing.T, dir string) *Directory {
	t.Helper()
	d, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// Writing to a removed file succeeds on unix: the recording notices, and begins again in a directory that is made anew.
func TestDirectory_RemovedWhileRecording(t *testing.T) {
	for what, remove := range map[string]func(dir, segment string) error{
		"the directory": func(dir, _ string) error { return os.RemoveAll(dir) },
		"the segment":   func(dir, segment string) error { return os.Remove(filepath.Join(dir, segment)) },
	} {
		t.Run(what, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "recorded")
			s := newScene(t, &directory{path: dir}, Limits{})
			s.run(30)
			if err := remove(dir, opened(t, dir).Last().Name); err != nil {
				t.Fatal(err)
			}
			s.run(2)
			if st := s.recorder.Status(); st.Recording || st.Why == nil || !strings.Contains(st.Why.Error(), "the segment that is being recorded was removed") {
				t.Errorf("the status is %+v", st)
			}
			s.run(30)
			if st := s.recorder.Status(); !st.Recording || st.Gaps != 1 {
				t.Errorf("later the status is %+v", st)
			}
			s.recorder.Finish(s.now)
			if d := opened(t, dir); len(d.Segments) != 1 || d.End().Before(s.now.Add(-2*time.Second)) {
				t.Errorf("%d segments end at %v, at %v", len(d.Segments), d.End(), s.now)
			}
		})
	}
}

func TestDirectory_FindsTheSegmentOfATime(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "by it")
	record(t, dir, 150)
	d := opened(t, dir)
	if len(d.Segments) < 2 {
		t.Fatalf("there are %d segments", len(d.Segments))
	}
	for _, s := range d.Segments {
		for _, at := range []time.Time{s.Start, s.Start.Add(time.Second)} {
			if got, ok := d.At(at); !ok || got.Name != s.Name {
				t.Errorf("at %v is %q, not %q", at, got.Name, s.Name)
			}
		}
	}
	if _, ok := d.At(d.Segments[0].Start.Add(-1)); ok {
		t.Error("there is a segment before the first")
	}
	if next, ok := d.Next(d.Segments[0]); !ok || next.Name != d.Segments[1].Name {
		t.Errorf("after the first comes %q", next.Name)
	}
	if _, ok := d.Next(d.Last()); ok {
		t.Error("there is a segment after the last")
	}
	info, err := os.Stat(filepath.Join(dir, d.Last().Name))
	if err != nil || info.Mode().Perm()&0o007 != 0 {
		t.Errorf("all users may read a segment: %v, %v", info.Mode(), err)
	}
}

// The index is a copy of what the segments say: without it, or with one that is not of these files, they are read.
func TestDirectory_SummariesDoNotNeedTheIndex(t *testing.T) {
	dir := t.TempDir()
	record(t, dir, 150)
	d := opened(t, dir)
	want := d.Summaries(nil)
	file := filepath.Join(dir, indexName)
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"whole":      string(good),
		"missing":    "",
		"cut":        string(good[:len(good)/2]),
		"no JSON":    "\x00\xff",
		"newer":      strings.Replace(string(good), `"version":1`, `"version":2`, 1),
		"of others":  strings.ReplaceAll(string(good), `"bytes":`, `"bytes":1`),
		"other type": `{"version":1,"segments":{"name":3}}`,
	} {
		if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		if text != "" {
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var read atomic.Int64
		got := d.Summaries(func(int64) { read.Add(1) })
		if !slices.Equal(got, want) {
			t.Errorf("with an index that is %s: %+v, not %+v", name, got, want)
		}
		if read.Load() < int64(len(want)) {
			t.Error("there is no progress")
		}
	}
	if gaps := Gaps(want); len(gaps) > 0 {
		t.Errorf("gaps: %v", gaps)
	}
	for i, s := range want {
		if s.Damage != "" || s.Decisions == 0 && i < len(want)-1 {
			t.Errorf("%+v", s)
		}
	}
}

// A directory may hold anything: only regular files with the names of segments are looked at, and nothing else is changed.
func TestDirectory_LeavesOtherFilesAlone(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	name := newName(start)
	link, fifo, folder, broken := newName(start.Add(1)), newName(start.Add(2)), newName(start.Add(3)), newName(start.Add(4))
	secret := filepath.Join(elsewhere, "secret")
	for path, text := range map[string]string{
		secret: "secret", filepath.Join(dir, "notes.txt"): "mine", filepath.Join(dir, "20260302T090000Z.orrery"): "mine", filepath.Join(dir, broken): "no trace",
		filepath.Join(dir, name+partialEnding): "of a crash", filepath.Join(dir, "\x1b[2J"+name): "mine", filepath.Join(dir, probeName): "of a crash",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, err := range []error{
		os.Symlink(secret, filepath.Join(dir, link)), os.Symlink(secret, filepath.Join(dir, indexName)),
		syscall.Mkfifo(filepath.Join(dir, fifo), 0o600), os.Mkdir(filepath.Join(dir, folder), 0o700),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	s := newScene(t, &directory{path: dir}, Limits{MaxBytes: MinBytes, MaxAge: 30 * time.Second})
	s.run(60)
	s.recorder.Finish(s.now)
	for path, want := range map[string]string{secret: "secret", filepath.Join(dir, "notes.txt"): "mine", filepath.Join(dir, "20260302T090000Z.orrery"): "mine"} {
		if got, err := os.ReadFile(path); string(got) != want {
			t.Errorf("%s holds %q, %v", path, got, err)
		}
	}
	for _, left := range []string{link, fifo, folder, "\x1b[2J" + name} {
		if _, err := os.Lstat(filepath.Join(dir, left)); err != nil {
			t.Errorf("%q is gone: %v", left, err)
		}
	}
	for _, gone := range []string{name + partialEnding, probeName} {
		if _, err := os.Lstat(filepath.Join(dir, gone)); err == nil {
			t.Errorf("%q is left", gone)
		}
	}
	d := opened(t, dir)
	if len(d.Segments) != 2 || d.Segments[0].Name != broken {
		t.Errorf("the segments are %+v", d.Segments)
	}
	all := d.Verify(play.Options{}, nil)
	if all[0].Whole() || all[0].Same() || !strings.Contains(all[0].Damage, "not a trace") || !all[1].Same() || !all[1].Whole() {
		t.Errorf("verified as %+v", all)
	}
	if err := os.Rename(secret, filepath.Join(dir, "moved")); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Remove(filepath.Join(dir, broken)), os.Symlink("moved", filepath.Join(dir, broken))); err != nil {
		t.Fatal(err)
	}
	if f, err := d.File(d.Segments[0]); err == nil {
		f.Close()
		t.Error("opens what has become a link")
	}
}

// A file of the index's name that is of another program or version stays as it is, and the log says so once; the recording goes on.
func TestDirectory_LeavesForeignIndexes(t *testing.T) {
	foreign := map[string]string{
		"another program's": `{"name":"site","pages":[1,2]}`, "a list": `[]`, "no JSON": "hello\n", "a newer version's": `{"version":2,"segments":[]}`,
		"one with more in it": `{"version":1,"segments":[],"pages":[]}`, "one of other files": `{"version":1,"segments":[{"name":"notes.txt"}]}`,
	}
	for name, text := range foreign {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, indexName)
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			s := newScene(t, &directory{path: dir}, Limits{MaxBytes: 1 << 30, MaxAge: time.Hour, segment: 16 << 10})
			s.run(150)
			s.recorder.Finish(s.now)
			if got, err := os.ReadFile(file); string(got) != text || err != nil {
				t.Errorf("it is now %q, %v", got, err)
			}
			if n := strings.Count(s.logged(), errForeignIndex.Error()); n != 1 {
				t.Errorf("it is said %d times: %s", n, s.logged())
			}
			if d := opened(t, dir); len(d.Segments) < 2 || len(Gaps(d.Summaries(nil))) > 0 {
				t.Errorf("the segments are %+v", d.Segments)
			}
		})
	}
	for name, text := range map[string]string{"empty, as a crash leaves it": "", "an index": string(marshalIndex(nil))} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, indexName), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		record(t, dir, 150)
		if got, err := os.ReadFile(filepath.Join(dir, indexName)); len(parseIndex(got)) == 0 || err != nil {
			t.Errorf("%s is not replaced: %q, %v", name, got, err)
		}
	}
}

func TestOpen_SaysWhatIsNoRecording(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open(dir); !errors.Is(err, ErrNoSegments) {
		t.Errorf("an empty directory gives %v", err)
	}
	if _, err := Open(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing one gives %v", err)
	}
}

// A second process waits until the first one ends, and does not touch its segments.
func TestDirectory_HasOneWriter(t *testing.T) {
	dir := t.TempDir()
	one := newScene(t, &directory{path: dir}, Limits{})
	one.run(5)
	other := newScene(t, &directory{path: dir}, Limits{})
	other.run(20)
	if other.recorder.Status().Recording || !strings.Contains(other.logged(), ErrInUse.Error()) {
		t.Errorf("two record into one directory: %s", other.logged())
	}
	one.run(5)
	one.recorder.Finish(one.now)
	other.run(20)
	if !other.recorder.Status().Up(other.now) {
		t.Errorf("the second does not go on after the first: %s", other.logged())
	}
	if d := opened(t, dir); len(d.Segments) != 2 {
		t.Errorf("there are %d segments", len(d.Segments))
	}
}

// The directory is removed and made again: a later try opens and locks the new one.
func TestRecorder_OpensTheDirectoryAnew(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "recording")
	s := newScene(t, &directory{path: dir}, Limits{MaxBytes: 1 << 30, MaxAge: time.Hour, segment: 16 << 10})
	s.run(20)
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, directoryMode)); err != nil {
		t.Fatal(err)
	}
	for range 300 {
		if s.run(1); !s.recorder.Status().Recording {
			break
		}
	}
	if s.recorder.Status().Recording {
		t.Fatal("a removed directory is not noticed")
	}
	s.run(30)
	if d := opened(t, dir); !s.recorder.Status().Up(s.now) || len(d.Segments) == 0 {
		t.Errorf("%d segments in the new directory: %s", len(d.Segments), s.logged())
	}
	other := newScene(t, &directory{path: dir}, Limits{})
	if other.run(1); !errors.Is(other.recorder.Status().Why, ErrInUse) {
		t.Errorf("the new directory is not locked: %v", other.recorder.Status().Why)
	}
	s.recorder.Finish(s.now)
}

// The end is that of the records: a segment that begins with ten minutes of the past is written to for longer than an hour, and the time of its
// file may be that of a copy.
func TestDirectory_EndsWithItsLastRecord(t *testing.T) {
	race.Alone(t)
	dir := t.TempDir()
	full := false
	s := newScene(t, &fullDisk{Disk: &directory{path: dir}, full: &full}, Limits{})
	s.cluster = busyCluster(3, 2*time.Hour)
	minutes := func(n int) {
		for range n {
			s.decide(60)
			s.recorder.Step(t.Context(), s.now)
		}
	}
	minutes(1)
	full = true
	s.recorder.stop(t.Context(), s.now, syscall.ENOSPC)
	minutes(10)
	full = false
	minutes(59)
	d := opened(t, dir)
	if want := start.Add(70 * time.Minute); len(d.Segments) != 2 || want.Sub(d.End()) > time.Second || d.End().Sub(d.Last().Start) < 68*time.Minute {
		t.Errorf("%d segments end at %v, want %v", len(d.Segments), d.End(), want)
	}
	copied := start.Add(48 * time.Hour)
	before := d.End()
	if err := os.Chtimes(filepath.Join(dir, d.Last().Name), copied, copied); err != nil {
		t.Fatal(err)
	}
	if after := opened(t, dir).End(); !after.Equal(before) {
		t.Errorf("a copy ends at %v, not %v", after, before)
	}
	s.recorder.Finish(s.now)
}

// fullDisk has no room at times.
type fullDisk struct {
	Disk
	full *bool
}

func (d *fullDisk) Probe(bytes int64) error {
	if *d.full {
		return syscall.ENOSPC
	}
	return d.Disk.Probe(bytes)
}

// A crash cuts a file anywhere: what is before is decided as it was recorded.
func TestVerify_SegmentsCutByACrash(t *testing.T) {
	dir := t.TempDir()
	record(t, dir, 20)
	d := opened(t, dir)
	file := filepath.Join(dir, d.Last().Name)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var most uint64
	for n := 0; n < len(whole); n += 331 {
		if err := os.WriteFile(file, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		one := d.Verify(play.Options{}, nil)[0]
		if one.Damage == "" {
			t.Errorf("%d of %d bytes are called whole", n, len(whole))
		}
		if one.Report == nil {
			continue
		}
		if !one.Same() || one.Decisions < most {
			t.Errorf("%d bytes: %d decisions, %+v", n, one.Decisions, one.Report.First)
		}
		most = one.Decisions
	}
	if most == 0 {
		t.Error("no cut file has a decision")
	}
}
