package app

import (
	"bytes"
	"strings"
	"testing"

	"orrery/core/scheduler/framework"
	"orrery/tui/term"
)

// A command that panics says over what, with a stack, in characters that no terminal obeys.
func TestExecute_PrintsPanic(t *testing.T) {
	var out, problems bytes.Buffer
	broken := func(framework.Registry) error { panic(escapes) }
	if code := execute("orrery", []string{"version"}, &out, &problems, []Option{broken}); code != term.ExitPanic {
		t.Errorf("the exit code is %d, want %d", code, term.ExitPanic)
	}
	if text := problems.String(); !strings.HasPrefix(text, `orrery: this command panicked: \x1b[2J`) || !strings.Contains(text, "TestExecute_PrintsPanic") {
		t.Errorf("printed is %s", text)
	}
	checkHarmless(t, nil, out.String(), problems.String())
}
