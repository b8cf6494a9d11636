package tui

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"orrery/views"
)

const ownCommandsText = `
commands:
  follow: {run: [kubectl, logs, --context, "{context}", -n, "{namespace}", "{pod}"], key: F, about: the pod's logs}
  runbook: {run: [xdg-open, "https://runbooks/{node}?x={end}"], key: B, wait: false}
  load: {shell: "kubectl top pod {pod} -n {namespace} | less"}
  note: {run: [vi, notes.md], key: ctrl+g}
`

// ownCommands opens a screen on a cluster with the user's own commands.
func ownCommands(t *testing.T, w, h int) *session {
	t.Helper()
	set := settings(t, ownCommandsText)
	restore, err := UseKeys(set)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(restore)
	s, _ := watchedCluster(t, Options{Settings: set}, w, h)
	return s
}

// TestOwnCommands_Run runs commands by key, by name and from the finder, with what is selected as their arguments.
func TestOwnCommands_Run(t *testing.T) {
	s := ownCommands(t, 140, 40)
	pod := func() string { ref, _ := s.screen.selectedPod(); return ref.Name }
	s.keys("2", "F")
	logs := []string{"kubectl", "logs", "--context", "staging", "-n", "default", pod()}
	s.keys(":").typeText("load").keys("enter")
	s.keys("ctrl+g", ":").typeText("nodes").keys("enter", "B")
	s.keys("ctrl+k").typeText("note").keys("enter")
	want := [][]string{logs, {"sh", "-c", "kubectl top pod " + logs[6] + " -n default | less"}, {"vi", "notes.md"}, {"xdg-open", "https://runbooks/node-0?x={end}"}, {"vi", "notes.md"}}
	if len(s.ran) != len(want) {
		t.Fatalf("%d programs were run: %v", len(s.ran), s.ran)
	}
	for i, r := range s.ran {
		if !slices.Equal(r.Args, want[i]) {
			t.Errorf("run %d was %q, want %q", i, r.Args, want[i])
		}
	}
	if s.ran[0].Heading != "$ kubectl logs --context staging -n default "+logs[6] || !s.ran[0].Wait || s.ran[3].Wait {
		t.Errorf("they were run as %+v", s.ran)
	}
}

// TestOwnCommands_AreShown finds them among the hints, in the help and in the finder, as verbs of a pod too.
func TestOwnCommands_AreShown(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {140, 40}, {220, 60}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			s := ownCommands(t, size[0], size[1])
			s.keys("2").shows("F follow")
			golden(t, fmt.Sprintf("own-commands/%dx%d.txt", size[0], size[1]), s.plain())
			s.keys("?", "ctrl+k").typeText("the pod's logs").shows("F", "the pod's logs").keys("esc", "esc")
			s.keys("ctrl+k").typeText("one").keys("tab").shows("F", "the pod's logs").keys("F")
			if len(s.ran) != 1 || s.ran[0].Args[6] != "one" {
				t.Errorf("of the found pod %v was run", s.ran)
			}
		})
	}
}

// TestOwnCommands_NothingSelected says why a command does not run, and runs nothing.
func TestOwnCommands_NothingSelected(t *testing.T) {
	s := ownCommands(t, 100, 30)
	s.keys("F").shows("F: no pod is selected")
	s.keys(":").typeText("load").keys("enter").shows(":load: no pod is selected").keys("esc")
	s.keys("9", "B").shows("B: not here; it works in panes with nodes")
	if len(s.ran) > 0 {
		t.Errorf("%v was run", s.ran)
	}
	recording := watchWith(t, Options{Source: newSession(t, 80, 24).loop.source, Settings: s.screen.options.Settings}, 100, 30)
	recording.keys("$", "7", "F").shows("this is no cluster of the kubeconfig, and has no context")
}

// TestOwnCommands_HostileNames: a name that a shell or a program would take for something else is put on no command line.
func TestOwnCommands_HostileNames(t *testing.T) {
	s := ownCommands(t, 100, 30)
	for _, name := range []string{"a b", "$(reboot)", "a;b", "-rf", "--kubeconfig=x", "`id`", "a'b", "a\"b", "a\nb", "a|b", "a>b", "é", "\x1b[31m", "a{node}", "~", "*", "a\\b", ".."} {
		for _, c := range s.screen.options.Settings.Commands {
			s.screen.subject = &foundObject{node: name}
			s.screen.subject.pod.Namespace, s.screen.subject.pod.Name = "default", name
			if args, err := s.screen.fillIn(c); err == nil && strings.Contains(strings.Join(args, " "), name) || err != nil && strings.ContainsFunc(err.Error(), func(r rune) bool { return r < ' ' }) {
				t.Errorf("%q is put into %q: %v", name, args, err)
			}
		}
	}
	s.screen.subject = nil
}

// TestOwnCommands_OnlyFromSettings: what was remembered of the screen brings no commands.
func TestOwnCommands_OnlyFromSettings(t *testing.T) {
	path := t.TempDir() + "/screen.yaml"
	if err := os.WriteFile(path, []byte("commands: {evil: {run: [x], key: ctrl+g}}\ntheme: mono\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &Settings{Remember: true}
	if s.Recall(path); len(s.Commands) > 0 || s.Theme != "mono" {
		t.Errorf("recalled %+v", s)
	}
}

// TestColumns_AreChosen shows some columns of a list, and all again.
func TestColumns_AreChosen(t *testing.T) {
	s, _ := watchedCluster(t, Options{}, 140, 40)
	s.keys(":").typeText("pods").keys("enter").shows("priority", "memory")
	s.keys(":").typeText("columns state, pod, node, or reason").keys("enter").shows("pods shows state, pod, node, or reason").lacks("priority")
	s.keys(":").typeText("columns stat").keys("enter").shows("did you mean state?").keys("esc")
	s.keys(":").typeText("columns state,m").shows("state, memory").keys("esc").lacks("priority")
	s.keys(":").typeText("columns").keys("enter").shows("all columns of pods", "priority")
	s.keys("esc", "0", ":").typeText("columns x").keys("enter").shows("this pane has no list with columns")
	if s.screen.top().pane != views.OrreryPane {
		t.Error("another pane is open")
	}
}
