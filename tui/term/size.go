package term

import (
	"os"
	"strconv"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"
)

// The size for a terminal that does not report one, and the largest size that is drawn.
const (
	defaultWidth, defaultHeight = 80, 24
	//orrery:limit screen; columns that are drawn; the rest of the terminal stays empty
	//orrery:limit screen; rows that are drawn; the rest of the terminal stays empty
	maxWidth, maxHeight = 1000, 500
)

// size returns the terminal's size, or else that of COLUMNS and LINES.
func (e environment) size(out *os.File) (w, h int) {
	w, h, err := term.GetSize(out.Fd())
	if err != nil {
		w, h = 0, 0
	}
	return e.bounded(w, h)
}

// bounded returns a size that can be drawn.
func (e environment) bounded(w, h int) (int, int) {
	one := func(value int, variable string, usual, most int) int {
		if value <= 0 {
			value, _ = strconv.Atoi(e.get(variable))
		}
		if value <= 0 {
			value = usual
		}
		return min(value, most)
	}
	return one(w, "COLUMNS", defaultWidth, maxWidth), one(h, "LINES", defaultHeight, maxHeight)
}

// fixSize corrects the size that a terminal reports: containers and serial lines report 0x0, which would draw nothing.
func (f Facts) fixSize(msg tea.WindowSizeMsg) tea.WindowSizeMsg {
	msg.Width, msg.Height = environment(f.Env).bounded(msg.Width, msg.Height)
	return msg
}
