package engine

import (
	"slices"
	"time"
)

// Problem is something that went wrong inside, with nobody to answer to: a cache that contradicts a binding, a pod
// that came back to the queue twice. Each is worth a look; none stops the engine.
type Problem struct {
	At   time.Time
	What error
}

// problemLog keeps the first problems: with bugs, the first says most.
type problemLog []Problem

const problemsMost = 256

func (l problemLog) fork() problemLog { return slices.Clone(l) }

// Problems lists what went wrong inside, the first first.
func (e *Engine) Problems() []Problem { return e.problems }

// note keeps an error that nobody waits for.
func (e *Engine) note(err error) {
	if err == nil {
		return
	}
	e.tally.Problems++
	if len(e.problems) < problemsMost {
		e.problems = append(e.problems, Problem{At: e.now, What: err})
	}
}
