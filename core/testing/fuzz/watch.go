package fuzz

import (
	"fmt"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	watchInterval = 20 * time.Millisecond
	// hung and swollen are far more than an input may cost, and end the process: go test has no limit for one input.
	hung    = 10 * time.Second
	swollen = 1 << 30
)

// watch ends a fuzzing process whose input does not end, or takes the machine's memory, until it is stopped. The input is then
// kept like one that panics.
func watch(before spent) (stop func()) {
	if !inWorker() {
		return func() {}
	}
	done := make(chan struct{})
	go func() {
		ticker := time.NewTicker(watchInterval)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
				check(processorTime()-before.time, heapInUse())
			}
		}
	}()
	return func() { close(done) }
}

func check(took time.Duration, heap uint64) {
	if took < hung && heap < swollen {
		return
	}
	debug.SetTraceback("all")
	panic(fmt.Sprintf("the input has cost %v of processor time, and the heap is %d MiB", took, heap>>20))
}

func heapInUse() uint64 {
	sample := [...]metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample[:])
	return sample[0].Value.Uint64()
}
