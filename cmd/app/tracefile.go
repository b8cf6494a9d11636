package app

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"orrery/core/safe/files"
	"orrery/core/trace"
)

// outFile is the flags --out and --force: where a command writes a trace.
type outFile struct {
	name  string
	force bool
}

func (f *outFile) addFlags(c *cobra.Command) {
	c.Flags().StringVar(&f.name, "out", "-", "the file to write; - is the standard output")
	addForce(c, &f.force)
}

func addForce(c *cobra.Command, force *bool) {
	c.Flags().BoolVar(force, "force", false, "replace an existing file")
}

// create opens an output file.
func create(name string, force bool) (*files.File, error) {
	file, err := files.Create(name, force)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%w; --force replaces it", err)
	}
	return file, err
}

// isStdout reports whether the trace goes to the standard output, where no other output may go.
func (f outFile) isStdout() bool { return f.name == "-" }

// check rejects outputs that cannot work, before anything is read.
func (f outFile) check(c *cobra.Command, out output) error {
	if !f.isStdout() {
		return nil
	}
	if out.format != asText {
		return fmt.Errorf("--output %s and the trace cannot both go to the standard output: give a file with --out", out.format)
	}
	if stdout, ok := raw(c.OutOrStdout()).(*os.File); ok && term.IsTerminal(stdout.Fd()) {
		return errors.New("a trace is nothing to read on a terminal: give a file with --out")
	}
	return nil
}

// write writes a trace. A regular file appears complete or not at all; damage in the source still gives a file, and is
// returned.
func (f outFile) write(c *cobra.Command, how func(to io.Writer) error) (*trace.Damage, error) {
	if f.isStdout() {
		return damageIn(how(raw(c.OutOrStdout())))
	}
	defer files.RemoveOnSignal(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)()
	file, err := create(f.name, f.force)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	damage, err := damageIn(how(file))
	if err != nil {
		return nil, err
	}
	if err := file.Commit(); err != nil {
		return nil, err
	}
	return damage, file.Close()
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
