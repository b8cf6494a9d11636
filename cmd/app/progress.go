package app

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"orrery/core/safe/printable"
)

// progress is a status line on the terminal. It stays silent unless stderr is a terminal that can rewrite a line.
type progress struct {
	to   io.Writer // nil without a terminal
	what string

	mu    sync.Mutex
	began time.Time
	last  time.Time
	shown bool
	ended bool
}

const (
	// progressDelay is how long a command may take without a status line.
	progressDelay = 300 * time.Millisecond
	// progressInterval is the time between two updates.
	progressInterval = 100 * time.Millisecond
	// maxStatusLine bounds a status line in characters.
	//
	//orrery:limit text; a status line, in characters; cut off
	maxStatusLine = 300
)

// newProgress starts a status line, as in "replaying morning.orrery".
func newProgress(c *cobra.Command, what string) *progress {
	// A console of Windows prints escape sequences as text unless it is told to obey them.
	erases := os.Getenv("TERM") != "dumb" && runtime.GOOS != "windows"
	if f, ok := raw(c.ErrOrStderr()).(*os.File); ok && erases && term.IsTerminal(f.Fd()) {
		return startProgress(f, what)
	}
	return &progress{what: what}
}

// startProgress shows what is done after a moment, also where nothing tells how far it is.
func startProgress(to io.Writer, what string) *progress {
	p := &progress{to: to, what: what, began: time.Now()}
	time.AfterFunc(progressDelay, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if !p.shown && !p.ended {
			p.show(p.what)
		}
	})
	return p
}

// update shows the progress, at most once per progressInterval.
func (p *progress) update(how func() string) {
	if p.to == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if now.Sub(p.began) < progressDelay || now.Sub(p.last) < progressInterval {
		return
	}
	p.last = now
	p.show(p.what + ": " + how())
}

func (p *progress) show(text string) {
	p.shown = true
	fmt.Fprintf(p.to, "\r%s\x1b[K", printable.Line(text, maxStatusLine))
}

// done erases the line.
func (p *progress) done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended = true; p.shown {
		fmt.Fprint(p.to, "\r\x1b[K")
		p.shown = false
	}
}

// count shows a number: "12,000 objects".
func (p *progress) count(n int, of string) {
	p.update(func() string { return humanize.Comma(int64(n)) + " " + of })
}

// reading shows how much of a file was read.
func (p *progress) reading(from io.Reader, size int64) io.Reader {
	if p.to == nil {
		return from
	}
	return &progressReader{from: from, size: size, progress: p}
}

// readingTwice is reading for a file that is read from its start again.
func (p *progress) readingTwice(from io.ReadSeeker, size int64) io.ReadSeeker {
	if p.to == nil {
		return from
	}
	return progressSeeker{&progressReader{from: from, size: size, progress: p}, from}
}

// progressSeeker counts anew from where it is told to go.
type progressSeeker struct {
	*progressReader
	from io.Seeker
}

func (m progressSeeker) Seek(offset int64, whence int) (at int64, err error) {
	at, err = m.from.Seek(offset, whence)
	m.read = at
	return at, err
}

type progressReader struct {
	from       io.Reader
	read, size int64
	progress   *progress
}

func (m *progressReader) Read(into []byte) (int, error) {
	n, err := m.from.Read(into)
	m.read += int64(n)
	m.progress.update(func() string {
		if m.size > 0 {
			return fmt.Sprintf("%d%% of %s", min(100*m.read/m.size, 100), humanize.IBytes(uint64(m.size)))
		}
		return humanize.IBytes(uint64(m.read))
	})
	return n, err
}
