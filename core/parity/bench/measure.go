package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/pprof"
	"syscall"
	"time"

	v1 "k8s.io/api/core/v1"
)

// batchTimeout limits how long a side may take for one batch.
const batchTimeout = 5 * time.Minute

// scheduler is one of the two sides, with its own cluster.
type scheduler interface {
	// schedule adds the pods of a batch and schedules until all schedulable ones are bound and confirmed. It
	// returns how long each decision took.
	schedule(batch) ([]time.Duration, error)
	// pending counts the pods without a node.
	pending([]*v1.Pod) int
	// answering is how long the extender has taken for its answers, if there is one.
	answering() time.Duration
	close()
}

// sides has the constructor of each side.
var sides = map[string]func(testCase) (scheduler, error){"upstream": newUpstream, "orrery": newOrrery}

// sample is the result of one run.
type sample struct {
	placed, decisions int
	took, cpu         time.Duration
	answering         time.Duration // of the extender
	bytes, allocs     uint64
	each              []time.Duration
}

func (s sample) podsPerSecond() float64 { return float64(s.placed) / s.took.Seconds() }

func (s sample) overAnswers() float64 {
	if s.answering == 0 {
		return 0
	}
	return s.took.Seconds() / s.answering.Seconds()
}

// measure runs one side once.
func measure(side string, c testCase, size int) (sample, error) {
	s, err := sides[side](c)
	if err != nil {
		return sample{}, fmt.Errorf("building %s: %w", side, err)
	}
	defer s.close()
	warmUp, measured := c.batches(size)
	if err := scheduleChecked(s, warmUp, nil); err != nil {
		return sample{}, fmt.Errorf("warming up %s: %w", side, err)
	}
	var result sample
	if err := scheduleChecked(s, measured, &result); err != nil {
		return sample{}, fmt.Errorf("measuring %s: %w", side, err)
	}
	return result, nil
}

// scheduleChecked schedules a batch, measures it unless into is nil, and checks that exactly the schedulable pods were bound.
func scheduleChecked(s scheduler, b batch, into *sample) error {
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	cpu, answering, began := cpuTime(), s.answering(), time.Now()
	var each []time.Duration
	var err error
	tag := "warming up"
	if into != nil {
		tag = "measured"
	}
	pprof.Do(context.Background(), pprof.Labels("phase", tag), func(context.Context) { each, err = s.schedule(b) })
	took := time.Since(began)
	used := cpuTime() - cpu
	runtime.ReadMemStats(&after)
	if err != nil {
		return err
	}
	if placed := len(b.pods) - s.pending(b.pods); placed != b.placeable || len(each) < b.placeable {
		return fmt.Errorf("%d of %d pods are on a node after %d decisions, and %d should be", placed, len(b.pods), len(each), b.placeable)
	}
	if into != nil {
		*into = sample{
			placed: b.placeable, decisions: len(each), took: took, cpu: used, each: each, answering: s.answering() - answering,
			bytes: after.TotalAlloc - before.TotalAlloc, allocs: after.Mallocs - before.Mallocs,
		}
	}
	return nil
}

// cpuTime returns the processor time of all threads of the process so far.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
