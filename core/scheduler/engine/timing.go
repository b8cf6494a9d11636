package engine

import (
	"time"

	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
)

// elapsed reads the stopwatch; zero without one.
func (e *Engine) elapsed() time.Duration {
	if e.stopwatch == nil {
		return 0
	}
	return e.stopwatch()
}

// observePoint reports the duration of an extension point that the engine itself steps through: Filter, whose plugins
// run once per node, and PreBind and Bind, whose plugins run elsewhere. Profiles report the others.
func (e *Engine) observePoint(p *framework.Profile, point framework.Point, code fwk.Code, since time.Duration) {
	if e.stopwatch != nil && e.options.OnTiming != nil {
		e.options.OnTiming(framework.Timing{Profile: p.ProfileName(), Point: point, Code: code, Duration: e.stopwatch() - since})
	}
}

// sampled reports whether plugin calls are timed in this cycle: one cycle in ten. It counts instead of drawing, so that
// timing does not use up random numbers.
func (e *Engine) sampled() bool {
	const oneIn = 10
	return e.stopwatch != nil && e.lastSeq%oneIn == 0
}
