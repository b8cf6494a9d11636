package app

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"
)

func TestMoment_Parse(t *testing.T) {
	start := time.Date(2026, 3, 2, 23, 59, 0, 0, time.UTC)
	for _, c := range []struct{ name, text, want string }{
		{"the whole time", "2026-03-03T00:10:00Z", "2026-03-03T00:10:00.000Z"},
		{"with a fraction", "2026-03-03T00:10:00.25Z", "2026-03-03T00:10:00.250Z"},
		{"in another zone", "2026-03-03T02:10:00+02:00", "2026-03-03T00:10:00.000Z"},
		{"without a zone", "2026-03-03 00:10", "2026-03-03T00:10:00.000Z"},
		{"a time of day", "23:59:30", "2026-03-02T23:59:30.000Z"},
		{"a time of day with a fraction", "23:59:30.5", "2026-03-02T23:59:30.500Z"},
		{"a time of day after midnight", "00:05", "2026-03-03T00:05:00.000Z"},
		{"after the beginning", "+1m30s", "2026-03-03T00:00:30.000Z"},
		{"the beginning", "+0s", "2026-03-02T23:59:00.000Z"},
		{"a duration that is none", "+soon", ""},
		{"before the beginning", "+-1s", ""},
		{"no time", "tomorrow", ""},
		{"nothing", "", ""},
	} {
		got, err := parseMoment(c.text, start)
		if (err != nil) != (c.want == "") || err == nil && timeText(got) != c.want {
			t.Errorf("%s: %q is %s, %v, want %s", c.name, c.text, timeText(got), err, c.want)
		}
	}
}

// A moment is printed so that --at takes it for the same.
func TestMoment_PrintedAsExactlyAsTaken(t *testing.T) {
	start := time.Date(2026, 3, 2, 23, 59, 0, 1, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		since := time.Duration(rapid.Int64Range(0, int64(90*time.Minute)).Draw(t, "since"))
		since = since.Truncate(rapid.SampledFrom([]time.Duration{1, time.Microsecond, time.Millisecond, time.Second}).Draw(t, "unit"))
		at := start.Add(since)
		for _, text := range []string{timeText(at), offsetText(since), string(momentOf(at))} {
			if got, err := parseMoment(text, start); err != nil || !got.Equal(at) {
				t.Fatalf("%s is printed as %q and taken for %s, %v", at.Format(time.RFC3339Nano), text, got.Format(time.RFC3339Nano), err)
			}
		}
	})
}

func TestDurationText(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 12345 * time.Microsecond: "12ms", 2345 * time.Millisecond: "2.3s", 200 * time.Second: "3m20s",
		2*time.Hour + 5*time.Minute + 9*time.Second: "2h5m", time.Hour - 1: "1h0m",
	} {
		if got := durationText(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}

func TestOutput_EscapesUnprintable(t *testing.T) {
	in := map[string]string{"name": "a\x1b[2J\u202e\u0085\U000e0041é漢<>&\n", "number": "1"}
	for _, tt := range []struct {
		format    string
		unmarshal func([]byte, any) error
		want      string
	}{
		{asJSON, json.Unmarshal, "{\n  \"name\": \"a\\u001b[2J\\u202e\\u0085\\udb40\\udc41é漢<>&\\n\",\n  \"number\": \"1\"\n}\n"},
		{asYAML, func(text []byte, to any) error { return yaml.Unmarshal(text, to) }, "name: \"a\\e[2J\\U0000202e\\N\\U000E0041é漢<>&\\n\"\nnumber: \"1\"\n"},
	} {
		t.Run(tt.format, func(t *testing.T) {
			var page bytes.Buffer
			c := &cobra.Command{}
			c.SetOut(&page)
			out := output{format: tt.format}
			if err := out.print(c, in, nil); err != nil {
				t.Fatal(err)
			}
			if page.String() != tt.want {
				t.Errorf("printed %q, want %q", page.String(), tt.want)
			}
			var back map[string]string
			if err := tt.unmarshal(page.Bytes(), &back); err != nil || back["name"] != in["name"] || back["number"] != "1" {
				t.Errorf("it comes back as %q, %v", back, err)
			}
		})
	}
}

func TestWrapText(t *testing.T) {
	got := wrapText("One line.\n\n  Words that go on and on \x1b[1m.", 12)
	if diff := cmp.Diff([]string{"One line.", "Words that", "go on and on", `\x1b[1m.`}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestProgress_TerminalOnly runs a command with a terminal and with a pipe as stderr.
func TestProgress_TerminalOnly(t *testing.T) {
	t.Setenv("TERM", "xterm")
	terminal, theirs, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	defer terminal.Close()
	show := func(to *os.File) {
		c := &cobra.Command{}
		c.SetErr(to)
		p := newProgress(c, "reading cluster.orrery")
		p.began = p.began.Add(-time.Hour)
		from := p.reading(strings.NewReader("half"), 8)
		_, _ = from.Read(make([]byte, 4))
		p.done()
		to.Close()
	}
	show(theirs)
	seen := make([]byte, 200)
	n, _ := terminal.Read(seen)
	if got, want := string(seen[:n]), "\rreading cluster.orrery: 50% of 8 B\x1b[K"; !strings.HasPrefix(got, want) {
		t.Errorf("the terminal sees %q, want %q", got, want)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	show(w)
	if n, _ := r.Read(seen); n != 0 {
		t.Errorf("the pipe sees %q", seen[:n])
	}
}
