package engine

import (
	"time"

	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/framework"
)

// elapsed is the stopwatch's reading; zero without one.
func (e *Engine) elapsed() time.Duration {
	if e.stopwatch == nil {
		return 0
	}
	return e.stopwatch()
}

// pointTook tells the observer how long an extension point took that the engine itself steps through: Filter, whose
// plugins run once per node, and the points of the binding, whose plugins run elsewhere. Profiles tell of the others.
func (e *Engine) pointTook(p *framework.Profile, point framework.Point, code fwk.Code, since time.Duration) {
	if e.stopwatch != nil && e.options.Observer != nil {
		e.options.Observer.PointTook(p.ProfileName(), point, code, e.stopwatch()-since)
	}
}

// sampled tells whether single plugin calls are timed in this cycle: in one of ten. It counts instead of drawing, so
// that measuring never changes what chance decides.
func (e *Engine) sampled() bool {
	const oneIn = 10
	return e.stopwatch != nil && e.lastSeq%oneIn == 0
}
