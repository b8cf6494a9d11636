package app

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/klog/v2"

	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/trace/play"
	"orrery/core/trace/segments"
	"orrery/core/world/memory"
)

// diskScene records a scheduler in a simulated cluster into a directory.
type diskScene struct {
	mu       sync.Mutex // of the scheduler, which is subscribed to between two moves of the time
	cluster  *memory.Cluster
	feed     *play.Feed
	drive    func(until time.Time)
	recorder *segments.Recorder
	ticks    chan time.Time
	end      func()
}

var diskStart = time.Date(2026, 3, 2, 8, 30, 0, 0, time.UTC)

func newDiskScene(t *testing.T, dir string, at time.Time, seed uint64) *diskScene {
	t.Helper()
	o := engine.Options{Start: at, Seed: seed}
	e, err := engine.New(o)
	if err != nil {
		t.Fatal(err)
	}
	s := &diskScene{feed: play.NewFeed(e, o, nil), ticks: make(chan time.Time)}
	s.cluster = memory.New(memory.Options{Start: at, Seed: 1})
	scheduler := drive.NewScheduler(e, s.feed)
	s.drive = func(until time.Time) { drive.Run(s.cluster, until, scheduler) }
	s.recorder = segments.NewRecorder(segments.Options{
		Directory: dir, Limits: segments.Limits{MaxBytes: 1 << 30, MaxAge: 1000 * time.Hour}, Logger: klog.Logger{},
	}, s)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.recorder.Run(ctx, s.ticks)
	}()
	s.end = func() {
		cancel()
		<-ended
	}
	return s
}

func (s *diskScene) Subscribe(_ context.Context, o play.SubscriptionOptions) (*play.Subscriber, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.feed.Subscribe(o), nil
}

func (s *diskScene) Unsubscribe(_ context.Context, one *play.Subscriber) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.feed.Unsubscribe(one)
	return nil
}

// until lets time pass up to a moment, and waits until that is on the disk.
func (s *diskScene) until(at time.Time) {
	s.mu.Lock()
	s.drive(at)
	s.feed.Checkpoint()
	s.mu.Unlock()
	for !s.recorder.Status().Flushed.Equal(at) {
		s.ticks <- at
	}
}

func (s *diskScene) pod(at time.Time, name, cpu string) {
	s.cluster.At(at, func(c *memory.Cluster) {
		if _, err := c.Create(mk.Pod(name).CPU(cpu).Obj()); err != nil {
			panic(err)
		}
	})
}

// recordDays records two days, in which a scheduler is replaced in the middle: huge is pending from the first hour on.
func recordDays(t *testing.T, dir string) {
	t.Helper()
	for day := range 2 {
		at := diskStart.Add(time.Duration(day) * 24 * time.Hour)
		s := newDiskScene(t, dir, at, uint64(day))
		s.cluster.At(at, func(c *memory.Cluster) {
			if _, err := c.Create(mk.Node("n1").CPU("2").Memory("4Gi").Pods("10").Obj()); err != nil {
				panic(err)
			}
		})
		s.pod(at.Add(30*time.Minute), "huge", "8")
		for hour := range 3 {
			s.pod(at.Add(time.Duration(hour)*time.Hour+40*time.Minute), fmt.Sprintf("web-%d-%d", day, hour), "100m")
		}
		for m := time.Duration(0); m <= 3*time.Hour; m += 10 * time.Minute {
			s.until(at.Add(m + time.Second))
		}
		s.end()
	}
}

// Whatever takes a trace takes the directory of a recording, and opens the segment of a time alone.
func TestRecordingOnDisk_IsATrace(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "recording")
	recordDays(t, dir)
	kept := touch(t, dir)
	config := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(config, []byte("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	empty := t.TempDir()
	out := t.TempDir()
	for _, row := range []struct {
		args []string
		code int
		want string // of stdout, or of stderr with exit code 2
	}{
		{[]string{"explain", "huge", "--trace", dir}, 1, `Insufficient cpu`},
		{[]string{"explain", "huge", "--trace", dir, "--at", "10:12:30"}, 1, `2026-03-03T10:12:30Z in recording/20260303T`},
		{[]string{"explain", "huge", "--trace", dir, "--at", "2026-03-02T10:12:30Z"}, 1, `2026-03-02T10:12:30Z in recording/20260302T`},
		{[]string{"explain", "web-0-1", "--trace", dir, "--at", "2026-03-02T10:20:00Z"}, 0, `n1`},
		{[]string{"explain", "huge", "--trace", dir, "--at", "+40m"}, 1, `2026-03-02T09:10:00Z in`},
		{[]string{"explain", "huge", "--trace", dir, "--at", "@1"}, 1, `huge`},
		{[]string{"explain", "huge", "--trace", dir, "--at", "2026-03-02T08:00:00Z"}, 2, `the recording begins only at 2026-03-02T08:30:00.000Z`},
		{[]string{"explain", "huge", "--trace", dir, "--at", "2026-03-02T20:00:00Z"}, 2, `nothing was recorded from 2026-03-02T11:2\S+ to 2026-03-03T08:30:\S+`},
		{[]string{"explain", "huge", "--trace", dir, "--at", "2026-03-09T20:00:00Z"}, 2, `the trace ends at 2026-03-03T11:2`},
		{[]string{"explain", "huge", "--trace", dir, "--at", "soon"}, 2, `at "soon": write a time like`},
		{[]string{"explain", "huge", "--trace", empty}, 2, `it is a directory that holds no recording: "orrery run --record-dir" makes one`},
		{[]string{"whatif", "cordon n1", "--trace", dir, "--at", "2026-03-03T10:00:00Z"}, 0, `cordon n1`},
		{[]string{"whatif", "cordon n1", "--trace", dir, "--at", "2026-03-03T10:00:00Z", "-o", "json"}, 0, `--at 2026-03-03T10:00:00Z`},
		{[]string{"demo", dir, "--at", "2026-03-02T09:00:00Z"}, 0, `default/huge`},
		{[]string{"replay", "--verify", dir}, 0, `^recording/20260303T\S+ is decided as recorded`},
		{[]string{"compare", dir, "--config", config}, 0, `pods`},
		{[]string{"trace", "cut", dir, "--from", "2026-03-02T10:00:00Z", "--out", filepath.Join(out, "cut.orrery")}, 0, `wrote`},
		{[]string{"replay", "--verify", filepath.Join(out, "cut.orrery")}, 0, `is decided as recorded`},
		{[]string{"trace", "export", dir, "--ndjson", "-"}, 0, `(?s)"pod":"web-0-0".*"pod":"web-1-2".*"table":"nodes"`},
		{[]string{"report", dir}, 0, `(?s)2026-03-02 08:30:00 – 2026-03-03 11:28:\S+ UTC.*note: nothing was recorded from 2026-03-02T11:.*pods bound +6\n`},
		{[]string{"report", dir, "--from", "2026-03-03T08:00:00Z"}, 0, `pods bound +3\n`},
		{[]string{"report", dir, "--from", "2026-03-02T09:00:00Z", "--to", "2026-03-02T10:00:00Z", "-o", "html"}, 0, `<g class="f0`},
		{[]string{"trace", "info", dir}, 0, `(?s)^recording: 26h59m of a scheduler's life, in \d segments\n.*1 gap: nothing was recorded\n.* another process went on\n$`},
		{[]string{"trace", "verify", dir}, 0, `^recording is decided as recorded: \d+ decisions in \d segments, `},
		{[]string{"trace", "verify", "morning-rush"}, 0, `^morning-rush is decided as recorded`},
		{[]string{"trace", "verify", empty}, 2, `holds no recording`},
	} {
		var stdout, problems bytes.Buffer
		code := execute("orrery", row.args, &stdout, &problems, nil)
		from := stdout.String()
		if row.code == 2 {
			from = problems.String()
		}
		if code != row.code || !regexp.MustCompile(row.want).MatchString(from) {
			t.Errorf("orrery %q: exit code %d, %q, %q; want %d and %q", row.args, code, stdout.String(), problems.String(), row.code, row.want)
		}
	}
	if got := touch(t, dir); got != kept {
		t.Errorf("reading changed the directory from %s to %s", kept, got)
	}
}

// touch returns what is in a directory.
func touch(t *testing.T, dir string) (names string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names += e.Name() + " "
	}
	return names
}

// What is damaged or decided differently is an answer of its own, and the other segments are replayed all the same.
func TestTraceVerify_SaysWhichSegmentsDiffer(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "recording")
	recordDays(t, dir)
	d, err := segments.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	damaged := filepath.Join(dir, d.Segments[1].Name)
	whole, err := os.ReadFile(damaged)
	if err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		text        []byte
		code        int
		same, whole bool
		damage      string
	}{
		"as it is":              {whole, 0, true, true, ""},
		"without its end mark":  {whole[:len(whole)-26], 0, true, true, "without an end mark"},
		"cut in a block":        {whole[:len(whole)-100], 1, true, false, "in the middle of a block"},
		"of something else":     {[]byte("else"), 1, true, false, "not a trace"},
		"of nothing":            {nil, 1, true, false, "not a trace"},
		"with a changed header": {bytes.Replace(whole, []byte("ORRERYT\x03"), []byte("ORRERYT\x09"), 1), 1, true, false, "another version"},
	} {
		if err := os.WriteFile(damaged, row.text, 0o600); err != nil {
			t.Fatal(err)
		}
		var stdout, problems bytes.Buffer
		code := execute("orrery", []string{"trace", "verify", dir, "-o", "json"}, &stdout, &problems, nil)
		var doc traceVerificationDocument
		if err := json.Unmarshal(stdout.Bytes(), &doc); err != nil {
			t.Fatal(err)
		}
		if code != row.code || doc.Same != row.same || doc.Whole != row.whole || len(doc.Segments) != len(d.Segments) || !strings.Contains(doc.Segments[1].Damage, row.damage) {
			t.Errorf("%s: exit code %d, same %v, whole %v, %q", name, code, doc.Same, doc.Whole, doc.Segments[1].Damage)
		}
		stdout.Reset()
		if code := execute("orrery", []string{"trace", "verify", dir}, &stdout, &problems, nil); code != row.code || !row.whole && !strings.Contains(stdout.String(), d.Segments[1].Name) {
			t.Errorf("%s: exit code %d, %s", name, code, stdout.String())
		}
		stdout.Reset()
		if len(row.text) == len(whole) { // of which the index has what was in it
			continue
		}
		if code := execute("orrery", []string{"trace", "info", dir}, &stdout, &problems, nil); code != row.code {
			t.Errorf("%s: info with exit code %d, %s", name, code, stdout.String())
		}
	}
}
