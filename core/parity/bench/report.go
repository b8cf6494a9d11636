package main

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// summary has the medians over a side's runs, and percentiles over the decisions of all runs.
type summary struct {
	podsPerSecond float64
	p50, p99      time.Duration
	cpu           time.Duration // per decision
	bytes, allocs float64       // per decision
	overAnswers   float64       // how many times the extender's time a run took; zero without an extender
}

func summarize(runs []sample) summary {
	var each []time.Duration
	for _, r := range runs {
		each = append(each, r.each...)
	}
	slices.Sort(each)
	at := func(share float64) time.Duration {
		if len(each) == 0 {
			return 0
		}
		return each[int(share*float64(len(each)-1))]
	}
	return summary{
		podsPerSecond: medianOf(runs, sample.podsPerSecond), p50: at(0.5), p99: at(0.99),
		cpu:         time.Duration(medianOf(runs, func(s sample) float64 { return float64(s.cpu) / float64(s.decisions) })),
		bytes:       medianOf(runs, func(s sample) float64 { return float64(s.bytes) / float64(s.decisions) }),
		allocs:      medianOf(runs, func(s sample) float64 { return float64(s.allocs) / float64(s.decisions) }),
		overAnswers: medianOf(runs, sample.overAnswers),
	}
}

func medianOf[T any](of []T, value func(T) float64) float64 {
	values := make([]float64, len(of))
	for i, x := range of {
		values[i] = value(x)
	}
	return median(values)
}

func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	middle := len(values) / 2
	if len(values)%2 == 1 {
		return values[middle]
	}
	return (values[middle-1] + values[middle]) / 2
}

// line is one row of the table.
type line struct {
	name             string
	upstream, orrery summary
	ratio            float64 // the median over the pairs of runs
	runs             int
}

// measureCase alternates between the two sides.
func measureCase(c testCase, o options) (line, error) {
	runs := map[string][]sample{}
	size := c.size(o.pods)
	for range o.runs {
		for _, side := range []string{"upstream", "orrery"} {
			if o.side != "" && o.side != side {
				continue
			}
			s, err := measure(side, c, size)
			if err != nil {
				return line{}, err
			}
			runs[side] = append(runs[side], s)
		}
	}
	l := line{name: c.name(), upstream: summarize(runs["upstream"]), orrery: summarize(runs["orrery"]), runs: o.runs}
	if o.side == "" {
		var ratios []float64
		for i := range o.runs {
			ratios = append(ratios, runs["orrery"][i].podsPerSecond()/runs["upstream"][i].podsPerSecond())
		}
		l.ratio = median(ratios)
	}
	return l, nil
}

const heading = `| row | pods/s upstream | pods/s Orrery | ratio | ratio of CPU | p50 upstream | p50 Orrery | p99 upstream | p99 Orrery | CPU/decision upstream | CPU/decision Orrery | KiB/decision upstream | KiB/decision Orrery | allocs/decision upstream | allocs/decision Orrery | runs |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|
`

func (l line) String() string {
	u, o := l.upstream, l.orrery
	return fmt.Sprintf("| %s | %.0f | %.0f | **%.1f** | %.1f | %s | %s | %s | %s | %s | %s | %.1f | %.1f | %.0f | %.0f | %d |\n",
		l.name, u.podsPerSecond, o.podsPerSecond, l.ratio, l.cpuRatio(), brief(u.p50), brief(o.p50), brief(u.p99), brief(o.p99),
		brief(u.cpu), brief(o.cpu), u.bytes/1024, o.bytes/1024, u.allocs, o.allocs, l.runs)
}

// cpuRatio is kube-scheduler's processor time per decision divided by Orrery's.
func (l line) cpuRatio() float64 {
	if l.orrery.cpu == 0 {
		return 0
	}
	return float64(l.upstream.cpu) / float64(l.orrery.cpu)
}

// brief formats a duration in microseconds or milliseconds.
func brief(d time.Duration) string {
	if d < time.Millisecond {
		return fmt.Sprintf("%d µs", d.Microseconds())
	}
	return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000)
}

// document returns the contents of docs/benchmarks.md, or of a file of some rows beside it.
func document(o options, table []line) []byte {
	var b strings.Builder
	b.WriteString(preamble)
	if o.date != "" {
		fmt.Fprintf(&b, "Measured on %s", o.date)
	} else {
		b.WriteString("Measured")
	}
	fmt.Fprintf(&b, " on %d cores of %s, %s, %s/%s; load average at the end %s, of which the benchmark itself is a part.\n",
		runtime.NumCPU(), cpuModel(), runtime.Version(), runtime.GOOS, runtime.GOARCH, loadAverage())
	fmt.Fprintf(&b, "Every figure is a median of %d runs of each side, in turns. The command:\n\n", o.runs)
	fmt.Fprintf(&b, "    cd core/parity && go run ./bench -row '%s' -runs %d -out ../../docs/%s\n\n", o.rows, o.runs, filepath.Base(o.out))
	b.WriteString(heading)
	for _, l := range table {
		b.WriteString(l.String())
	}
	b.WriteString(closing(table))
	return []byte(b.String())
}

func closing(table []line) string {
	worst := slices.MinFunc(table, func(a, b line) int { return cmp.Compare(a.ratio, b.ratio) })
	best := slices.MaxFunc(table, func(a, b line) int { return cmp.Compare(a.ratio, b.ratio) })
	middle := medianOf(table, func(l line) float64 { return l.ratio })
	return fmt.Sprintf("\nThe ratio is between %.1f (%s) and %.1f (%s), with a median of %.1f over the rows.\n",
		worst.ratio, worst.name, best.ratio, best.name, middle) + overAnswers(table)
}

// overAnswers compares the rows with an extender with the time of its answers.
func overAnswers(table []line) string {
	var b strings.Builder
	for _, l := range table {
		if l.upstream.overAnswers > 0 || l.orrery.overAnswers > 0 {
			fmt.Fprintf(&b, "\n%s: kube-scheduler takes %.2f times as long as the extender for its answers, Orrery %.2f times.\n",
				l.name, l.upstream.overAnswers, l.orrery.overAnswers)
		}
	}
	return b.String()
}

// cpuModel returns the processor's name from /proc/cpuinfo.
func cpuModel() string {
	file, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return "an unknown processor"
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if key, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "an unknown processor"
}

// loadAverage returns the load averages over one, five and fifteen minutes.
func loadAverage() string {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	fields := strings.Fields(string(data))
	return strings.Join(fields[:min(3, len(fields))], " ")
}
