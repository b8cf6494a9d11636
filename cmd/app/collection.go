package app

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// openingPercent is by how much the heap grows between two collections while something large is opened: all that is read is kept, and a
// collection finds nothing. Opening 100,000 pods takes five collections instead of twelve.
const openingPercent = 400

// restingPercent is the percentage that the process began with. It is asked for once: at a second opening, the percentage may still be
// one that waits for the next collection.
var restingPercent = sync.OnceValue(percentNow)

// collectLess collects garbage less often until the returned function is called. GOGC in the environment has precedence.
func collectLess() (end func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	resting := restingPercent()
	debug.SetGCPercent(openingPercent)
	return func() {
		debug.SetGCPercent(max(resting, percentAbove(heap())))
		collected := new(*int) // becomes garbage at once
		runtime.AddCleanup(collected, func(percent int) { debug.SetGCPercent(percent) }, resting)
	}
}

// percentNow returns the percentage in force. Asking debug.SetGCPercent would undo what a cleanup sets meanwhile.
func percentNow() int {
	sample := [...]metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(sample[:])
	return int(sample[0].Value.Uint64())
}

// percentAbove returns a percentage at which the next collection begins when the heap is a quarter larger than it is. One that was due
// long ago would halt whatever allocates until it has ended.
func percentAbove(live, heap uint64) int {
	return int(min(heap+heap/4, 10*live)*100/max(live, 1)) - 100
}

// heap returns the bytes that the last collection left, and those of now.
func heap() (live, now uint64) {
	samples := [...]metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(samples[:])
	return samples[0].Value.Uint64(), samples[1].Value.Uint64()
}
