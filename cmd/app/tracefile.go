package app

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"orrery/core/trace"
)

// outFile is the flag --out: where a command writes a trace.
type outFile string

func (f *outFile) addFlag(c *cobra.Command) {
	c.Flags().StringVar((*string)(f), "out", "-", "the file to write; - is the standard output")
}

// isStdout reports whether the trace goes to the standard output, where no other output may go.
func (f outFile) isStdout() bool { return f == "-" }

// check rejects outputs that cannot work, before anything is read.
func (f outFile) check(c *cobra.Command, out output) error {
	if !f.isStdout() {
		return nil
	}
	if out == asJSON {
		return errors.New("--output json and the trace cannot both go to the standard output: give a file with --out")
	}
	if stdout, ok := c.OutOrStdout().(*os.File); ok && term.IsTerminal(stdout.Fd()) {
		return errors.New("a trace is nothing to read on a terminal: give a file with --out")
	}
	return nil
}

// write writes a trace. A file appears complete or not at all; damage in the source still gives a file, and is
// returned.
func (f outFile) write(c *cobra.Command, how func(to io.Writer) error) (*trace.Damage, error) {
	if f.isStdout() {
		return damageIn(how(c.OutOrStdout()))
	}
	file, err := os.CreateTemp(filepath.Dir(string(f)), ".orrery-*")
	if err != nil {
		return nil, fmt.Errorf("writing %q: %w", string(f), err)
	}
	defer os.Remove(file.Name())
	defer file.Close()
	damage, err := damageIn(how(file))
	if err != nil {
		return nil, err
	}
	err = errors.Join(file.Chmod(0o644), file.Close(), os.Rename(file.Name(), string(f)))
	if err != nil {
		return nil, fmt.Errorf("writing %q: %w", string(f), err)
	}
	return damage, nil
}

// damageIn separates the damage of a trace, which was used up to there, from other errors.
func damageIn(err error) (*trace.Damage, error) {
	var damage *trace.Damage
	if errors.As(err, &damage) {
		return damage, nil
	}
	return nil, err
}

// headerOf reads the header of a trace, and returns a reader of the whole trace.
func headerOf(from io.Reader) (trace.Header, io.Reader, error) {
	var seen bytes.Buffer
	r, err := trace.NewReader(io.TeeReader(from, &seen))
	if err != nil {
		return trace.Header{}, nil, err
	}
	return r.Header(), io.MultiReader(&seen, from), nil
}

// warn writes notes to stderr.
func warn(c *cobra.Command, notes ...string) {
	for _, note := range notes {
		fmt.Fprintln(c.ErrOrStderr(), "orrery:", note)
	}
}
