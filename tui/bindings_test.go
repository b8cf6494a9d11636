package tui

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orrery/views"
	"orrery/views/draw"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// anywhere lists every pane in which a key can be pressed.
var anywhere = append(allPanes(), textPane)

// allPanes lists the overview and all panes.
func allPanes() []views.PaneID {
	ids := []views.PaneID{views.Overview}
	for _, p := range views.Panes() {
		ids = append(ids, p.ID)
	}
	return ids
}

func TestBindings_KeysAreUniquePerPane(t *testing.T) {
	for _, pane := range anywhere {
		taken := map[string]string{}
		for i := range bindings {
			b := &bindings[i]
			if !b.worksOn(pane) {
				continue
			}
			for _, key := range b.keys {
				if other, ok := taken[key]; ok {
					t.Errorf("in pane %q, %q is both %s and %s", pane, key, other, b.name)
				}
				taken[key] = b.name
			}
		}
	}
}

func TestBindings_EveryKeyIsDocumented(t *testing.T) {
	for i := range bindings {
		b := &bindings[i]
		if b.name == "" || b.label == "" || b.long == "" || len(b.keys) == 0 || (b.hint > 0) != (b.short != "") {
			t.Errorf("the row of %q is incomplete: %+v", b.name, b)
		}
		if width := draw.Width(b.label); width > 14 {
			t.Errorf("the label of %s, %q, is %d columns wide", b.name, b.label, width)
		}
	}
}

// TestBindings_NeedNoModernTerminal allows only keys that every terminal sends.
func TestBindings_NeedNoModernTerminal(t *testing.T) {
	for i := range bindings {
		for _, key := range bindings[i].keys {
			for _, modern := range []string{"alt+", "super+", "meta+", "hyper+", "f1", "f2", "shift+enter", "ctrl+shift"} {
				if strings.Contains(key, modern) {
					t.Errorf("%s is on %q, which not every terminal sends", bindings[i].name, key)
				}
			}
		}
	}
}

// TestBindings_Conventions checks the keys that users know from other programs.
func TestBindings_Conventions(t *testing.T) {
	for key, name := range map[string]string{
		"q": "quit", "ctrl+c": "quit", "esc": "back", "?": "help", "/": "filter", "n": "match", "N": "match-before", ":": "command", "j": "down",
		"k": "up", "g": "top", "G": "bottom", "ctrl+d": "pagedown", "ctrl+u": "pageup", "pgup": "pageup", "pgdown": "pagedown", "home": "top",
		"end": "bottom", "tab": "next", "shift+tab": "previous", "1": "pane", "9": "pane", "enter": "open", "z": "zoom", "space": "pause",
		"y": "copy", "s": "sort", "r": "reverse", "t": "theme", "ctrl+z": "suspend", "[": "step", "]": "step", "{": "mark", "}": "mark",
		",": "speed", ".": "speed", "0": "orrery", "^": "ends", "$": "ends", "w": "whatif", "e": "explain", "d": "describe", "S": "picture", "ctrl+s": "text",
		"m": "mouse", "up": "up", "down": "down",
	} {
		if b := bindingFor(views.QueuePane, key); b == nil || b.name != name {
			t.Errorf("%q in the queue is %v, want %s", key, b, name)
		}
	}
}

func TestHints_ShowWhatFitsAndWorks(t *testing.T) {
	s := newSession(t, 140, 40).keys("2")
	var got strings.Builder
	for width := 20; width <= 200; width += 20 {
		c := draw.New(width, 1)
		a := c.All(draw.Braille)
		a.Hints(s.screen.hints(width - 2))
		got.WriteString(strings.TrimRight(c.Plain(), " ") + "\n")
	}
	golden(t, "hints.txt", got.String())
	for _, h := range s.screen.hints(500) {
		if !slices.ContainsFunc(bindings, func(b binding) bool { return b.label == h.Key && b.disabledReason(s.screen) == "" }) {
			t.Errorf("the hints have %q, which does nothing now", h.Key)
		}
	}
}

func TestHelp_ListsEveryKeyOfThePane(t *testing.T) {
	for _, pane := range allPanes() {
		listed := map[string]bool{}
		for _, g := range helpGroups(pane, "") {
			for _, k := range g.Keys {
				listed[k.Key] = true
			}
		}
		for i := range bindings {
			if b := &bindings[i]; b.worksOn(pane) && !listed[b.label] {
				t.Errorf("the help of pane %q lacks %s", pane, b.label)
			}
		}
	}
}

// TestReference_IsUpToDate compares docs/keys.md with the key table.
func TestReference_IsUpToDate(t *testing.T) {
	const path = "../docs/keys.md"
	if *update {
		if err := os.WriteFile(path, []byte(Reference()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	written, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(written), Reference()); diff != "" {
		t.Errorf("%s is stale; write it with go test ./tui -run TestReference -update (-written +table):\n%s", path, diff)
	}
}

// The panes are listed by name, and a command that only repeats a key has no row of its own.
func TestReference_ListsPanesAndNoKeys(t *testing.T) {
	text := Reference()
	for _, p := range views.Panes() {
		if p.Help != "" && !strings.Contains(text, "| `"+string(p.ID)+"` | "+p.Help+" |") {
			t.Errorf("the pane %s is not listed", p.ID)
		}
	}
	for i := range commands {
		if w := &commands[i]; w.key && strings.Contains(text, "| `"+w.name+"` |") {
			t.Errorf("the command %s has a row, and a key", w.name)
		}
	}
}

func TestCommand_UnknownNamesTheNearest(t *testing.T) {
	for typed, want := range map[string]string{
		"quitt": "did you mean :quit?", "them": "did you mean :theme?", "evicsions": "did you mean :evictions?", "gotoo": "did you mean :goto?", "zom": "did you mean :zoom?",
		"dvcs": "did you mean :devices?", "foo": "tab goes through all that there are, and ? lists the keys",
	} {
		if got := suggestion(typed); got != want {
			t.Errorf("%q: %q, want %q", typed, got, want)
		}
	}
}

func TestCommands_AllHaveHelp(t *testing.T) {
	for i, w := range commands {
		if w.name == "" || w.help == "" || w.run == nil {
			t.Errorf("the command %q is incomplete", w.name)
		}
		if i > 0 && commands[i-1].name >= w.name {
			t.Errorf("%q comes after %q", w.name, commands[i-1].name)
		}
	}
}
