package term

import (
	"encoding/base64"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"orrery/core/safe/printable"
)

// MaxCopied limits the bytes of text that [Facts.Copy] sends. Terminals silently drop much longer text.
//
//orrery:limit screen; text for the terminal's clipboard, in bytes; it is not copied
const MaxCopied = 56_000

// Copy copies a text to the clipboard of the user's terminal, also over ssh (OSC 52). Not every terminal obeys, and
// none reports it: show the text too. Invisible characters are made visible, so that a pasted command holds no hidden
// ones. A text longer than MaxCopied is not copied at all, since half a manifest is another manifest; ok is then false.
func (f Facts) Copy(text string) (cmd tea.Cmd, ok bool) {
	text = visible(text)
	if len(text) > MaxCopied {
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

// clipboard returns the sequence, wrapped for GNU screen or tmux. tmux handles the plain one or passes on the wrapped
// one, as it is configured.
func (f Facts) clipboard(text string) string {
	const screensLimit = 760 // bytes that GNU screen passes on in one piece
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
