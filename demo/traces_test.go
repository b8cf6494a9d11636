package demo_test

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"orrery/core/scheduler/gangs"
	"orrery/core/trace"
	"orrery/core/trace/play"
	"orrery/demo"
)

// most is the maximum size of all recordings in the binary, in bytes.
const most = 4 << 20

func bytesOf(t *testing.T, name string) []byte {
	t.Helper()
	r, err := demo.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestRecordings_LengthAndDescription(t *testing.T) {
	all := demo.Traces()
	if len(all) < 6 {
		t.Errorf("there are %d recordings, want at least six", len(all))
	}
	var size int64
	for _, tr := range all {
		size += tr.Size
		longest := 3 * time.Minute
		if tr.Name == "gang-deadlock" {
			longest += gangs.Timeout // it shows what happens then
		}
		if tr.Length < time.Minute || tr.Length > longest {
			t.Errorf("%s lasts for %v", tr.Name, tr.Length)
		}
		if tr.Title == "" || strings.Count(tr.Description, ".") < 3 {
			t.Errorf("%s has too short a title or description: %q, %q", tr.Name, tr.Title, tr.Description)
		}
		if got := int64(len(bytesOf(t, tr.Name))); got != tr.Size {
			t.Errorf("%s: Size is %d, and the recording has %d bytes", tr.Name, tr.Size, got)
		}
	}
	if size > most {
		t.Errorf("all recordings together have %d bytes, want at most %d", size, most)
	}
}

func TestRecordings_ReplayToRecordedDigest(t *testing.T) {
	for _, tr := range demo.Traces()[:6] {
		t.Run(tr.Name, func(t *testing.T) {
			e, report, err := play.Replay(bytes.NewReader(bytesOf(t, tr.Name)), play.Options{})
			switch {
			case err != nil:
				t.Fatal(err)
			case !report.OK() || !report.Exact || report.DigestDiffers || report.Damage != nil:
				t.Errorf("the replay differs: %+v", report)
			case report.Refused > 0 || len(e.Problems()) > 0:
				t.Errorf("%d inputs were rejected; problems: %v", report.Refused, e.Problems())
			case report.Decisions < 300:
				t.Errorf("there are %d decisions, too few to watch", report.Decisions)
			}
			if err := e.Check(); err != nil {
				t.Errorf("at the end: %v", err)
			}
		})
	}
}

func TestRecordings_Reproducible(t *testing.T) {
	for _, tr := range simulated() {
		t.Run(tr.Name, func(t *testing.T) {
			s, err := demo.Scenario(tr.Name)
			if err != nil {
				t.Fatal(err)
			}
			var again bytes.Buffer
			if err := s.Record(&again, nil); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(again.Bytes(), bytesOf(t, tr.Name)) {
				t.Error("the recording is stale, or this version of Go compresses differently: run make traces, and check what changed")
			}
		})
	}
}

// Seconds without events make a demo dull.
func TestRecordings_NoIdleSeconds(t *testing.T) {
	for _, tr := range demo.Traces() {
		r, err := trace.NewReader(bytes.NewReader(bytesOf(t, tr.Name)))
		if err != nil {
			t.Fatal(err)
		}
		last, idle := r.Header().Start, time.Duration(0)
		for record, err := range r.All() {
			if err != nil {
				t.Fatal(err)
			}
			idle, last = max(idle, record.At.Sub(last)), record.At
		}
		if idle > 4*time.Second {
			t.Errorf("%s has no events for %v", tr.Name, idle)
		}
		if ends := last.Sub(r.Header().Start); ends < tr.Length-5*time.Second {
			t.Errorf("%s ends after %v, want Length %v", tr.Name, ends, tr.Length)
		}
	}
}

func TestOpen_UnknownName(t *testing.T) {
	for _, open := range []func() error{
		func() error { _, err := demo.Open("../doc"); return err },
		func() error { _, err := demo.Source("lunch"); return err },
		func() error { _, err := demo.Scenario("lunch"); return err },
	} {
		if err := open(); err == nil || !strings.Contains(err.Error(), "there are morning-rush, priority-storm") {
			t.Errorf("opening an unknown recording: %v", err)
		}
	}
}

func printed(t *testing.T, name string) string {
	t.Helper()
	var out bytes.Buffer
	if err := demo.Print(&out, bytes.NewReader(bytesOf(t, name)), demo.PrintOptions{}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestPrint_LinePerEffect(t *testing.T) {
	rush := printed(t, "morning-rush")
	if again := printed(t, "morning-rush"); again != rush {
		t.Error("printing a recording twice gives different texts")
	}
	for _, line := range []string{
		`(?m)^   4\.\d{3}s  note             The shop opens: `,
		`(?m)^ +\d+\.\d{3}s  bind             default/storefront-\w+-\w+ to shop-(north|west|east)-\d+$`,
		`(?m)^ +\d+\.\d{3}s  Scheduled        default/checkout-\w+-\w+: Successfully assigned `,
		`(?m)^ +\d+\.\d{3}s  FailedScheduling default/recommend-\w+-\w+: 0/40 nodes are available: .*Insufficient nvidia.com/gpu`,
		`(?m)^ +\d+\.\d{3}s  first failure    default/`,
		`(?m)^ +\d+\.\d{3}s  nominate         shop-\w+-\d+ for default/`,
		`(?m)^ +\d+\.\d{3}s  evict            default/`,
		`(?m)^ 1(49|50)\.\d{3}s  end              \d+ decisions: \d+ placed, \d+ unschedulable; \d+ bound, \d+ still waiting; digest [0-9a-f]{16}\n$`,
	} {
		if !regexp.MustCompile(line).MatchString(rush) {
			t.Errorf("no line matches %s", line)
		}
	}
	if strings.Contains(rush, "  problem ") {
		t.Error("the text has a problem")
	}
}

type broken struct{ after int }

var errBroken = errors.New("the writer is broken")

func (b *broken) Write(p []byte) (int, error) {
	if b.after--; b.after < 0 {
		return 0, errBroken
	}
	return len(p), nil
}

func TestPrint_WriterError(t *testing.T) {
	if err := demo.Print(&broken{after: 3}, bytes.NewReader(bytesOf(t, "node-drain")), demo.PrintOptions{}); !errors.Is(err, errBroken) {
		t.Errorf("printing: %v, want %v", err, errBroken)
	}
}

func TestPrint_DamagedRecording(t *testing.T) {
	var out bytes.Buffer
	whole := bytesOf(t, "node-drain")
	err := demo.Print(&out, bytes.NewReader(whole[:len(whole)/2]), demo.PrintOptions{})
	var damage *trace.Damage
	if !errors.As(err, &damage) {
		t.Errorf("printing: %v, want the position of the damage", err)
	}
	if !strings.Contains(out.String(), "  bind ") || !strings.Contains(out.String(), "  end ") {
		t.Errorf("the readable part was not printed:\n%s", out.String())
	}
}
