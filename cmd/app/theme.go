package app

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"orrery/themes"
)

// chosenTheme is the theme of a name or a file, nil for the one that fits the terminal, and all there are to change to:
// those that come with the program and those in the person's own folder.
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
		return nil, nil, fmt.Errorf("--theme: there is neither a theme nor a file called %q%s", name, didYouMean(name, themeNames()))
	}
	if err != nil {
		return nil, nil, fmt.Errorf("--theme: %w", err)
	}
	return theme, append(all, theme), nil
}
