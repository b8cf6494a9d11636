package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"orrery/core/answers/assist"
	"orrery/core/answers/change"
	"orrery/core/safe/address"
	"orrery/core/safe/panics"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/framework"
	"orrery/demo"
)

// askingCommands are those that assistants ask: none of them writes.
func askingCommands(plugins framework.Registry) *cobra.Command {
	c := &cobra.Command{Use: "orrery", SilenceUsage: true, SilenceErrors: true}
	traces := &cobra.Command{Use: "trace"}
	traces.AddCommand(traceInfoCommand())
	c.AddCommand(explainCommand(plugins), journeyCommand(plugins), whatIfCommand(plugins), fitCommand(plugins), capacityCommand(plugins), consolidateCommand(plugins), compareCommand(plugins), replayCommand(plugins), traces)
	describeUsage(c)
	return c
}

// asker returns what runs a command for an assistant, one at a time: each takes what memory and cores there are.
func asker(plugins framework.Registry) func(context.Context, []string, string) ([]byte, bool, error) {
	var one sync.Mutex
	return func(ctx context.Context, words []string, input string) (document []byte, no bool, err error) {
		one.Lock()
		defer one.Unlock()
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		var out, warnings bytes.Buffer
		c := askingCommands(plugins)
		c.SetOut(&out)
		c.SetErr(&warnings)
		c.SetIn(strings.NewReader(input))
		c.SetArgs(words)
		if panicked := panics.Call("this question", func() { err = c.ExecuteContext(ctx) }); panicked != nil {
			return nil, false, errors.New("this question failed in Orrery itself: please report it, with the recording and the arguments")
		}
		switch {
		case errors.Is(err, errNo):
			return out.Bytes(), true, nil
		case err != nil:
			return nil, false, errors.New(address.ErrorText(err))
		}
		return out.Bytes(), false, nil
	}
}

// sourceOf describes a recording.
func sourceOf(path string) (assist.Source, error) {
	if path == "-" {
		return assist.Source{}, errors.New("- is the standard input, on which the assistant talks: name a file")
	}
	s := assist.Source{Name: printable.Line(filepath.Base(path), 80), Recording: true, File: path, Title: "recording " + path}
	s.Words = []string{"--trace=" + path}
	s.Shown = s.Words
	for _, t := range demo.Traces() {
		if t.Name != path {
			continue
		}
		story, err := demo.Source(t.Name)
		if err != nil {
			return s, err
		}
		s.Title, s.Description, s.Story = t.Title, t.Description, string(story)
		return s, nil
	}
	rec, err := openTrace(&cobra.Command{}, path)
	if err != nil {
		return s, fmt.Errorf("opening %s: %w", printable.Line(path, 200), err)
	}
	return s, rec.Close()
}

func whatIfSyntax() string { return change.Usage() }

// stopWith closes a server when the context ends, and returns what ends that.
func stopWith(ctx context.Context, s *http.Server) func() {
	if ctx == nil {
		return func() {}
	}
	stop := context.AfterFunc(ctx, func() { _ = s.Close() })
	return func() { stop() }
}

// stdin and unclosed are the standard streams, which stay open.
type (
	stdin    struct{ io.Reader }
	unclosed struct{ io.Writer }
)

func (stdin) Close() error    { return nil }
func (unclosed) Close() error { return nil }
