package tui

import (
	"strings"
	"testing"

	"orrery/views"
)

// settings parses settings that are right.
func settings(t testing.TB, text string) *Settings {
	t.Helper()
	s, err := ParseSettings("settings.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestParseSettings_Errors names the file, the line and the field, and what may be meant.
func TestParseSettings_Errors(t *testing.T) {
	for text, want := range map[string]string{
		"them: dark":                                                  `settings.yaml:1: unknown field "them": did you mean theme?`,
		"theme: dark\nview: quue":                                     `settings.yaml:2: view: there is no pane "quue"; did you mean queue?`,
		"keys:\n  zom: Z":                                             `settings.yaml:2: keys.zom: nothing is called "zom"; did you mean zoom?`,
		"keys:\n  zoom: alt+z":                                        `settings.yaml:2: keys.zoom: "alt+z" is no key that every terminal sends: say a letter or a sign, ctrl+ and a letter but c, or one of `,
		"keys:\n  zoom: []":                                           `settings.yaml:2: keys.zoom: it takes 1 keys, in place of z`,
		"keys:\n  zoom: e":                                            `settings.yaml:2: keys.zoom: e is the key of explain, too, in the overview`,
		"keys:\n  step: x":                                            `settings.yaml:2: keys.step: it takes 2 keys, in place of [ and ]`,
		"keys:\n  ends: [a, b]":                                       `settings.yaml:2: keys.ends: it has different keys in different panes, which cannot be changed`,
		"aliases:\n  pods: drain":                                     `settings.yaml:2: aliases.pods: "pods" is a command already`,
		"aliases:\n  dr: drian n":                                     `settings.yaml:2: aliases.dr: there is no command "drian"; did you mean :drain?`,
		"panes:\n  podz: {sort: cpu}":                                 `settings.yaml:2: panes.podz: no pane "podz" has a list; did you mean pods?`,
		"panes:\n  pods:\n    sort: cup":                              `settings.yaml:3: panes.pods.sort: this list has no order "cup"; did you mean cpu?`,
		"panes:\n  queue:\n    columns: [stat, pod]":                  `settings.yaml:3: panes.queue.columns: this list has no column "stat"; did you mean state?`,
		"commands:\n  lo: {}":                                         `settings.yaml:2: commands.lo: it says neither run nor shell`,
		"commands:\n  lo:":                                            `settings.yaml:2: commands.lo: a value is missing here`,
		"commands:\n  pods: {run: [x]}":                               `settings.yaml:2: commands.pods: "pods" is a command already`,
		"commands:\n  Pods: {run: [x]}":                               `settings.yaml:2: commands.Pods: "Pods" cannot be the name of a command`,
		"aliases: {l: pods}\ncommands:\n  l: {run: [x]}":              `settings.yaml:3: commands.l: "l" is an alias, too`,
		"commands:\n  l:\n    run: [x]\n    shell: x":                 `settings.yaml:4: commands.l.shell: it says run, too`,
		"commands:\n  l:\n    run: [\"{pod}\"]":                       `settings.yaml:3: commands.l.run: which program it is cannot depend on what is selected`,
		"commands:\n  l:\n    run: [\"\"]":                            `settings.yaml:3: commands.l.run: the program has no name`,
		"commands:\n  l:\n    run: [x, \"{pods}\"]":                   `settings.yaml:3: commands.l: there is no {pods}; did you mean {pod}?`,
		"commands:\n  l:\n    run: [x]\n    key: alt+l":               `settings.yaml:4: commands.l.key: "alt+l" is no key`,
		"commands:\n  l:\n    run: [x]\n    key: e":                   `settings.yaml:3: commands.l: e is the key of explain, too, in the overview`,
		"commands:\n  l: {run: [x], key: F}\n  m: {run: [x], key: F}": `settings.yaml:3: commands.m: F is the key of l, too, in the overview`,
		"commands:\n  l: {rum: [x]}":                                  `settings.yaml:2: commands.l: unknown field "rum": did you mean run?`,
		"preview: maybe":                                              `settings.yaml:1: preview: `,
		"theme: [":                                                    `settings.yaml:1: this is not YAML: `,
		"keys:\n  zoom: \"\\e[31m\"":                                  `settings.yaml:2: keys.zoom: "\\x1b[31m" is no key`,
		"panes:\n  pods: {columns: [\"\\e]0;x\\a\"]}":                 `settings.yaml:2: panes.pods.columns: this list has no column "\\x1b]0;x\\x07"`,
	} {
		_, err := ParseSettings("settings.yaml", []byte(text))
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s…", text, err, want)
		}
	}
	for _, nothing := range []string{"", "\n", "# theme: dark\n\n  # keys:\n", SettingsExample()} {
		if s := settings(t, nothing); s.Theme != "" || s.Keys != nil || s.Panes != nil {
			t.Errorf("%q sets something: %+v", nothing, s)
		}
	}
}

// TestSettingsExample_IsRight reads the example without its comment signs.
func TestSettingsExample_IsRight(t *testing.T) {
	var lines []string
	for line := range strings.SplitSeq(SettingsExample(), "\n") {
		if setting, is := strings.CutPrefix(line, "#:"); is {
			lines = append(lines, setting)
		}
	}
	if s := settings(t, strings.Join(lines, "\n")); s.Theme == "" || len(s.Keys) == 0 || len(s.Panes) == 0 || len(s.Aliases) == 0 || len(s.Commands) != 3 {
		t.Errorf("the example sets %+v", s)
	}
}

// TestSettings_AreUsed opens a screen with the user's view, order, columns, keys and aliases.
func TestSettings_AreUsed(t *testing.T) {
	set := settings(t, `
view: queue
preview: false
mouse: true
keys:
  zoom: Z
  step: ["(", ")"]
  find: [ctrl+f, ctrl+k]
aliases: {dr: whatif drain}
panes:
  queue: {sort: priority, reverse: true, columns: [state, pod, reason]}
  node: {sort: memory}
`)
	restore, err := UseKeys(set)
	if err != nil {
		t.Fatal(err)
	}
	defer restore()
	view, _ := ViewNamed(set.View)
	s := watchWith(t, Options{Source: builtIn(t, "morning-rush"), Settings: set, View: view}, 220, 60)
	s.keys("$").shows("Queue", "↑ priority", "state ", "reason").lacks("attempts").lacks("v hides")
	if !s.screen.mouse || s.screen.top().pane != views.QueuePane {
		t.Errorf("the mouse is on: %v, and %q is open", s.screen.mouse, s.screen.top().pane)
	}
	if s.keys("Z"); !s.screen.zoom {
		t.Error("Z does not zoom")
	}
	s.keys("z").shows("z is not a key; ? lists them").keys("Z")
	end := s.screen.frame.Model.Timeline.At
	if s.keys("("); !s.screen.frame.Model.Timeline.At.Before(end) {
		t.Error("( does not step back")
	}
	if s.keys(")"); s.screen.frame.Model.Timeline.At.Before(end.Add(-1)) && s.screen.status != "" {
		t.Errorf(") does not step forward: %s", s.screen.status)
	}
	s.keys("ctrl+f").shows("Find").typeText("zoom").shows("Z").keys("esc")
	s.keys(":").typeText("dr gpu-1").keys("enter").shows("what-if: drain gpu-1").keys("esc")
	s.keys("3", "enter").shows("↓ memory").keys("?").shows("( )")
}

// TestUseKeys_Restores takes the user's keys out again.
func TestUseKeys_Restores(t *testing.T) {
	restore, err := UseKeys(settings(t, "keys: {zoom: Z}"))
	if err != nil {
		t.Fatal(err)
	}
	restore()
	if b := bindingFor(views.QueuePane, "z"); b == nil || b.name != "zoom" || bindingFor(views.QueuePane, "Z") != nil {
		t.Errorf("z is %v", b)
	}
}

// FuzzSettings reads settings.
//
//orrery:reads tui demo/scenario/strict
func FuzzSettings(f *testing.F) {
	for _, text := range []string{"theme: dark", "keys: {zoom: Z, step: [a, b]}", "panes: {pods: {sort: cpu, columns: [pod]}}", "aliases: {x: pods}", "view: queue\nmouse: true", "commands: {l: {run: [k, \"{pod}\"], key: F}, m: {shell: \"k {node} | less\", wait: false}}"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseSettings("settings.yaml", []byte(text))
		if err != nil {
			if strings.ContainsFunc(err.Error(), func(r rune) bool { return r < ' ' }) {
				t.Errorf("the error has control characters: %q", err)
			}
			return
		}
		restore, err := UseKeys(s)
		if err != nil {
			t.Fatalf("settings that were read cannot be used: %v", err)
		}
		restore()
	})
}
