package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime/pprof"

	"k8s.io/klog/v2"
)

// options are the command line's.
type options struct {
	rows    *regexp.Regexp
	runs    int
	pods    int
	side    string
	out     string
	profile string
	date    string
}

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func parse(args []string) (options, error) {
	var o options
	var rows string
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.StringVar(&rows, "row", ".", "run the rows whose name matches this `regexp`, such as 'one template/5000/adaptive'")
	f.IntVar(&o.runs, "runs", 3, "how many runs of each side a row's medians come from")
	f.IntVar(&o.pods, "pods", 0, "how many pods one run schedules; 0 means the row's own number")
	f.StringVar(&o.side, "side", "", "measure only upstream or orrery")
	f.StringVar(&o.out, "out", "", "write the table and the machine it was measured on to this Markdown `file`")
	f.StringVar(&o.profile, "profile", "", "write a CPU profile to this `file`; pprof's -tagfocus=measured selects the measured part")
	f.StringVar(&o.date, "date", "", "the `date` in the written table")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	var err error
	if o.rows, err = regexp.Compile(rows); err != nil {
		return o, fmt.Errorf("reading -row: %w", err)
	}
	if o.side != "" && sides[o.side] == nil {
		return o, fmt.Errorf("there is no side %q to measure: use upstream or orrery", o.side)
	}
	if o.out != "" && o.side != "" {
		return o, fmt.Errorf("a table needs both sides: give -out or -side, not both")
	}
	return o, nil
}

func run(args []string, to io.Writer) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	if o.profile != "" {
		file, err := os.Create(o.profile)
		if err != nil {
			return fmt.Errorf("creating the CPU profile: %w", err)
		}
		defer file.Close()
		if err := pprof.StartCPUProfile(file); err != nil {
			return fmt.Errorf("starting the CPU profile: %w", err)
		}
		defer pprof.StopCPUProfile()
	}
	table, err := measureAll(o, to)
	if err != nil || o.out == "" {
		return err
	}
	if err := os.WriteFile(o.out, document(o, table), 0o644); err != nil {
		return fmt.Errorf("writing the table: %w", err)
	}
	return nil
}

// measureAll measures the selected rows and prints each as soon as it is done.
func measureAll(o options, to io.Writer) ([]line, error) {
	load := loadAverage()
	var table []line
	fmt.Fprint(to, heading)
	for _, c := range cases() {
		if !o.rows.MatchString(c.name()) {
			continue
		}
		l, err := measureCase(c, o)
		if err != nil {
			return nil, fmt.Errorf("row %s: %w", c.name(), err)
		}
		fmt.Fprint(to, l)
		table = append(table, l)
	}
	if len(table) == 0 {
		return nil, fmt.Errorf("no row matches %q", o.rows)
	}
	fmt.Fprint(to, overAnswers(table))
	fmt.Fprintf(to, "\nload average before %s, after %s\n", load, loadAverage())
	return table, nil
}
