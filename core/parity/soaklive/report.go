package main

import (
	"errors"
	"fmt"
	"io"
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
		fmt.Fprintf(r.to, "%6s %7s %9s  %-10s %9s %9s %10s %11s %7s\n", "minute", "pods/s", "slowest", "program", "live", "resident", "goroutines", "descriptors", "watches")
	}
	r.measures = append(r.measures, m)
	for i, l := range m.levels {
		about := fmt.Sprintf("%6.1f %7.0f %9s", m.minute, m.rate, m.slowest.Round(10*time.Millisecond))
		if i > 0 {
			about = fmt.Sprintf("%24s", "")
		}
		fmt.Fprintf(r.to, "%s  %-10s %s %s %10d %11d %7d\n", about, l.program, mebibytes(l.live), mebibytes(l.resident), l.goroutines, l.descriptors, l.watches)
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

// memoryTolerance is the share by which memory may differ from the baseline's.
const memoryTolerance = 0.05

// end prints a table of the extremes after the baseline, and returns what is not level.
func (r *report) end() error {
	if len(r.measures) <= baseline {
		return errors.New("there is no round after the baseline to judge")
	}
	base := r.measures[baseline-1]
	fmt.Fprintf(r.to, "\n| program | | at minute %.0f | least after | most after | |\n|---|---|--:|--:|--:|---|\n", base.minute)
	var errs []error
	for i := range base.levels {
		for _, of := range []struct {
			name      string
			value     func(level) int64
			tolerance float64
			text      func(int64) string
		}{
			{"live memory", func(l level) int64 { return l.live }, memoryTolerance, mebibytes},
			{"goroutines", func(l level) int64 { return int64(l.goroutines) }, 0, decimal},
			{"descriptors", func(l level) int64 { return int64(l.descriptors) }, 0, decimal},
			{"watches", func(l level) int64 { return int64(l.watches) }, 0, decimal},
		} {
			was := of.value(base.levels[i])
			least, most := was, was
			for _, m := range r.measures[baseline:] {
				least, most = min(least, of.value(m.levels[i])), max(most, of.value(m.levels[i]))
			}
			verdict := "level"
			if slack := float64(was) * of.tolerance; float64(most-was) > slack || float64(was-least) > slack {
				verdict = "NOT LEVEL"
				errs = append(errs, fmt.Errorf("%s of %s: %s at first, then %s to %s", of.name, base.levels[i].program, of.text(was), of.text(least), of.text(most)))
			}
			fmt.Fprintf(r.to, "| %s | %s | %s | %s | %s | %s |\n", base.levels[i].program, of.name, of.text(was), of.text(least), of.text(most), verdict)
		}
	}
	return errors.Join(errs...)
}

func decimal(n int64) string { return fmt.Sprint(n) }
