package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"orrery/core/parity/apiserver"
	"orrery/core/parity/program"
)

// options are the command line's.
type options struct {
	nodes, pods, rounds int
	side                string
	out, profile        string
	serve               string
}

func main() { program.Main("benchcluster", run) }

func parse(args []string) (options, error) {
	var o options
	f := flag.NewFlagSet("benchcluster", flag.ContinueOnError)
	f.IntVar(&o.nodes, "nodes", 5000, "how many nodes the cluster has")
	f.IntVar(&o.pods, "pods", 10000, "how many pods are pending")
	f.IntVar(&o.rounds, "rounds", 3, "how many runs of each side the medians come from")
	f.StringVar(&o.side, "side", "", "measure only this contender: upstream, orrery, binder, or \"binder, events\"")
	f.StringVar(&o.out, "out", "", "write the table and the machine it was measured on to this Markdown `file`")
	f.StringVar(&o.profile, "profile", "", "write a CPU profile of Orrery's last run to this `file`")
	f.StringVar(&o.serve, "serve", "", "run the API server of one run, with its files in this `directory`, until standard input ends")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if o.side != "" && !slices.Contains(contenders, o.side) {
		return o, fmt.Errorf("there is no contender %q to measure: use one of %q", o.side, contenders)
	}
	if o.out != "" && o.side != "" {
		return o, fmt.Errorf("a table needs all contenders: give -out or -side, not both")
	}
	if o.nodes < 1 || o.pods < 2 || o.rounds < 1 {
		return o, fmt.Errorf("measuring needs a node, two pods and a round")
	}
	return o, nil
}

func run(ctx context.Context, args []string, to io.Writer) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	if o.serve != "" {
		return apiserver.Serve(apiserver.Options{Dir: o.serve, Users: []string{scheduler}}, os.Stdin, to)
	}
	dir, err := os.MkdirTemp("", "orrery-bench")
	if err != nil {
		return fmt.Errorf("creating a directory for the benchmark: %w", err)
	}
	defer os.RemoveAll(dir)
	b := bench{options: o, to: to, began: time.Now(), load: loadAverage(), runs: map[string][]sample{}, programs: map[string]string{}}
	for _, side := range contenders {
		if b.wants(side) {
			if b.programs[side], err = program.Build(packages[side], dir); err != nil {
				return err
			}
		}
	}
	if err := b.measure(ctx, dir); err != nil {
		return err
	}
	fmt.Fprint(to, "\n", b.table())
	if o.out == "" {
		return nil
	}
	if err := os.WriteFile(o.out, []byte(b.document()), 0o644); err != nil {
		return fmt.Errorf("writing the table: %w", err)
	}
	return nil
}
