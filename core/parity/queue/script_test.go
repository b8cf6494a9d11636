package queue

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// verb is a step's kind.
type verb string

const (
	add        verb = "add"
	change     verb = "change"
	remove     verb = "delete"
	pop        verb = "pop"
	fail       verb = "fail"
	done       verb = "done"
	failLate   verb = "fail after done"
	nodeEvent  verb = "node event"
	podEvent   verb = "event of an assigned pod"
	otherEvent verb = "event of another object"
	// storageEvent is one of a volume, a claim, or another object of storage.
	storageEvent verb = "event of storage"
	wildcard     verb = "wildcard event"
	activate     verb = "activate"
	wait         verb = "wait"
	nominate     verb = "nominate"
	withdraw     verb = "withdraw nomination"
	toggle       verb = "toggle gate"
	replacement  verb = "update to a new UID"
)

// step is a verb and numbers that are resolved when it runs, so that every part of a script is a valid script.
type step struct {
	verb    verb
	a, b, c int
	wait    time.Duration
}

func (s step) String() string {
	if s.verb == wait {
		return fmt.Sprintf("%s %s", s.verb, s.wait)
	}
	return fmt.Sprintf("%s %d %d %d", s.verb, s.a, s.b, s.c)
}

type script struct {
	start time.Duration // offset from a full second
	steps []step
}

func (s script) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "starting %s after the second\n", s.start)
	for i, st := range s.steps {
		fmt.Fprintf(&b, "%3d  %s\n", i, st)
	}
	return b.String()
}

var verbs = []struct {
	verb   verb
	weight int
}{
	{add, 12},
	{change, 14},
	{remove, 4},
	{pop, 22},
	{fail, 22},
	{done, 3},
	{failLate, 2},
	{nodeEvent, 10},
	{podEvent, 8},
	{otherEvent, 8},
	{storageEvent, 24},
	{wildcard, 1},
	{activate, 4},
	{wait, 14},
	{nominate, 5},
	{withdraw, 2},
	{toggle, 3},
	{replacement, 1},
}

var waits = []time.Duration{
	100 * time.Millisecond, 500 * time.Millisecond, time.Second, 1500 * time.Millisecond, 2 * time.Second, 4 * time.Second,
	11 * time.Second, 31 * time.Second, 150 * time.Second, 301 * time.Second,
}

const scriptLength = 80

func newScript(seed uint64, number int) script {
	r := rand.New(rand.NewPCG(seed, uint64(number)))
	s := script{start: []time.Duration{0, 300 * time.Millisecond, 999 * time.Millisecond}[r.IntN(3)]}
	total := 0
	for _, v := range verbs {
		total += v.weight
	}
	for range scriptLength {
		n := r.IntN(total)
		for _, v := range verbs {
			if n -= v.weight; n < 0 {
				s.steps = append(s.steps, step{v.verb, r.IntN(1 << 16), r.IntN(1 << 16), r.IntN(1 << 16), waits[r.IntN(len(waits))]})
				break
			}
		}
	}
	return s
}
