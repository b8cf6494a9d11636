package engine

import "time"

// Problem is an inconsistency that the engine found, such as a cache that contradicts a binding or a pod queued twice.
// None stops the engine.
type Problem struct {
	At  time.Time
	Err error
}

//orrery:limit scheduler; internal errors, and refused parts of inputs, that are remembered; the oldest goes; all are counted and logged
const maxProblems = 256

// Problems lists the newest problems, oldest first; Counters.Problems counts all.
func (e *Engine) Problems() []Problem { return e.problems }

// Refusals lists the newest errors of Apply, one by one, oldest first: objects that the scheduler does without, or without a field.
// Counters.Refused counts all inputs with any.
func (e *Engine) Refusals() []Problem { return e.refusals }

// reportProblem keeps an error that no input caused.
func (e *Engine) reportProblem(err error) {
	if err == nil {
		return
	}
	e.counters.Problems++
	e.problems = e.remember(e.problems, err)
}

// rememberRefusal keeps the errors of an input: a list may have several.
func (e *Engine) rememberRefusal(err error) {
	if joined, is := err.(interface{ Unwrap() []error }); is {
		for _, one := range joined.Unwrap() {
			e.rememberRefusal(one)
		}
		return
	}
	e.refusals = e.remember(e.refusals, err)
}

func (e *Engine) remember(all []Problem, err error) []Problem {
	if len(all) == maxProblems {
		all = all[1:]
	}
	return append(all, Problem{At: e.now, Err: err})
}
