package term

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"orrery/core/safe/printable"
	"orrery/themes"
)

// profile returns how many colours to use. The command line overrides NO_COLOR, NO_COLOR overrides CLICOLOR_FORCE, and
// that overrides the terminal's type.
func (e environment) profile(preference string, screen bool) (themes.Profile, error) {
	switch preference {
	case "", "auto":
	case "never":
		return themes.NoColor, nil
	case "always":
		return min(e.colors(), themes.Palette16), nil
	default:
		return 0, fmt.Errorf("--color=%q: say auto, always or never", printable.Line(preference, 40))
	}
	force := e.get("CLICOLOR_FORCE")
	switch {
	case e.get("NO_COLOR") != "":
		return themes.NoColor, nil
	case force != "" && force != "0":
		return min(e.colors(), themes.Palette16), nil
	case !screen, e.get("CLICOLOR") == "0":
		return themes.NoColor, nil
	}
	return e.colors(), nil
}

// trueColorTerminals name terminals that show true colors.
var trueColorTerminals = []string{"alacritty", "contour", "foot", "ghostty", "kitty", "rio", "wezterm", "iterm"}

// colors returns how many colours the terminal has, by TERM and COLORTERM.
func (e environment) colors() themes.Profile {
	name := e.get("TERM")
	declared := slices.Contains([]string{"truecolor", "24bit"}, strings.ToLower(e.get("COLORTERM")))
	switch {
	case e.dumb(), strings.HasPrefix(name, "vt"), strings.HasSuffix(name, "-m"), strings.HasSuffix(name, "-mono"):
		return themes.NoColor
	case strings.HasPrefix(name, "screen") && e.get("TMUX") == "":
		// GNU screen passes COLORTERM on from the terminal it was started in, and does not understand true colours.
		return themes.Palette256
	case declared, strings.HasSuffix(name, "-direct"), e.get("WT_SESSION") != "":
		return themes.TrueColor
	case slices.ContainsFunc(trueColorTerminals, func(known string) bool { return strings.Contains(name, known) }):
		return themes.TrueColor
	case strings.HasSuffix(name, "256color"), strings.HasPrefix(name, "tmux"), strings.HasPrefix(name, "screen"):
		return themes.Palette256
	}
	return themes.Palette16
}

// erases reports whether the terminal can blank cells without writing them (ECH).
func (e environment) erases() bool {
	name, _, _ := strings.Cut(e.get("TERM"), "-")
	return slices.Contains([]string{"alacritty", "contour", "foot", "ghostty", "kitty", "linux", "rio", "screen", "st", "tmux", "wezterm", "xterm"}, name)
}

// lightBackground reads COLORFGBG, which some terminals set to the numbers of the foreground and the background.
func (e environment) lightBackground() bool {
	pair := e.get("COLORFGBG")
	ground, err := strconv.Atoi(pair[strings.LastIndexByte(pair, ';')+1:])
	return err == nil && (ground == 7 || ground > 8 && ground < 16)
}

// QueryBackground queries the terminal's background color. The answer comes as a tea.BackgroundColorMsg, at any time or
// never, and nothing waits for it. It returns nil, a command without effect, where the query would be printed or the
// answer would change nothing.
func (f Facts) QueryBackground() tea.Cmd {
	if environment(f.Env).oldTerminal() || f.Profile == themes.NoColor {
		return nil
	}
	return tea.RequestBackgroundColor
}
