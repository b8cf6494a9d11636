package fuzz

import (
	"flag"
	"runtime/metrics"
	"testing"
	"time"
)

const (
	// mostTime is the processor time for one input. Only a fuzzing process checks it, as no test asserts on speed.
	mostTime = time.Second
	// mostMemory and perByte bound what reading an input may allocate: the greater of the two.
	mostMemory = 256 << 20
	perByte    = 50
)

// MaxSeed is how large an input should be that a target begins with, in bytes: a fuzzer tries some tens of larger ones in a second, and
// hits nothing in them. What is larger has a test of its own.
const MaxSeed = 4 << 10

// Cost reads an input of so many bytes, and fails where that takes too long or too much memory.
func Cost(t testing.TB, size int, read func()) {
	t.Helper()
	before := spentSoFar()
	stop := watch(before)
	read()
	stop()
	now := spentSoFar()
	if took, most := now.memory-before.memory, int64(max(mostMemory, perByte*size)); took > most {
		t.Errorf("%d bytes of input cost %d MiB of memory, more than %d MiB", size, took>>20, most>>20)
	}
	if took := now.time - before.time; inWorker() && took > mostTime {
		t.Errorf("%d bytes of input cost %v of processor time, more than %v", size, took, mostTime)
	}
}

// spent is what the process has used since it began.
type spent struct {
	time   time.Duration
	memory int64 // all that was allocated, freed or not, and the stacks
}

func spentSoFar() spent {
	samples := [...]metrics.Sample{{Name: "/gc/heap/allocs:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(samples[:])
	return spent{processorTime(), int64(samples[0].Value.Uint64() + samples[1].Value.Uint64())}
}

// inWorker reports whether this is one of the processes in which go test -fuzz tries inputs.
func inWorker() bool {
	f := flag.Lookup("test.fuzzworker")
	return f != nil && f.Value.String() == "true"
}
