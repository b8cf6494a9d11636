package app

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
)

// progress is a line on the terminal that says how far something has come. Where stderr is no terminal, or one that
// cannot take a line back, there is none.
type progress struct {
	to    io.Writer // nil: nobody watches
	what  string
	began time.Time
	last  time.Time
	shown bool
}

const (
	// patience is how long something takes before anybody wonders.
	patience = 300 * time.Millisecond
	// redraw is how often the line is written.
	redraw = 100 * time.Millisecond
)

// newProgress is for something that may take a while, in words: "replaying morning.orrery".
func newProgress(c *cobra.Command, what string) *progress {
	p := &progress{what: what, began: time.Now()}
	if f, ok := c.ErrOrStderr().(*os.File); ok && term.IsTerminal(f.Fd()) && os.Getenv("TERM") != "dumb" {
		p.to = f
	}
	return p
}

// say shows how far it has come, now and then.
func (p *progress) say(how func() string) {
	if p.to == nil {
		return
	}
	now := time.Now()
	if now.Sub(p.began) < patience || now.Sub(p.last) < redraw {
		return
	}
	p.last, p.shown = now, true
	fmt.Fprintf(p.to, "\r%s: %s\x1b[K", p.what, how())
}

// done takes the line away.
func (p *progress) done() {
	if p.shown {
		fmt.Fprint(p.to, "\r\x1b[K")
		p.shown = false
	}
}

// count says how many there are by now: say("objects") makes "12,000 objects".
func (p *progress) count(n int, of string) {
	p.say(func() string { return humanize.Comma(int64(n)) + " " + of })
}

// reading shows how much of a file was read, of its size if that is known.
func (p *progress) reading(from io.Reader, size int64) io.Reader {
	if p.to == nil {
		return from
	}
	return &meter{from: from, size: size, progress: p}
}

type meter struct {
	from       io.Reader
	read, size int64
	progress   *progress
}

func (m *meter) Read(into []byte) (int, error) {
	n, err := m.from.Read(into)
	m.read += int64(n)
	m.progress.say(func() string {
		if m.size > 0 {
			return fmt.Sprintf("%d%% of %s", min(100*m.read/m.size, 100), humanize.IBytes(uint64(m.size)))
		}
		return humanize.IBytes(uint64(m.read))
	})
	return n, err
}
