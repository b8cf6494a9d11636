package themes_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"orrery/themes"
)

func TestReadFolder_ReadsUserThemes(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"a.yaml": "name: midnight\ncolors:\n  accent: '#7aa2f7'\n", "b.yml": "name: paper\nbase: light\n", "c.txt": "no theme",
		"d.yaml": "name: broken\ncolors:\n  acent: 3\n", "e.yaml": "name: dark\n", "f.yaml": "name: midnight\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	all, err := themes.ReadFolder(folder)
	if len(all) != 2 || all[0].Name != "midnight" || all[1].Name != "paper" {
		t.Errorf("the themes are %v", all)
	}
	for _, want := range []string{
		"d.yaml: reading a theme: line 3: colors.acent: there is no such token",
		`e.yaml: name: "dark" is taken by one that comes with the program`,
		`f.yaml: name: "midnight" is taken by ` + filepath.Join(folder, "a.yaml"),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want one with %q", err, want)
		}
	}
}

func TestReadFolder_MissingIsEmpty(t *testing.T) {
	for _, folder := range []string{"", filepath.Join(t.TempDir(), "none")} {
		if all, err := themes.ReadFolder(folder); len(all) != 0 || err != nil {
			t.Errorf("%q has %v, error %v", folder, all, err)
		}
	}
}

func TestFolder_FollowsXDG(t *testing.T) {
	for _, tt := range []struct {
		env  map[string]string
		want string
	}{
		{map[string]string{"XDG_CONFIG_HOME": "/c", "HOME": "/h"}, "/c/orrery/themes"},
		{map[string]string{"HOME": "/h"}, "/h/.config/orrery/themes"},
		{nil, ""},
	} {
		if got := themes.Folder(func(name string) string { return tt.env[name] }); got != tt.want {
			t.Errorf("with %v the folder is %q, want %q", tt.env, got, tt.want)
		}
	}
}

func TestAppearance_NeedsNoTerminal(t *testing.T) {
	for _, tt := range []struct {
		name, theme string
		style       themes.Style
		want        themes.Appearance
	}{
		{"a token is its colour", "dark", themes.Style(themes.Good), themes.Appearance{Foreground: rgb("8ed49a"), Background: rgb("11131a")}},
		{"a title is bold", "dark", themes.Style(themes.Title), themes.Appearance{Foreground: rgb("eceff8"), Background: rgb("11131a"), Attr: themes.Bold}},
		{"a selected row has a ground", "light", themes.Text.With(themes.Selected), themes.Appearance{Foreground: rgb("262b33"), Background: rgb("e4eaf6"), HasBackground: true}},
		{"or is turned round where there is no colour for it", "mono", themes.Text.With(themes.Selected), themes.Appearance{Foreground: rgb("000000"), Background: rgb("e4e6eb"), HasBackground: true}},
		{"reverse video is turned round", "dark", themes.Good.With(themes.Reverse), themes.Appearance{Foreground: rgb("11131a"), Background: rgb("8ed49a"), HasBackground: true}},
		{"the sixteen have stand-ins", "ansi16", themes.Style(themes.Bad), themes.Appearance{Foreground: rgb("cc6666")}},
		{"the plain style is text", "dark", themes.Plain, themes.Appearance{Foreground: rgb("d3d8e6"), Background: rgb("11131a")}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			theme, _ := themes.Named(tt.theme)
			if got := theme.Appearance(tt.style); got != tt.want {
				t.Errorf("the look is %+v, want %+v", got, tt.want)
			}
		})
	}
}

func rgb(hex string) themes.RGB {
	theme, err := themes.Parse([]byte("name: a\ncolors:\n  text: '#" + hex + "'\n"))
	if err != nil {
		panic(err)
	}
	c, _ := theme.Color(themes.Text).RGB()
	return c
}
