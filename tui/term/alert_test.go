package term

import (
	"strings"
	"testing"
)

// TestAlert_HostileNamesStayInside: what is between the sequence's start and its end has no control character of any kind.
func TestAlert_HostileNamesStayInside(t *testing.T) {
	for _, name := range []string{"web-1", "a\x07b", "a\x1b]52;c;ZXZpbA==\x07", "a\x1b\\b", "a\x9cb", "a\u009cb", "4;1;50", "a\u202eb", "\xff\x00", strings.Repeat("n", 5000)} {
		got := Facts{Env: []string{"TERM=xterm-256color"}}.alert("watched pod " + name)
		inside, ok := strings.CutPrefix(got, "\a\x1b]9;orrery: watched pod ")
		if !ok || !strings.HasSuffix(inside, "\a") {
			t.Fatalf("%q is sent as %q", name, got)
		}
		inside = strings.TrimSuffix(inside, "\a")
		if strings.ContainsFunc(inside, func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u202e' || r == '\ufffd' }) || len([]rune(inside)) > maxAlert {
			t.Errorf("%q is sent as %q", name, got)
		}
	}
}

func TestAlert_ByTerminal(t *testing.T) {
	for env, want := range map[string]string{
		"TERM=linux":               "\a",
		"TERM=xterm":               "\a\x1b]9;orrery: x\a",
		"TMUX=/tmp/t,1,0":          "\a\x1bPtmux;\x1b\x1b]9;orrery: x\a\x1b\\",
		"SSH_CONNECTION=1 2 3 4":   "\a\x1b]9;orrery: x\a",
		"TERM=tmux-256color":       "\a\x1b]9;orrery: x\a",
		"SSH_TTY=/dev/pts/1":       "\a\x1b]9;orrery: x\a",
		"TERM=screen.xterm-256col": "\a\x1b]9;orrery: x\a",
	} {
		f := Facts{Env: []string{env}}
		if got := f.alert("x"); got != want {
			t.Errorf("with %s: %q, want %q", env, got, want)
		}
		if remote := strings.HasPrefix(env, "SSH"); f.Remote() != remote {
			t.Errorf("with %s the terminal is remote: %v", env, !remote)
		}
	}
}
