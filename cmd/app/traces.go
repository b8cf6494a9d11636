package app

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"orrery/core/safe/printable"
	"orrery/demo"
)

// recording is an opened trace.
type recording struct {
	// name is its name in output: the base name of a file, or the name of an embedded trace. It is printable.
	name string
	// size is in bytes; zero if unknown.
	size int64
	// opening is where an embedded trace is opened to be watched; others are at their start.
	opening demo.Opening
	// segment is the place in a recording on disk; nil for others.
	segment *segmentPlace
	io.ReadCloser
}

// traceHelp explains TRACE in help texts.
const traceHelp = `TRACE is a file, - for what comes in on the standard input, or the name of a trace that is
built in; "orrery trace list" prints those. It may also be the directory of a recording that "orrery run
--record-dir DIR" made: then it stands for the segment that holds the time which is asked for, or for the last one.`

// openTrace opens a file, the standard input for -, a built-in trace, or the last segment in a directory.
func openTrace(c *cobra.Command, arg string) (*recording, error) {
	if isDirectory(arg) {
		return openSegment(arg, "")
	}
	if arg == "-" {
		return &recording{name: "standard input", ReadCloser: io.NopCloser(c.InOrStdin())}, nil
	}
	f, err := os.Open(arg)
	if err == nil {
		r := &recording{name: printable.Line(filepath.Base(arg), 120), ReadCloser: f}
		info, err := f.Stat()
		if err == nil && info.Mode().IsRegular() {
			r.size = info.Size()
		}
		return r, nil
	}
	for _, t := range demo.Traces() {
		if t.Name != arg {
			continue
		}
		data, err := demo.Open(arg)
		return &recording{name: arg, size: t.Size, opening: t.Opening, ReadCloser: io.NopCloser(data)}, err
	}
	if !errors.Is(err, fs.ErrNotExist) || strings.ContainsRune(arg, filepath.Separator) {
		return nil, fmt.Errorf("opening a trace: %w", err)
	}
	return nil, fmt.Errorf("there is neither a file nor a built-in trace called %q%s", arg, suggestion(arg, builtIn()))
}

// builtIn returns the names of the built-in traces.
func builtIn() []string {
	var names []string
	for _, t := range demo.Traces() {
		names = append(names, t.Name)
	}
	return names
}

// completeTrace offers the built-in traces, and files.
func completeTrace(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var offered []cobra.Completion
	for _, t := range demo.Traces() {
		offered = append(offered, cobra.CompletionWithDesc(t.Name, t.Title))
	}
	return offered, cobra.ShellCompDirectiveDefault
}
