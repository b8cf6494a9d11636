package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"orrery/core/parity/faultproxy"
)

// measure is what was measured at the end of a round.
type measure struct {
	minute  float64
	rate    float64 // bindings per second
	slowest time.Duration
	faults  faultproxy.Counts // so far
	levels  []level
}

// report is all measures.
type report struct {
	to       io.Writer
	measures []measure
}

// add prints a measure.
func (r *report) add(m measure) {
	if len(r.measures) == 0 {
		fmt.Fprintf(r.to, "%6s %7s %9s  %-10s %9s %9s %10s %11s %7s %7s\n", "minute", "pods/s", "slowest", "program", "live", "resident", "goroutines", "descriptors", "watches", "sockets")
	}
	r.measures = append(r.measures, m)
	for i, l := range m.levels {
		about := fmt.Sprintf("%6.1f %7.0f %9s", m.minute, m.rate, m.slowest.Round(10*time.Millisecond))
		if i > 0 {
			about = fmt.Sprintf("%24s", "")
		}
		fmt.Fprintf(r.to, "%s  %-10s %s %s %10d %11d %7d %7d\n", about, l.program, mebibytes(l.live), mebibytes(l.resident), l.goroutines, l.descriptors, l.watches, l.sockets)
	}
	f := m.faults
	fmt.Fprintf(r.to, "%24s  faults so far: %d busy, %d slow, %d lost, %d watches ended, %d expired\n", "", f.Busy, f.Slow, f.Lost, f.Cut, f.Expired)
}

// wanted is what a program held at the end of the round that is the measure of the others. There is none before the end of that round.
func (r *report) wanted(program int) level {
	if len(r.measures) < baseline {
		return level{}
	}
	return r.measures[baseline-1].levels[program]
}

func mebibytes(n int64) string { return fmt.Sprintf("%5.1f MiB", float64(n)/(1<<20)) }

// memoryTolerance is the share by which memory may grow, and socketTolerance that of sockets: a second connection to the API server may stay
// as long as a watch is on it, and one that is never closed would add one or two in each round.
const (
	memoryTolerance = 0.05
	socketTolerance = 1
)

// end prints a table of what is held after the baseline, and returns what is not level.
func (r *report) end() error {
	if len(r.measures) <= baseline+1 {
		return errors.New("there are no two rounds after the baseline to compare")
	}
	fmt.Fprintf(r.to, "\n| program | | at minute %.0f | least after | most after | |\n|---|---|--:|--:|--:|---|\n", r.measures[baseline-1].minute)
	var errs []error
	for i := range r.measures[0].levels {
		errs = append(errs,
			r.checkHalves(i, "live memory", func(l level) int64 { return l.live }, memoryTolerance, mebibytes),
			r.checkHalves(i, "sockets", func(l level) int64 { return int64(l.sockets) }, socketTolerance, func(n int64) string { return fmt.Sprint(n) }))
		for _, of := range []struct {
			name  string
			value func(level) int
		}{
			{"goroutines", func(l level) int { return l.goroutines }},
			{"descriptors", func(l level) int { return l.descriptors }},
			{"watches", func(l level) int { return l.watches }},
		} {
			errs = append(errs, r.checkCount(i, of.name, of.value))
		}
	}
	return errors.Join(errs...)
}

// checkCount checks that a count stays what it is at the baseline.
func (r *report) checkCount(program int, name string, value func(level) int) error {
	base := r.measures[baseline-1].levels[program]
	was := value(base)
	least, most := was, was
	for _, m := range r.measures[baseline:] {
		least, most = min(least, value(m.levels[program])), max(most, value(m.levels[program]))
	}
	return r.check(base.program, name, least == was && most == was, fmt.Sprint(was), fmt.Sprint(least), fmt.Sprint(most))
}

// checkHalves compares the least of the first half of the rounds after the baseline with that of the second half. A single round may be too
// short for a flight recorder to let go of a half, or for a connection to be closed.
func (r *report) checkHalves(program int, name string, value func(level) int64, tolerance float64, text func(int64) string) error {
	least := func(all []measure) int64 {
		n := int64(math.MaxInt64)
		for _, m := range all {
			n = min(n, value(m.levels[program]))
		}
		return n
	}
	after := r.measures[baseline:]
	base, first, second := r.measures[baseline-1].levels[program], least(after[:len(after)/2]), least(after[len(after)/2:])
	level := float64(second) <= float64(first)*(1+tolerance)
	return r.check(base.program, name+", by halves", level, text(value(base)), text(first), text(second))
}

// check prints a line of the table, and returns an error if it is not level.
func (r *report) check(program, name string, level bool, values ...string) error {
	verdict := "level"
	if !level {
		verdict = "NOT LEVEL"
	}
	fmt.Fprintf(r.to, "| %s | %s | %s | %s |\n", program, name, strings.Join(values, " | "), verdict)
	if level {
		return nil
	}
	return fmt.Errorf("%s of %s: %s at first, then %s to %s", name, program, values[0], values[1], values[2])
}
