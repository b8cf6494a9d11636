package term

import (
	"os"
	"time"

	tea "charm.land/bubbletea/v2"
)

// AwaitAnswers makes a quitting program wait for answers as long as it takes.
func AwaitAnswers() { answerWait, answerTimeout = time.Hour, time.Hour }

// DetectOn is Detect on another platform.
func DetectOn(platform string, env []string, in, out *os.File, w Preferences) (Facts, error) {
	return consoleOn(platform).detect(env, in, out, w)
}

// FixSize corrects the size that a terminal reports.
func (f Facts) FixSize(msg tea.WindowSizeMsg) tea.WindowSizeMsg { return f.fixSize(msg) }
