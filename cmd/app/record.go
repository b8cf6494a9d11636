package app

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"orrery/core/safe/files"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
	"orrery/core/trace"
)

// recordFlags are the flags of record.
type recordFlags struct {
	connection
	out      output
	file     string
	force    bool
	duration time.Duration
	maxSize  string
	hash     bool
	salt     string
}

func recordCommand(plugins framework.Registry) *cobra.Command {
	f := &recordFlags{}
	c := &cobra.Command{
		Use:   "record",
		Short: "Record a cluster as a trace",
		Long: `Record writes a trace of a cluster: the fields of objects that scheduling reads, and no others.
Environments, commands, secrets and annotations never enter the file; with --hash-names names do not either.

It only reads. Orrery's engine shadows the cluster's scheduler: a binding that it decides counts as done if the
cluster's scheduler binds the pod to the same node, and otherwise as refused. So the trace is the complete history
of one scheduler, and "orrery replay --verify" takes the same decisions. In the end it prints how often the two
schedulers agreed.

It ends with --for or --max-size, or with SIGINT or SIGTERM; the trace is complete in each case. A trace can be
watched (demo), asked (explain, whatif), compared (compare) and cut (trace cut).

"orrery manifests --shadow" prints a role with the necessary rights.`,
		Example: `  orrery record --for 10m
  orrery record --context staging --out staging.orrery --max-size 1GiB
  head -c 32 /dev/urandom >salt
  orrery record --for 1h --hash-names --salt-file salt --out hashed.orrery`,
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(c *cobra.Command, _ []string) error { return f.run(c, plugins) },
	}
	c.Flags().StringVar(&f.file, "out", "", "the `file` to write (default: named after the cluster and the time)")
	addForce(c, &f.force)
	c.Flags().DurationVar(&f.duration, "for", 0, "how long to record, as in 10m (default: until a signal)")
	c.Flags().StringVar(&f.maxSize, "max-size", "256MiB", "the approximate maximum size of the file; 0 for no limit")
	c.Flags().BoolVar(&f.hash, "hash-names", false, "replace names by hashes, like \"orrery trace hash\"; needs --salt-file")
	c.Flags().StringVar(&f.salt, "salt-file", "", "a `file` of random bytes, 8 at least")
	f.out.addFlag(c)
	f.connection.addFlags(c, false)
	return c
}

// recordDocument is the result of record.
type recordDocument struct {
	envelope
	File    string  `json:"file"`
	Cluster string  `json:"cluster"`
	Server  string  `json:"server"`
	Start   moment  `json:"start"`
	Seconds float64 `json:"seconds"`
	Bytes   int64   `json:"bytes"`
	Inputs  uint64  `json:"inputs"`
	Refused uint64  `json:"refusedInputs"`
	// Refusals name what of them was refused, the newest first.
	Refusals []string `json:"refusals"`
	// Decisions are those of the shadowing engine.
	Decisions uint64 `json:"decisions"`
	// Ended is the limit that ended the recording: for, max-size or signal.
	Ended     string            `json:"ended"`
	Agreement agreementDocument `json:"agreement"`
	// Differences are the last of the decisions that differ and are not explained.
	Differences []unexplainedDocument `json:"differences,omitempty"`
	Digest      string                `json:"digest"`
	Unread      []unreadableDocument  `json:"unread"`
}

// agreementDocument counts decisions of the cluster's scheduler.
type agreementDocument struct {
	Agreed    uint64 `json:"agreed"`
	Explained uint64 `json:"explained"`
	Differs   uint64 `json:"differs"`
	// Missed decisions were not compared, because they may be older than the first lists.
	Missed uint64 `json:"missed"`
}

func (f *recordFlags) run(c *cobra.Command, plugins framework.Registry) error {
	most, hash, err := f.check()
	if err != nil {
		return err
	}
	from, err := f.open(c, 0)
	if err != nil {
		return err
	}
	if f.file == "" {
		f.file = "orrery-" + fileNamePart(from.name) + "-" + time.Now().UTC().Format("20060102T150405") + ".orrery"
	}
	configuration, err := f.schedulerOf(c, from)
	if err != nil {
		return err
	}
	ctx, stop := signalContext()
	defer stop()
	defer files.RemoveOnSignal(syscall.SIGHUP, syscall.SIGQUIT)()
	file, err := create(f.file, f.force)
	if err != nil {
		return err
	}
	defer file.Close()
	asking, answered := f.answerContext(ctx, c)
	r, err := newRecording(asking, from, engine.Options{Config: configuration, Plugins: plugins, KubeConfig: from.config, Seed: uint64(time.Now().UnixNano())})
	answered()
	if err != nil {
		return err
	}
	warn(c, unreadableWarnings(r.unread)...)
	p := newProgress(c, "recording "+from.name)
	to := &counter{to: file}
	ended, err := r.record(ctx, to, file.Commit, p, limits{f.duration, most, hash})
	p.done()
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	doc := r.document(filepath.Base(f.file), to.bytes, ended)
	return f.out.print(c, doc, doc.text)
}

// check validates the flags first.
func (f *recordFlags) check() (most int64, hash *trace.NameHasher, err error) {
	size, err := humanize.ParseBytes(f.maxSize)
	if err != nil || size > math.MaxInt64 {
		return 0, nil, fmt.Errorf("--max-size %q: write a size like 256MiB", f.maxSize)
	}
	if f.duration < 0 {
		return 0, nil, fmt.Errorf("--for %s: it is a duration, like 10m", f.duration)
	}
	if f.salt != "" && !f.hash {
		return 0, nil, errors.New("--salt-file is for --hash-names, which is not given")
	}
	if f.hash {
		hash, err = readSalt(f.salt)
	}
	return int64(size), hash, err
}

// fileNamePart replaces characters that do not belong in a file name.
func fileNamePart(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' {
			return r
		}
		return '-'
	}, strings.TrimPrefix(strings.TrimPrefix(name, "context "), "the "))
}

func unreadableWarnings(all []unreadableDocument) []string {
	var lines []string
	for _, u := range all {
		lines = append(lines, u.Why+": "+u.Means)
	}
	return lines
}

// text writes the file's name and contents first.
func (d *recordDocument) text(w io.Writer) {
	fmt.Fprintf(w, "recorded %s of %s: %s, %s, %s in %s\n", durationText(durationOf(d.Seconds)), d.Cluster,
		countText(d.Inputs, "input"), countText(d.Decisions, "decision"), humanize.IBytes(uint64(d.Bytes)), d.File)
	if d.Ended == "max-size" {
		fmt.Fprintln(w, "  it ended because the file has as many bytes as --max-size says")
	}
	if a := d.Agreement; a.Agreed+a.Explained+a.Differs > 0 {
		fmt.Fprintf(w, "  %s of the cluster's scheduler: %s the same, %s because of event timing, %s unexplained\n",
			countText(a.Agreed+a.Explained+a.Differs, "decision"), humanize.Comma(int64(a.Agreed)), differText(a.Explained), humanize.Comma(int64(a.Differs)))
		for _, d := range d.Differences {
			fmt.Fprintf(w, "    unexplained at %s: %s\n", d.Offset, d.text())
		}
		if more := a.Differs - uint64(len(d.Differences)); more > 0 {
			fmt.Fprintf(w, "    and %s earlier\n", humanize.Comma(int64(more)))
		}
	}
	if d.Refused > 0 {
		fmt.Fprintf(w, "  the scheduler refused a part of %s: they are recorded all the same\n", countText(d.Refused, "input"))
		for _, line := range d.Refusals {
			fmt.Fprintln(w, "    "+line)
		}
	}
}

// differText is "1 differs" or "2 differ".
func differText(n uint64) string {
	if n == 1 {
		return "1 differs"
	}
	return humanize.Comma(int64(n)) + " differ"
}
