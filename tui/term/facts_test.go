package term_test

import (
	"encoding/base64"
	"os"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/creack/pty"

	"orrery/themes"
	"orrery/tui/term"
	"orrery/views/draw"
)

// detect examines a terminal of 80 columns with an environment written as one line.
func detect(t *testing.T, env string, w term.Preferences) term.Facts {
	t.Helper()
	master, slave, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { master.Close(); slave.Close() })
	f, err := term.Detect(strings.Fields(env), slave, slave, w)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestDetect_ColorProfile(t *testing.T) {
	for _, tt := range []struct {
		name, env, preference string
		want                  themes.Profile
	}{
		{"COLORTERM=truecolor", "TERM=xterm-256color COLORTERM=truecolor", "", themes.TrueColor},
		{"a terminal known for true colours", "TERM=xterm-kitty", "", themes.TrueColor},
		{"a terminal name with direct", "TERM=xterm-direct", "", themes.TrueColor},
		{"a terminal name with 256color", "TERM=xterm-256color", "", themes.Palette256},
		{"tmux has a palette", "TERM=tmux TMUX=/tmp/t,1,0", "", themes.Palette256},
		{"tmux with COLORTERM=truecolor", "TERM=screen-256color TMUX=/tmp/t,1,0 COLORTERM=truecolor", "", themes.TrueColor},
		{"GNU screen inherits COLORTERM from another terminal", "TERM=screen-256color COLORTERM=truecolor", "", themes.Palette256},
		{"any other terminal has sixteen colours", "TERM=xterm", "", themes.Palette16},
		{"the console has sixteen colours", "TERM=linux", "", themes.Palette16},
		{"a vt100 has no colours", "TERM=vt100", "", themes.NoColor},
		{"NO_COLOR of any value", "TERM=xterm-256color COLORTERM=truecolor NO_COLOR=yes", "", themes.NoColor},
		{"an empty NO_COLOR is ignored", "TERM=xterm-256color NO_COLOR=", "", themes.Palette256},
		{"NO_COLOR overrides CLICOLOR_FORCE", "TERM=xterm-256color NO_COLOR=1 CLICOLOR_FORCE=1", "", themes.NoColor},
		{"--color=always overrides NO_COLOR", "TERM=xterm-256color NO_COLOR=1", "always", themes.Palette256},
		{"--color=never", "TERM=xterm-256color COLORTERM=truecolor", "never", themes.NoColor},
		{"CLICOLOR_FORCE gives at least sixteen colours", "TERM=vt100 CLICOLOR_FORCE=1", "", themes.Palette16},
		{"CLICOLOR_FORCE=0 is ignored", "TERM=vt100 CLICOLOR_FORCE=0", "", themes.NoColor},
		{"CLICOLOR=0 disables colours", "TERM=xterm CLICOLOR=0", "", themes.NoColor},
		{"the later of two equal variables counts", "TERM=xterm TERM=xterm-256color", "", themes.Palette256},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := detect(t, tt.env, term.Preferences{Color: tt.preference}).Profile; got != tt.want {
				t.Errorf("the profile is %v, want %v", got, tt.want)
			}
		})
	}
}

func TestDetect_Glyphs(t *testing.T) {
	for _, tt := range []struct {
		name, env, preference string
		want                  draw.Glyphs
	}{
		{"a UTF-8 locale", "TERM=xterm LANG=en_US.UTF-8", "", draw.Braille},
		{"utf8 without the hyphen", "TERM=xterm LANG=C.utf8", "", draw.Braille},
		{"no locale", "TERM=xterm", "", draw.Braille},
		{"C is ASCII", "TERM=xterm LANG=C", "", draw.ASCII},
		{"a Latin locale is ASCII", "TERM=xterm LANG=de_DE.ISO-8859-1", "", draw.ASCII},
		{"LC_ALL overrides LC_CTYPE and LANG", "TERM=xterm LC_ALL=C LC_CTYPE=en_US.UTF-8 LANG=en_US.UTF-8", "", draw.ASCII},
		{"LC_CTYPE overrides LANG", "TERM=xterm LC_CTYPE=en_US.UTF-8 LANG=C", "", draw.Braille},
		{"the console's font is small", "TERM=linux LANG=en_US.UTF-8", "", draw.ASCII},
		{"--glyphs=block overrides all", "TERM=linux LANG=C", "block", draw.Block},
		{"--glyphs=ascii", "TERM=xterm LANG=en_US.UTF-8", "ascii", draw.ASCII},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := detect(t, tt.env, term.Preferences{Glyphs: tt.preference}).Glyphs; got != tt.want {
				t.Errorf("the glyphs are %v, want %v", got, tt.want)
			}
		})
	}
}

// TestDetect_NamesConsoleOfWindows detects this terminal as Windows' own, which has no TERM.
func TestDetect_NamesConsoleOfWindows(t *testing.T) {
	master, slave, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	defer slave.Close()
	for _, tt := range []struct {
		env, name string
		profile   themes.Profile
		refused   bool
	}{
		{"", "xterm-256color", themes.Palette256, false},
		{"TERM=", "xterm-256color", themes.Palette256, false},
		{"WT_SESSION=5ea0f0e4", "xterm-256color", themes.TrueColor, false},
		{"TERM=xterm", "xterm", themes.Palette16, false},
		{"TERM=dumb", "dumb", themes.NoColor, true},
	} {
		f, err := term.DetectOn("windows", strings.Fields(tt.env), slave, slave, term.Preferences{})
		if err != nil {
			t.Fatal(err)
		}
		if last := f.Env[len(f.Env)-1]; f.Profile != tt.profile || (f.Refusal != "") != tt.refused || tt.profile != themes.TrueColor && last != "TERM="+tt.name {
			t.Errorf("%q: the profile is %v, the refusal %q, the environment %q", tt.env, f.Profile, f.Refusal, f.Env)
		}
	}
}

func TestDetect_RefusesScreen(t *testing.T) {
	for _, tt := range []struct {
		name, env, want string
		forbidden       bool
	}{
		{"a terminal has a screen", "TERM=xterm", "", false},
		{"a dumb terminal has none", "TERM=dumb", "cannot move its cursor (TERM=dumb)", true},
		{"a terminal without a name has none", "", "cannot move its cursor (TERM=)", true},
		{"a build machine has none unless it is requested", "TERM=xterm CI=true", "build machine", false},
		{"CI=false is no build machine", "TERM=xterm CI=false", "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := detect(t, tt.env, term.Preferences{})
			if !strings.Contains(f.Refusal, tt.want) || (tt.want == "") != (f.Refusal == "") || f.Impossible != tt.forbidden {
				t.Errorf("the refusal is %q (forbidden %v), want %q (%v)", f.Refusal, f.Impossible, tt.want, tt.forbidden)
			}
		})
	}
	t.Run("a pipe has no screen", func(t *testing.T) {
		_, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		f, err := term.Detect([]string{"TERM=xterm-256color", "COLORTERM=truecolor"}, os.Stdin, w, term.Preferences{})
		if err != nil || f.Refusal != "the standard output is not a terminal" || !f.Impossible || f.Profile != themes.NoColor {
			t.Errorf("the facts are %+v, error %v", f, err)
		}
		if f, _ = term.Detect([]string{"TERM=xterm-256color", "CLICOLOR_FORCE=1"}, os.Stdin, w, term.Preferences{}); f.Profile != themes.Palette256 {
			t.Errorf("with CLICOLOR_FORCE the profile is %v", f.Profile)
		}
	})
}

func TestDetect_InvalidPreference(t *testing.T) {
	for preference, want := range map[term.Preferences]string{
		{Color: "sometimes"}: `--color="sometimes": say auto, always or never`,
		{Glyphs: "emoji"}:    `--glyphs="emoji": say auto, braille, block or ascii`,
	} {
		if _, err := term.Detect(nil, os.Stdin, os.Stdout, preference); err == nil || err.Error() != want {
			t.Errorf("the error is %v, want %s", err, want)
		}
	}
}

func TestDetect_LightBackground(t *testing.T) {
	for env, want := range map[string]bool{"COLORFGBG=0;15": true, "COLORFGBG=15;0": false, "COLORFGBG=0;default;7": true, "COLORFGBG=12;8": false, "": false, "COLORFGBG=x": false} {
		if got := detect(t, "TERM=xterm "+env, term.Preferences{}).Light; got != want {
			t.Errorf("with %q the background is light: %v, want %v", env, got, want)
		}
	}
}

func TestDetect_UnknownSize(t *testing.T) {
	for _, tt := range []struct {
		env  string
		w, h int
	}{{"TERM=xterm", 80, 24}, {"TERM=xterm COLUMNS=132 LINES=43", 132, 43}, {"TERM=xterm COLUMNS=-3 LINES=x", 80, 24}, {"TERM=xterm COLUMNS=99999999", 1000, 24}} {
		if f := detect(t, tt.env, term.Preferences{}); f.Width != tt.w || f.Height != tt.h {
			t.Errorf("with %q the size is %dx%d, want %dx%d", tt.env, f.Width, f.Height, tt.w, tt.h)
		}
	}
}

func TestCopy_MakesTextVisible(t *testing.T) {
	for _, tt := range []struct{ name, env, text, want string }{
		{"a line", "TERM=xterm", "web-1", "\x1b]52;c;" + in64("web-1") + "\a"},
		{"several lines", "TERM=xterm", "a: 1\r\nb: 2\n", "\x1b]52;c;" + in64("a: 1\nb: 2\n") + "\a"},
		{"control characters become visible", "TERM=xterm", "rm\x1b[A\u202ex", "\x1b]52;c;" + in64(`rm\x1b[A\u202ex`) + "\a"},
		{
			"tmux takes it or passes it on", "TERM=tmux TMUX=/tmp/t", "w",
			"\x1b]52;c;" + in64("w") + "\a" + "\x1bPtmux;\x1b\x1b]52;c;" + in64("w") + "\a\x1b\\",
		},
		{"GNU screen passes it on", "TERM=screen", "w", "\x1bP\x1b]52;c;" + in64("w") + "\a\x1b\\"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cmd, ok := detect(t, tt.env, term.Preferences{}).Copy(tt.text)
			if !ok {
				t.Fatal("the text is not copied")
			}
			if got := cmd().(tea.RawMsg).Msg; got != tt.want {
				t.Errorf("the sequence is %q, want %q", got, tt.want)
			}
		})
	}
	if cmd, ok := detect(t, "TERM=xterm", term.Preferences{}).Copy(strings.Repeat("0123456\n", term.MaxCopied/8+1)); ok || cmd != nil {
		t.Error("a text that is too long is sent")
	}
}

func in64(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
