//go:build unix

package ptytest

import (
	"bytes"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// Options configure how a program is run.
type Options struct {
	Command []string
	// Env is the program's environment, besides PATH, HOME and GORACE. TERM is xterm-256color unless Env sets it.
	Env []string
	// Width and Height are the terminal's size. If zero, the terminal reports no size.
	Width, Height int
	// Mute means that the terminal answers no queries.
	Mute bool
	// Wait is the delay of each answer. Unknown is a query that the terminal does not know.
	Wait    time.Duration
	Unknown string
	// Dir is the program's working directory.
	Dir string
}

// Session is a program running on a terminal.
type Session struct {
	t        testing.TB
	tty      *os.File
	cmd      *exec.Cmd
	initial  *term.State
	start    time.Time
	readDone chan struct{}
	exited   chan struct{}
	answers  chan answer

	mu      sync.Mutex
	changed chan struct{} // closed at the next output
	screen  *Screen
	output  []byte
	partial []byte
	first   time.Duration // when the first character was shown
	chunks  []chunk
}

// answer is a reply of the terminal, with the time at which the program gets it.
type answer struct {
	text string
	due  time.Time
}

// maxAnswers is more than a program asks for before it reads.
const maxAnswers = 1024

// Start runs a program and ends it with the test.
func Start(t testing.TB, o Options) *Session {
	t.Helper()
	master, slave, err := open()
	if err != nil {
		t.Fatalf("opening a pseudo-terminal: %v", err)
	}
	s := &Session{t: t, tty: master, screen: newScreen(o.Width, o.Height), changed: make(chan struct{}), readDone: make(chan struct{}), exited: make(chan struct{}), answers: make(chan answer, maxAnswers)}
	if o.Width > 0 {
		s.setSize(o.Width, o.Height)
	}
	if s.initial, err = term.GetState(slave.Fd()); err != nil {
		t.Fatalf("reading the pseudo-terminal's settings: %v", err)
	}
	s.cmd = exec.Command(o.Command[0], o.Command[1:]...)
	s.cmd.Dir = o.Dir
	s.cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GORACE=" + os.Getenv("GORACE"), "TERM=xterm-256color"}, o.Env...)
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = slave, slave, slave
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if signal.Ignored(syscall.SIGHUP) { // as under nohup: the program would inherit that, but a signal with a handler starts anew
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	s.start = time.Now()
	if err := s.cmd.Start(); err != nil {
		t.Fatalf("starting %v: %v", o.Command, err)
	}
	slave.Close()
	go s.read(o)
	go s.answer()
	go func() {
		defer close(s.exited)
		_ = s.cmd.Wait()
	}()
	t.Cleanup(s.close)
	return s
}

// open opens a pseudo-terminal whose reads end when it is closed; those of a file whose Fd was taken do not.
func open() (master, slave *os.File, err error) {
	blocking, slave, err := pty.Open()
	if err != nil {
		return nil, nil, err
	}
	defer blocking.Close()
	fd, err := unix.FcntlInt(blocking.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err == nil {
		err = unix.SetNonblock(fd, true)
	}
	return os.NewFile(uintptr(fd), "terminal"), slave, err
}

// control runs do with the terminal's descriptor.
func (s *Session) control(do func(fd int) error) error {
	connection, err := s.tty.SyscallConn()
	if err != nil {
		return err
	}
	if controlled := connection.Control(func(fd uintptr) { err = do(int(fd)) }); controlled != nil {
		return controlled
	}
	return err
}

func (s *Session) close() {
	_ = s.cmd.Process.Kill()
	<-s.exited
	s.tty.Close()
	<-s.readDone
}

// read applies the program's output to the screen.
func (s *Session) read(o Options) {
	defer close(s.readDone)
	defer close(s.answers)
	buffer := make([]byte, 64<<10)
	for {
		n, err := s.tty.Read(buffer)
		if n > 0 {
			s.received(buffer[:n], o)
		}
		if err != nil {
			return
		}
	}
}

func (s *Session) received(b []byte, o Options) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.chunks = append(s.chunks, chunk{time.Since(s.start), len(b)})
	s.output = append(s.output, b...)
	s.partial = s.screen.feed(append(s.partial, b...), func(question string) {
		if a := replyTo(question); a != "" && !o.Mute && question != o.Unknown {
			s.answers <- answer{a, time.Now().Add(o.Wait)}
		}
	})
	s.partial = bytes.Clone(s.partial)
	if s.first == 0 && s.screen.AltScreen() && !s.screen.Blank() {
		s.first = time.Since(s.start)
	}
	close(s.changed)
	s.changed = make(chan struct{})
}

// answer writes the answers when they are due, in the order of their queries, as a terminal does.
func (s *Session) answer() {
	for a := range s.answers {
		<-time.After(time.Until(a.due))
		_, _ = s.tty.WriteString(a.text)
	}
}

// replyTo returns a modern dark terminal's answer to a query.
func replyTo(question string) string {
	switch question {
	case "]11;?":
		return "\x1b]11;rgb:1111/1313/1a1a\x1b\\"
	case "?2026$p":
		return "\x1b[?2026;2$y"
	case "?2027$p":
		return "\x1b[?2027;0$y"
	case "?u":
		return "\x1b[?1u"
	case "n":
		return "\x1b[24;1R"
	case "c":
		return "\x1b[?62c"
	}
	return ""
}

// Text returns the screen's text.
func (s *Session) Text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.screen.Text()
}

// Output returns every byte written.
func (s *Session) Output() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return bytes.Clone(s.output)
}

// Written returns how many bytes were written. Call it only inside Await's condition, which holds the lock.
func (s *Session) Written() int { return len(s.output) }

// chunk is the size and time of one read.
type chunk struct {
	at   time.Duration
	size int
}

// Frames returns the sizes of the writes. A terminal delivers at most 4 KiB at once, so reads that follow one another
// closely count as one write.
func (s *Session) Frames() []int {
	const closely = 4 * time.Millisecond
	s.mu.Lock()
	defer s.mu.Unlock()
	var sizes []int
	for i, p := range s.chunks {
		if i > 0 && p.at-s.chunks[i-1].at < closely {
			sizes[len(sizes)-1] += p.size
			continue
		}
		sizes = append(sizes, p.size)
	}
	return sizes
}

// FirstPaint returns how long it took until the screen showed something.
func (s *Session) FirstPaint() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.first
}

// Type types keys.
func (s *Session) Type(keys string) {
	s.t.Helper()
	if _, err := s.tty.WriteString(keys); err != nil {
		s.t.Fatalf("typing %q: %v", keys, err)
	}
}

// Resize changes the terminal's size.
func (s *Session) Resize(w, h int) {
	s.mu.Lock()
	s.screen.resize(w, h)
	s.mu.Unlock()
	s.setSize(w, h)
}

func (s *Session) setSize(w, h int) {
	size := &unix.Winsize{Col: uint16(w), Row: uint16(h)}
	if err := s.control(func(fd int) error { return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, size) }); err != nil {
		s.t.Errorf("setting the size %dx%d: %v", w, h, err)
	}
}

// Pid returns the program's process ID.
func (s *Session) Pid() int { return s.cmd.Process.Pid }

// Signal sends the program a signal.
func (s *Session) Signal(sig syscall.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatalf("sending %v: %v", sig, err)
	}
}

// HangUp closes the terminal under the program.
func (s *Session) HangUp() { s.tty.Close() }

// Exit waits for the program to end, and returns its exit code and how long that took. The code is -1 if a signal
// killed the program.
func (s *Session) Exit() (code int, took time.Duration) {
	s.t.Helper()
	from := time.Now()
	select {
	case <-s.exited:
	case <-time.After(Deadline):
		s.t.Fatalf("the program did not end; the screen is\n%s", s.Text())
	}
	took = time.Since(from)
	select { // the last output may still be in the terminal
	case <-s.readDone:
	case <-time.After(Deadline):
		s.t.Fatal("the program ended, but its terminal is open")
	}
	return s.cmd.ProcessState.ExitCode(), took
}

// CPU returns the processor time of the ended program.
func (s *Session) CPU() time.Duration {
	return s.cmd.ProcessState.UserTime() + s.cmd.ProcessState.SystemTime()
}

// CheckRestored checks that the program restored the terminal: its modes, its line discipline and its main screen.
func (s *Session) CheckRestored() {
	s.t.Helper()
	s.mu.Lock()
	left := s.screen.Unrestored()
	s.mu.Unlock()
	if len(left) > 0 {
		s.t.Errorf("the program did not restore: %s", strings.Join(left, ", "))
	}
	s.CheckLineDiscipline()
}

// CheckLineDiscipline checks that the line discipline is as the program found it.
func (s *Session) CheckLineDiscipline() {
	s.t.Helper()
	var now *term.State
	err := s.control(func(fd int) (err error) {
		now, err = term.GetState(uintptr(fd))
		return err
	})
	if err != nil {
		s.t.Fatalf("reading the pseudo-terminal's settings: %v", err)
	}
	if *now != *s.initial {
		s.t.Errorf("the line discipline is %+v, it was %+v", *now, *s.initial)
	}
}

// SignalForeground signals the terminal's foreground process group.
func (s *Session) SignalForeground(sig syscall.Signal) {
	s.t.Helper()
	var group int
	err := s.control(func(fd int) (err error) {
		group, err = unix.IoctlGetInt(fd, unix.TIOCGPGRP)
		return err
	})
	if err == nil {
		err = syscall.Kill(-group, sig)
	}
	if err != nil {
		s.t.Fatalf("signalling the terminal's foreground process group: %v", err)
	}
}
