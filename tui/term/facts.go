package term

import (
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/term"

	"orrery/themes"
	"orrery/views/draw"
)

// Facts describe the terminal before the program draws.
type Facts struct {
	// In and Out are the terminal. Keys come from the console's device if the standard input is not a terminal.
	In, Out *os.File
	// Env is the environment.
	Env []string
	// Refusal is why there should be no screen; empty if there may be one.
	Refusal string
	// Impossible means that there cannot be a screen even on request.
	Impossible bool
	// Profile is how many colours the terminal has.
	Profile themes.Profile
	// Glyphs is how rich the font is.
	Glyphs draw.Glyphs
	// Width and Height are the size to draw for until the terminal reports one.
	Width, Height int
	// Light is the background's lightness by the environment. The terminal's own answer to [Facts.QueryBackground] is
	// better.
	Light bool
}

// Preferences are the settings of the command line; empty or "auto" follows the terminal.
type Preferences struct {
	Color  string // always, never
	Glyphs string // braille, block, ascii
}

// Detect examines the terminal. Its errors are about the preferences.
func Detect(env []string, in, out *os.File, w Preferences) (Facts, error) {
	return consoleOn(runtime.GOOS).detect(env, in, out, w)
}

func (c console) detect(env []string, in, out *os.File, w Preferences) (Facts, error) {
	e := environment(env).named(c.name)
	f := Facts{In: in, Out: out, Env: e, Light: e.lightBackground()}
	screen := term.IsTerminal(out.Fd())
	var err error
	if f.Profile, err = e.profile(w.Color, screen); err != nil {
		return f, err
	}
	if f.Glyphs, err = e.glyphs(w.Glyphs); err != nil {
		return f, err
	}
	f.Width, f.Height = e.size(out)
	switch {
	case !screen:
		f.Refusal, f.Impossible = "the standard output is not a terminal", true
	case e.dumb():
		f.Refusal, f.Impossible = "the terminal cannot move its cursor (TERM="+e.get("TERM")+")", true
	case !f.openKeys(c.device):
		f.Refusal, f.Impossible = "there is no terminal to read keys from", true
	case e.get("CI") != "" && e.get("CI") != "false":
		f.Refusal = "this is a build machine (CI is set)"
	}
	return f, nil
}

// openKeys reports whether keys can be read: In is a terminal, or becomes that of a device.
func (f *Facts) openKeys(device string) bool {
	if term.IsTerminal(f.In.Fd()) {
		return true
	}
	tty, err := os.OpenFile(device, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	f.In = tty
	return true
}

// ColorProfile returns the profile in Bubble Tea's terms.
func (f Facts) ColorProfile() colorprofile.Profile {
	return [...]colorprofile.Profile{
		themes.TrueColor:  colorprofile.TrueColor,
		themes.Palette256: colorprofile.ANSI256,
		themes.Palette16:  colorprofile.ANSI,
		themes.NoColor:    colorprofile.ASCII,
	}[f.Profile]
}

// environment holds the variables; a later one overrides an earlier.
type environment []string

func (e environment) get(name string) string {
	for i := len(e) - 1; i >= 0; i-- {
		if key, value, ok := strings.Cut(e[i], "="); ok && key == name {
			return value
		}
	}
	return ""
}

// named returns the environment with a terminal's name, if it has none.
func (e environment) named(terminal string) environment {
	if terminal == "" || e.get("TERM") != "" {
		return e
	}
	return append(e[:len(e):len(e)], "TERM="+terminal)
}

func (e environment) dumb() bool {
	name := e.get("TERM")
	return name == "" || name == "dumb" || name == "unknown"
}

// oldTerminal reports whether the terminal is too old to be queried: it would print the query.
func (e environment) oldTerminal() bool {
	name := e.get("TERM")
	return slices.ContainsFunc([]string{"linux", "vt1", "vt2", "vt3", "vt4", "vt5", "ansi", "cons25", "sun", "cygwin"}, func(old string) bool {
		return strings.HasPrefix(name, old)
	})
}

// teaEnv returns the environment for Bubble Tea. Bubble Tea queries most terminals for their modes as it starts, but
// none behind ssh; old terminals, which would print the query, are made to look like ssh.
func (f Facts) teaEnv() []string {
	if environment(f.Env).oldTerminal() {
		return append(f.Env[:len(f.Env):len(f.Env)], "SSH_TTY=/dev/tty")
	}
	return f.Env
}
