package tui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/safe/footprint"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/fuzz"
	"orrery/core/world"
	"orrery/demo/playback"
)

// collector is a program that only keeps what Bubble Tea makes of its input.
type collector struct{ messages *[]tea.Msg }

func (c collector) Init() tea.Cmd { return nil }

func (c collector) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	*c.messages = append(*c.messages, msg)
	return c, nil
}

func (c collector) View() tea.View { return tea.NewView("") }

// messagesOf returns what a terminal's bytes come to, which include its replies to queries.
func messagesOf(t *testing.T, input []byte) (messages []tea.Msg) {
	synctest.Test(t, func(t *testing.T) {
		p := tea.NewProgram(collector{&messages}, tea.WithInput(bytes.NewReader(input)), tea.WithOutput(io.Discard), tea.WithoutSignalHandler(),
			tea.WithoutRenderer(), tea.WithEnvironment([]string{"TERM=xterm-256color"}), tea.WithWindowSize(80, 24))
		go func() {
			<-time.After(time.Second) // longer than an escape waits for the rest of its sequence
			p.Quit()
		}()
		if _, err := p.Run(); err != nil {
			t.Error(err)
		}
	})
	return messages
}

// FuzzInput reads what a terminal sends: keys, pastes, the mouse, its size, and replies to queries.
//
//orrery:reads tui tui/term
func FuzzInput(f *testing.F) {
	for _, input := range []string{
		"2\r/web\x1b[A\x1b[B\r?qq", ":goto 50%\r:filter a\x1b", "\x1b[200~\x1b]0;owned\a\x1b[201~:x\x1b[200~pasted\r\ntext\x1b[201~\r", "\x1b[<0;10;5M\x1b[<0;10;5m\x1b[<64;1;1M\x1b[<0;999999999;-1M",
		"\x1b]11;rgb:ffff/ffff/ffff\x1b\\\x1b[?2026;2$y\x1b[?1u\x1b[24;80R\x1b[8;99999;99999t", "\x1bOA\x1b[1;5C\x1b[27;5;9~\x1b[57414u\x1b[I\x1b[O", "wcordon node-0\rtab\t\x7f\x15\x17\x0b\x0c\xff\xfe\xc3", "\x1bP>|x\x1b\\\x1b_G\x1b\\\x1b[",
		":w\tn\t\r\x1b\x1b\x1b3\x1b[6~\x1b[5~GgeEdDsSrRtTxXcCvVbB", "::\x02\x06\x01\x05\x0e\x10 日本語\u202e\u200b👩\u200d🚀\r",
	} {
		f.Add([]byte(input), uint8(100), uint8(30))
	}
	source := namedCluster(f, "a", 3, 6)
	f.Fuzz(func(t *testing.T, input []byte, w, h uint8) {
		input = input[:min(len(input), 400)] // each key draws a frame
		fuzz.Cost(t, len(input), func() {
			s := watch(t, source, max(int(w), 1), max(int(h), 1))
			for _, msg := range messagesOf(t, input) {
				if _, is := msg.(tea.QuitMsg); is || s.saves() {
					continue
				}
				if size, is := msg.(tea.WindowSizeMsg); is { // the guard bounds sizes, and here smaller ones do
					msg = tea.WindowSizeMsg{Width: min(max(size.Width, 1), 200), Height: min(max(size.Height, 1), 60)}
				}
				s.send(msg)
				checkFrame(t, s)
			}
		})
	})
}

// saves reports whether what is typed on the command line would write a file.
func (s *session) saves() bool {
	p := s.screen.prompt
	return p != nil && strings.Contains(p.input.Value(), "sa")
}

// checkFrame checks that the screen has its size, and nothing that a terminal obeys.
func checkFrame(t *testing.T, s *session) {
	t.Helper()
	fuzz.Output(t, s.plain())
	for _, raw := range s.raw {
		if strings.ContainsAny(strings.TrimSuffix(strings.TrimPrefix(raw, "\x1b]52;c;"), "\a"), "\x1b\a\u009b") {
			t.Errorf("it writes %q", raw)
		}
	}
}

// FuzzTyped reads the command line of the screen, its filters, and hypothetical changes, as they are typed, with completions.
//
//orrery:reads tui views/filter core/answers/change core/safe/spelling
func FuzzTyped(f *testing.F) {
	for _, typed := range []string{"goto 50%", "speed 1e400x", "pods /-l a=b", "node a", "theme \u202e", "sort \x1b", "filter ~a", "whatif drain a", "pvc -n", "gangs a/b", "explain default/a", "demo x", "ctx a", "q"} {
		f.Add(":", typed, uint8(0))
	}
	f.Add("/", "!~a[b -l app in (a, b) -n \x9b", uint8(1))
	f.Add("w", "cordon a, taint a k=v:NoExecute, scale default/a 9999999999", uint8(5))
	recorded := minute()
	f.Fuzz(func(t *testing.T, prompt, typed string, pane uint8) {
		if !strings.Contains(":/w", prompt) || len(typed) > 200 || strings.Contains(typed, "sa") { // :save writes files
			return
		}
		fuzz.Cost(t, len(typed), func() {
			d, err := OpenRecording(bytes.NewReader(recorded), playback.Options{Name: "minute.orrery"}, nil)
			if err != nil {
				t.Fatal(err)
			}
			s := watch(t, d, 100, 30).keys(keysToPanes[int(pane)%len(keysToPanes)]...)
			s.keys(prompt).typeText(strings.ToValidUTF8(typed, "?"))
			checkFrame(t, s)
			s.keys("tab", "enter")
			checkFrame(t, s)
		})
	})
}

// FuzzMoment reads times of the command line's goto.
//
//orrery:reads tui
func FuzzMoment(f *testing.F) {
	for _, text := range []string{"01:30", "90s", "+10s", "-10s", "50%", "100.0000001%", "NaN%", "09:01:30", "99999999999:59.9", "1e400:0", "0x1p-2%", "\x1b"} {
		f.Add(text, int64(1772442000), int64(time.Hour), int64(time.Minute))
	}
	f.Fuzz(func(t *testing.T, text string, begins, length, now int64) {
		begin := time.Unix(begins%(1<<35), 0).UTC()
		end := begin.Add(time.Duration(max(length, 0)))
		fuzz.Cost(t, len(text), func() {
			at, err := parseMoment(text, begin, end, begin.Add(time.Duration(now)))
			switch {
			case err != nil:
				fuzz.Error(t, err)
			case strings.HasSuffix(text, "%") && (at.Before(begin) || at.After(end)):
				t.Errorf("%q of %v to %v is %v", text, begin, end, at)
			}
		})
	})
}

// FuzzPanes reads objects of a cluster, schedules its pods, and draws a pane.
//
//orrery:reads views tui core/answers/diagnose core/scheduler/engine
func FuzzPanes(f *testing.F) {
	known := world.Kinds()
	for i, objects := range []string{
		`{"metadata":{"name":"a","labels":{"\u001b[2J":"x"}},"status":{"allocatable":{"cpu":"1","pods":"9"},"conditions":[{"type":"Ready","status":"\u202e"}]}}` + "\n" + `{"metadata":{"name":"p","namespace":"n"},"spec":{"containers":[{"resources":{"requests":{"cpu":"2"}}}]}}`,
		`{}` + "\n" + `{"metadata":{"name":"p"},"spec":{"schedulingGates":[{"name":"\u009b"}],"tolerations":[{"key":"\u001b"}]},"status":{"conditions":[{"type":"PodScheduled","status":"False","message":"\u001b]0;x\u0007"}]}}`,
	} {
		f.Add(objects, []byte{byte(slices.Index(known, world.Node)), byte(slices.Index(known, world.Pod))}, uint8(i))
	}
	f.Fuzz(func(t *testing.T, objects string, kinds []byte, pane uint8) {
		fuzz.Cost(t, len(objects), func() {
			e, err := engine.New(engine.Options{Start: start})
			if err != nil {
				t.Fatal(err)
			}
			for i, text := range strings.Split(objects, "\n") {
				if i >= len(kinds) || i >= 20 {
					break
				}
				o, err := world.New(known[int(kinds[i])%len(known)])
				if err != nil {
					t.Fatal(err)
				}
				if footprint.Of(o).JSON([]byte(text)) >= footprint.HugeQuantity || json.Unmarshal([]byte(text), o) != nil {
					continue
				}
				o.SetUID(types.UID(fmt.Sprint(i)))
				_ = e.Apply(world.Input{At: start, Event: world.Changed{Op: world.Added, Object: o}}) // hostile objects are refused
			}
			for range 20 {
				e.Step()
			}
			s := watch(t, staticSource{e}, 100, 30).keys(keysToPanes[int(pane)%len(keysToPanes)]...)
			checkFrame(t, s)
		})
	})
}
