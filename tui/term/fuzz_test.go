package term_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"orrery/core/testing/fuzz"
	"orrery/tui/term"
)

// FuzzEnvironment reads the variables and the flags that say what a terminal can, and the sizes that it reports.
//
//orrery:reads tui/term
func FuzzEnvironment(f *testing.F) {
	for _, env := range []string{
		"TERM=xterm-256color\nCOLORTERM=truecolor\nCOLORFGBG=15;0\nCOLUMNS=80\nLINES=24", "TERM=screen\nTMUX=x\nCOLUMNS=-9223372036854775808\nLINES=1e9", "TERM=\x1b[2J\nCOLORFGBG=;;99999999999999999999",
		"NO_COLOR=1\nCLICOLOR_FORCE=0", "TERM\n=\n\x00", "LANG=C\nTERM=linux", "LC_ALL=de_DE.UTF-8\nTERM=vt220",
	} {
		f.Add(env, "auto", "", 0, -1)
		f.Add(env, "\x1b", "braille", 1<<40, 7)
	}
	none, err := os.Open(os.DevNull)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, env, color, glyphs string, w, h int) {
		fuzz.Cost(t, len(env), func() {
			facts, err := term.Detect(strings.Split(env, "\n"), none, none, term.Preferences{Color: color, Glyphs: glyphs})
			if err != nil {
				fuzz.Error(t, err)
				return
			}
			size := facts.FixSize(tea.WindowSizeMsg{Width: w, Height: h})
			for _, n := range []int{facts.Width, facts.Height, size.Width, size.Height} {
				if n < 1 || n > 1000 {
					t.Errorf("the size is %d x %d, and %d x %d for %d x %d", facts.Width, facts.Height, size.Width, size.Height, w, h)
				}
			}
			facts.ColorProfile()
			facts.QueryBackground()
		})
	})
}

// FuzzCopy reads text that goes to the terminal's clipboard.
//
//orrery:reads tui/term
func FuzzCopy(f *testing.F) {
	f.Add("kubectl get pod web-0\r\nsecond\x1b[2J", "TERM=xterm")
	f.Add("\u202e\xff", "TERM=screen")
	f.Add(strings.Repeat("x", 56_001), "TMUX=x")
	f.Fuzz(func(t *testing.T, text, env string) {
		facts := term.Facts{Env: strings.Split(env, "\n")}
		fuzz.Cost(t, len(text)+len(env), func() {
			copied, ok := facts.Copy(text)
			if !ok {
				return
			}
			sequence := fmt.Sprint(copied().(tea.RawMsg).Msg)
			if !strings.HasPrefix(sequence, "\x1b") || len(sequence) > 4*term.MaxCopied {
				t.Errorf("%.40q is copied with %d bytes: %.80q", text, len(sequence), sequence)
			}
			body := strings.NewReplacer("\x1bPtmux;", "", "\x1bP", "", "\x1b\x1b]52;c;", "", "\x1b]52;c;", "", "\x1b\\", "", "\a", "").Replace(sequence)
			fuzz.Output(t, body)
		})
	})
}
