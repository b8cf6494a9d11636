package app

import (
	"fmt"
	"io"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"orrery/core/scheduler/framework"
	"orrery/demo"
)

func traceCommand(plugins framework.Registry) *cobra.Command {
	c := &cobra.Command{
		Use:   "trace",
		Short: "Look into recordings, replay them, make them of other data, cut them, hide their names, and export them",
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(traceListCommand(), traceInfoCommand(), traceVerifyCommand(plugins), traceImportCommand(), traceCutCommand(), traceHashCommand(), traceExportCommand(plugins))
	return c
}

type traceListDocument struct {
	envelope
	Traces []listedTrace `json:"traces"`
}

type listedTrace struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Story string `json:"story"`
	Bytes int64  `json:"bytes"`
}

func (d traceListDocument) names() []string {
	var names []string
	for _, t := range d.Traces {
		names = append(names, t.Name)
	}
	return names
}

func traceListCommand() *cobra.Command {
	out := output{names: true}
	c := &cobra.Command{
		Use:   "list",
		Short: "List the traces that are built in",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			doc := traceListDocument{document("TraceList"), []listedTrace{}}
			for _, t := range demo.Traces() {
				doc.Traces = append(doc.Traces, listedTrace{t.Name, t.Title, t.Description, t.Size})
			}
			return out.print(c, doc, func(w io.Writer) {
				var table [][]string
				for _, t := range doc.Traces {
					table = append(table, []string{t.Name, humanize.IBytes(uint64(t.Bytes)), t.Title})
				}
				writeTable(w, "", table)
			})
		},
	}
	out.addFlag(c)
	return c
}

// printWritten prints the result of a command that wrote a trace. If the trace went to the standard output, it only
// warns of the notes.
func printWritten(c *cobra.Command, out output, to outFile, doc any, notes []string, text func(io.Writer)) error {
	if to.isStdout() {
		warn(c, notes...)
		return nil
	}
	return out.print(c, doc, func(w io.Writer) {
		text(w)
		for _, note := range notes {
			fmt.Fprintln(w, "  "+note)
		}
	})
}
