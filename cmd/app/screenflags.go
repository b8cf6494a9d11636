package app

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"orrery/core/safe/printable"
	"orrery/themes"
	"orrery/tui"
	"orrery/tui/term"
)

// screenFlags are the flags of commands that draw on the whole terminal.
type screenFlags struct {
	theme       string
	preferences term.Preferences
	fps         int
	view        string
	// set reports whether a flag was given.
	set func(string) bool
}

func (f *screenFlags) addFlags(c *cobra.Command) {
	flags := c.Flags()
	f.set = flags.Changed
	flags.StringVar(&f.theme, "theme", "", "the colours: "+strings.Join(themeNames(), ", ")+", or a file")
	flags.StringVar(&f.preferences.Color, "color", "auto", "auto, always or never")
	flags.StringVar(&f.preferences.Glyphs, "glyphs", "auto", "auto, braille, block or ascii")
	flags.StringVar(&f.view, "view", "overview", "the `pane` that is open at first, such as queue, zones or orrery")
	flags.IntVar(&f.fps, "fps", 30, "frames per second, at most 60")
	_ = c.RegisterFlagCompletionFunc("color", cobra.FixedCompletions([]string{"auto", "always", "never"}, cobra.ShellCompDirectiveNoFileComp))
	_ = c.RegisterFlagCompletionFunc("glyphs", cobra.FixedCompletions([]string{"auto", "braille", "block", "ascii"}, cobra.ShellCompDirectiveNoFileComp))
	_ = c.RegisterFlagCompletionFunc("view", cobra.FixedCompletions(tui.ViewNames(), cobra.ShellCompDirectiveNoFileComp))
	_ = c.RegisterFlagCompletionFunc("theme", cobra.FixedCompletions(themeNames(), cobra.ShellCompDirectiveDefault))
}

// options returns the options for this terminal. If it cannot show the screen, Terminal.Refusal says why.
func (f *screenFlags) options() (tui.Options, error) {
	facts, err := term.Detect(os.Environ(), os.Stdin, os.Stdout, f.preferences)
	if err != nil {
		return tui.Options{}, err
	}
	set, err := tui.ReadSettings(tui.SettingsFile(os.Getenv))
	if err != nil {
		return tui.Options{}, err
	}
	remembered := tui.RememberedFile(os.Getenv)
	set.Recall(remembered)
	if _, err := tui.UseKeys(set); err != nil {
		return tui.Options{}, err
	}
	if set.View != "" && !f.set("view") {
		f.view = set.View
	}
	view, ok := tui.ViewNamed(f.view)
	if !ok {
		return tui.Options{}, fmt.Errorf("--view=%q: there is no such pane%s", printable.Line(f.view, 40), suggestion(f.view, tui.ViewNames()))
	}
	chosen := f.theme
	if chosen == "" {
		chosen = set.Theme
	}
	theme, all, err := chosenTheme(chosen)
	if err != nil && f.theme == "" && set.Theme != "" {
		err = fmt.Errorf("%s: %w", tui.SettingsFile(os.Getenv), err)
	}
	return tui.Options{Terminal: facts, Theme: theme, Themes: all, FPS: f.fps, View: view, Settings: set, Remembered: remembered}, err
}

// chosenTheme returns the theme of a name or a file, nil for the one that fits the terminal, and all available themes:
// the built-in ones and those in the user's theme folder.
func chosenTheme(name string) (theme *themes.Theme, all []*themes.Theme, err error) {
	own, err := themes.ReadFolder(themes.Folder(os.Getenv))
	if err != nil {
		return nil, nil, err
	}
	all = append(themes.Shipped(), own...)
	if name == "" || name == "auto" {
		return nil, all, nil
	}
	if i := slices.IndexFunc(all, func(t *themes.Theme) bool { return t.Name == name }); i >= 0 {
		return all[i], all, nil
	}
	theme, err = themes.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil, fmt.Errorf("--theme: there is neither a theme nor a file called %q%s", name, suggestion(name, themeNames()))
	}
	if err != nil {
		return nil, nil, fmt.Errorf("--theme: %w", err)
	}
	return theme, append(all, theme), nil
}

func themeNames() []string {
	var names []string
	for _, t := range themes.Shipped() {
		names = append(names, t.Name)
	}
	return names
}
