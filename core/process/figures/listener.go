package figures

import (
	"time"

	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/queue"
)

// Listener takes in the transitions of the queue, and passes everything on to another listener; nil is none. So do others with the
// transitions.
func (f *Figures) Listener(next engine.Listener, others ...func(*queue.Transition)) engine.Listener {
	if next == nil {
		next = deaf{}
	}
	return listener{next, append([]func(*queue.Transition){f.moved}, others...)}
}

type listener struct {
	engine.Listener
	moved []func(*queue.Transition)
}

// Recorded implements engine.Listener.
func (l listener) Recorded(t *queue.Transition, took time.Duration) {
	if t.Kind == queue.Moved {
		for _, moved := range l.moved {
			moved(t)
		}
	}
	l.Listener.Recorded(t, took)
}

// deaf is a listener that does nothing.
type deaf struct{}

func (deaf) Recorded(*queue.Transition, time.Duration) {}
func (deaf) Handled(string, time.Duration)             {}
func (deaf) Chose(time.Duration)                       {}
func (deaf) Attempted(engine.Attempted)                {}
func (deaf) Permitted(fwk.Code, time.Duration)         {}
func (deaf) Hinted(string, bool, time.Duration)        {}
func (deaf) Rescored(string, time.Duration)            {}
func (deaf) Kept(string, time.Duration)                {}
