package app

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"orrery/core/safe/files"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
	"orrery/core/trace/play"
	"orrery/core/trace/spans"
	"orrery/core/trace/table"
)

// exportFlags say where an export goes.
type exportFlags struct {
	csv, parquet, ndjson, otlp string
	force                      bool
	rules                      spans.Rules
}

func traceExportCommand(plugins framework.Registry) *cobra.Command {
	var f exportFlags
	c := &cobra.Command{
		Use:   "export TRACE",
		Short: "Write what a trace holds as tables, or as OpenTelemetry traces",
		Long: `Export replays a trace and writes what happened in it, for other programs: every decision, pod, node and
transition as tables in CSV, Parquet or NDJSON, or the journey of each pod as an OpenTelemetry trace, from
its creation through the queue, its attempts and its binding until it runs. docs/exports.md describes the
tables, with queries for DuckDB, and the spans.

--otlp takes http://HOST:PORT, or https:// for TLS, of a collector that is sent OTLP by gRPC, with the
variables OTEL_EXPORTER_OTLP_* for headers and certificates; or a file, for OTLP as lines of JSON.
Without --slow, --failed or --owner every pod whose journey is in the trace is sent; each of these adds
the pods that it is about.

TRACE is a file, - for the standard input, or a built-in trace. Of a directory that "orrery run
--record-dir" made it is everything, segment after segment. What is decided is decided again: of a trace
that begins with a snapshot it may differ from what was.

The exit code is 1 when the trace is damaged: then what is before that was written.`,
		Example: `  orrery trace export incident.orrery --parquet incident
  orrery trace export morning-rush --ndjson - | head -n 3
  orrery trace export incident.orrery --otlp http://localhost:4317 --slow 30s`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeTrace,
		RunE: func(c *cobra.Command, args []string) error {
			all, err := openSeries(c, args[0])
			if err != nil {
				return err
			}
			defer all.Close()
			damaged, err := f.export(c, all, plugins)
			if err != nil {
				return err
			}
			return exitFor(!damaged)
		},
	}
	c.Flags().StringVar(&f.csv, "csv", "", "write the tables as CSV to files in this `directory`")
	c.Flags().StringVar(&f.parquet, "parquet", "", "write the tables as Parquet to files in this `directory`")
	c.Flags().StringVar(&f.ndjson, "ndjson", "", "write all rows as lines of JSON to this `file`; - is the standard output")
	c.Flags().StringVar(&f.otlp, "otlp", "", "send pods' journeys to this `endpoint`, or write them to a file")
	c.Flags().DurationVar(&f.rules.Slow, "slow", 0, "with --otlp: pods that took longer than this `duration` to be bound")
	c.Flags().BoolVar(&f.rules.Failed, "failed", false, "with --otlp: pods with an attempt or a binding that failed, or without a node")
	c.Flags().StringArrayVar(&f.rules.Owners, "owner", nil, "with --otlp: pods of this `owner`, as deployment/web or shop/deployment/web; may be repeated")
	addForce(c, &f.force)
	c.MarkFlagsOneRequired("csv", "parquet", "ndjson", "otlp")
	c.MarkFlagsMutuallyExclusive("csv", "parquet", "ndjson", "otlp")
	return c
}

// export writes what the flags say, and reports whether the trace is damaged.
func (f *exportFlags) export(c *cobra.Command, all *series, plugins framework.Registry) (damaged bool, err error) {
	defer files.RemoveOnSignal(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)()
	switch {
	case f.otlp != "":
		return f.exportSpans(c, all, plugins)
	case f.rules.Slow != 0 || f.rules.Failed || len(f.rules.Owners) > 0:
		return false, errors.New("--slow, --failed and --owner choose the pods of --otlp: tables have all")
	case f.ndjson == "-":
		return f.exportTables(c, all, plugins, table.NewNDJSON(raw(c.OutOrStdout())))
	case f.ndjson != "":
		return f.exportTo(f.ndjson, func(to io.Writer) (bool, error) {
			return f.exportTables(c, all, plugins, table.NewNDJSON(to))
		})
	}
	return f.exportFiles(c, all, plugins)
}

// exportFiles writes a file for each table.
func (f *exportFlags) exportFiles(c *cobra.Command, all *series, plugins framework.Registry) (damaged bool, err error) {
	directory, ending := f.csv, ".csv"
	if f.parquet != "" {
		directory, ending = f.parquet, ".parquet"
	}
	if err := os.MkdirAll(directory, 0o755); err != nil {
		return false, err
	}
	out := map[string]*files.File{}
	for _, name := range table.Names {
		file, err := create(filepath.Join(directory, name+ending), f.force)
		if err != nil {
			return false, err
		}
		defer file.Close()
		out[name] = file
	}
	open := func(name string) io.Writer { return out[name] }
	var to table.Writer = table.NewParquet(version(), open)
	if f.csv != "" {
		if to, err = table.NewCSV(open); err != nil {
			return false, err
		}
	}
	if damaged, err = f.exportTables(c, all, plugins, to); err != nil {
		return damaged, err
	}
	for _, name := range table.Names {
		if err := out[name].Commit(); err != nil {
			return damaged, err
		}
	}
	return damaged, nil
}

// exportTo writes one file, which appears complete or not at all.
func (f *exportFlags) exportTo(name string, write func(io.Writer) (bool, error)) (damaged bool, err error) {
	file, err := create(name, f.force)
	if err != nil {
		return false, err
	}
	defer file.Close()
	if damaged, err = write(file); err != nil {
		return damaged, err
	}
	return damaged, file.Commit()
}

func (f *exportFlags) exportTables(c *cobra.Command, all *series, plugins framework.Registry, to table.Writer) (damaged bool, err error) {
	tables := table.New(to)
	_, damaged, err = all.track(c, tracking{
		sink: tables, options: playingWith(plugins), ends: func(*engine.Engine, *play.Report) error { return tables.Err() },
	})
	return damaged, errors.Join(err, tables.Close())
}

func (f *exportFlags) exportSpans(c *cobra.Command, all *series, plugins framework.Registry) (damaged bool, err error) {
	if !spans.IsEndpoint(f.otlp) {
		return f.exportTo(f.otlp, func(to io.Writer) (bool, error) { return f.sendSpans(c, all, plugins, spans.ToFile(to)) })
	}
	e, err := spans.Dial(c.Context(), f.otlp)
	if err != nil {
		return false, err
	}
	damaged, err = f.sendSpans(c, all, plugins, e.Send(c.Context()))
	return damaged, errors.Join(err, e.Close(c.Context()))
}

func (f *exportFlags) sendSpans(c *cobra.Command, all *series, plugins framework.Registry, to spans.Batch) (damaged bool, err error) {
	w := spans.New(f.rules, version(), to)
	_, damaged, err = all.track(c, tracking{sink: w, options: playingWith(plugins), ends: func(*engine.Engine, *play.Report) error { return w.Err() }})
	counts, failed := w.Close()
	if err = errors.Join(err, failed); err == nil {
		fmt.Fprintf(c.ErrOrStderr(), "orrery: %s of %s, with %s\n", countText(counts.Traces, "trace"), countText(counts.Pods, "pod"), countText(counts.Spans, "span"))
	}
	return damaged, err
}

// playingWith are the options of a replay with third-party plugins.
func playingWith(plugins framework.Registry) play.Options {
	return play.Options{Adjust: func(o *engine.Options) { o.Plugins = plugins }}
}
