package term

import (
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"orrery/core/safe/printable"
)

// maxAlert bounds the text of a notification and of a title, in characters: desktops cut longer ones.
//
//orrery:limit screen; a desktop notification or a window title, in characters; cut off, with an ellipsis
const maxAlert = 120

// Remote reports whether the terminal is at the other end of an ssh connection.
func (f Facts) Remote() bool {
	e := environment(f.Env)
	return e.get("SSH_CONNECTION") != "" || e.get("SSH_TTY") != ""
}

// Alert rings the terminal's bell and shows a text as a notification of the desktop (OSC 9), where the terminal has them. The text may hold
// names from a cluster: nothing in it ends the sequence, and the name of the program before it keeps terminals from reading it as a command of
// theirs, as some do with what begins with a number.
func (f Facts) Alert(text string) tea.Cmd { return tea.Raw(f.alert(text)) }

func (f Facts) alert(text string) string {
	const bell = "\a"
	e := environment(f.Env)
	if e.oldTerminal() {
		return bell
	}
	sequence := "\x1b]9;" + AlertLine("orrery: "+text) + "\a"
	if e.get("TMUX") != "" {
		sequence = ansi.TmuxPassthrough(sequence)
	}
	return bell + sequence
}

// AlertLine makes a text fit for a notification and a title.
func AlertLine(text string) string { return printable.Line(text, maxAlert) }

// The sequences that keep the window's title and bring it back (XTWINOPS).
const (
	keepTitle    = "\x1b[22;2t"
	restoreTitle = "\x1b[23;2t"
)

// titleSequence returns a sequence about the title, for terminals that know it.
func (f Facts) titleSequence(of string) string {
	if environment(f.Env).oldTerminal() {
		return ""
	}
	return of
}
