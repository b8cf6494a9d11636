package term

import (
	"os"
	"strings"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/term"

	"orrery/themes"
	"orrery/views/draw"
)

// Facts are what a program knows about its terminal before it draws.
type Facts struct {
	// In and Out are the terminal. Keys come from /dev/tty where the standard input is something else.
	In, Out *os.File
	// Env are the environment's variables.
	Env []string
	// Refusal is why there should be no screen, or empty.
	Refusal string
	// Forbidden says that there cannot be a screen even for someone who insists.
	Forbidden bool
	// Profile is how many colours there are.
	Profile themes.Profile
	// Glyphs are how rich the font is.
	Glyphs draw.Glyphs
	// Width and Height are the size to draw for until the terminal tells one.
	Width, Height int
	// Light is what the environment says of the ground's lightness. The terminal's own answer to [Facts.AskGround] is
	// better.
	Light bool
}

// Wishes are what the command line says, each word empty or "auto" for as the terminal is.
type Wishes struct {
	Color  string // always, never
	Glyphs string // braille, block, ascii
}

// Detect finds out about the terminal. Its errors are about the wishes.
func Detect(env []string, in, out *os.File, w Wishes) (Facts, error) {
	e := environment(env)
	f := Facts{In: in, Out: out, Env: env, Light: e.lightGround()}
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
		f.Refusal, f.Forbidden = "the standard output is not a terminal", true
	case e.dumb():
		f.Refusal, f.Forbidden = "the terminal cannot move its cursor (TERM="+e.get("TERM")+")", true
	case !f.findKeys():
		f.Refusal, f.Forbidden = "there is no terminal to read keys from", true
	case e.get("CI") != "" && e.get("CI") != "false":
		f.Refusal = "this is a build machine (CI is set)"
	}
	return f, nil
}

// findKeys makes sure that In is a terminal.
func (f *Facts) findKeys() bool {
	if term.IsTerminal(f.In.Fd()) {
		return true
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return false
	}
	f.In = tty
	return true
}

// ColorProfile is the profile in Bubble Tea's terms.
func (f Facts) ColorProfile() colorprofile.Profile {
	return [...]colorprofile.Profile{
		themes.TrueColor:  colorprofile.TrueColor,
		themes.Palette256: colorprofile.ANSI256,
		themes.Palette16:  colorprofile.ANSI,
		themes.NoColor:    colorprofile.ASCII,
	}[f.Profile]
}

// environment are the variables, a later one before an earlier.
type environment []string

func (e environment) get(name string) string {
	for i := len(e) - 1; i >= 0; i-- {
		if key, value, ok := strings.Cut(e[i], "="); ok && key == name {
			return value
		}
	}
	return ""
}

func (e environment) dumb() bool {
	name := e.get("TERM")
	return name == "" || name == "dumb" || name == "unknown"
}

// plain tells of terminals too old to be asked anything: they would show the question.
func (e environment) plain() bool {
	name := e.get("TERM")
	for _, old := range []string{"linux", "vt1", "vt2", "vt3", "vt4", "vt5", "ansi", "cons25", "sun", "cygwin"} {
		if strings.HasPrefix(name, old) {
			return true
		}
	}
	return false
}

// quietEnv is the environment for Bubble Tea. It asks most terminals about their modes as it starts, but none behind ssh;
// old terminals, which would print the question, are made to look as if they were.
func (f Facts) quietEnv() []string {
	if environment(f.Env).plain() {
		return append(f.Env[:len(f.Env):len(f.Env)], "SSH_TTY=/dev/tty")
	}
	return f.Env
}
