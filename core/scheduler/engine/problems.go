package engine

import "time"

// Problem is an inconsistency that the engine found, such as a cache that contradicts a binding or a pod queued twice.
// None stops the engine.
type Problem struct {
	At  time.Time
	Err error
}

//orrery:limit scheduler; internal errors that are remembered; the oldest goes; all are counted and logged
const maxProblems = 256

// Problems lists the newest problems, oldest first; Counters.Problems counts all.
func (e *Engine) Problems() []Problem { return e.problems }

// reportProblem keeps an error that no input caused.
func (e *Engine) reportProblem(err error) {
	if err == nil {
		return
	}
	e.counters.Problems++
	if len(e.problems) == maxProblems {
		e.problems = e.problems[1:]
	}
	e.problems = append(e.problems, Problem{At: e.now, Err: err})
}
