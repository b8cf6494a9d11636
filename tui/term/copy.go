package term

import (
	"encoding/base64"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"orrery/core/printable"
)

// MostCopied is how many bytes of text [Facts.Copy] sends. Terminals drop what is much longer, and say nothing.
const MostCopied = 56_000

// Copy puts a text into the clipboard of whoever sits at the terminal, over however many hops (OSC 52). Not every terminal
// obeys, and none says so: show the text too. What cannot be seen in the text is made visible, so that nobody pastes a
// command without knowing. Of a longer text nothing is copied, because half a manifest is another manifest; ok says so.
func (f Facts) Copy(text string) (cmd tea.Cmd, ok bool) {
	text = visible(text)
	if len(text) > MostCopied {
		return nil, false
	}
	return tea.Raw(f.clipboard(text)), true
}

func visible(text string) string {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i, line := range lines {
		lines[i] = printable.Text(line)
	}
	return strings.Join(lines, "\n")
}

// clipboard is the sequence, wrapped for what sits between the program and the terminal. tmux takes the plain one or
// hands the wrapped one on, as it is configured.
func (f Facts) clipboard(text string) string {
	const screensLimit = 760 // bytes that GNU screen hands on in one piece
	sequence := "\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(text)) + "\a"
	e := environment(f.Env)
	switch {
	case e.get("TMUX") != "":
		return sequence + ansi.TmuxPassthrough(sequence)
	case strings.HasPrefix(e.get("TERM"), "screen"):
		return ansi.ScreenPassthrough(sequence, screensLimit)
	}
	return sequence
}
