package term

import (
	"os"
	"strconv"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"
)

// What a terminal that does not know its size is taken to have, and more cells than anyone looks at.
const (
	usualWidth, usualHeight = 80, 24
	mostWidth, mostHeight   = 1000, 500
)

// size asks the terminal, then COLUMNS and LINES.
func (e environment) size(out *os.File) (w, h int) {
	w, h, err := term.GetSize(out.Fd())
	if err != nil {
		w, h = 0, 0
	}
	return e.bounded(w, h)
}

// bounded is a size that can be drawn for.
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
	return one(w, "COLUMNS", usualWidth, mostWidth), one(h, "LINES", usualHeight, mostHeight)
}

// sized mends the size that a terminal reports: containers and serial lines say 0x0, which would draw nothing.
func (f Facts) sized(msg tea.WindowSizeMsg) tea.WindowSizeMsg {
	msg.Width, msg.Height = environment(f.Env).bounded(msg.Width, msg.Height)
	return msg
}
