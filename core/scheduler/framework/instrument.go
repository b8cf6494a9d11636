package framework

import (
	"time"

	fwk "k8s.io/kube-scheduler/framework"
)

// instrument records and times the plugin calls of one extension point. Without a recorder and OnTiming it does almost
// nothing.
type instrument struct {
	profile  *Profile
	point    Point
	recorder Recorder
	timed    bool // single plugin calls
	began    time.Duration
}

// instrument starts to time a run of all plugins of a point.
func (p *Profile) instrument(point Point, state fwk.CycleState) instrument {
	w := p.instrumentCall(point, state)
	if p.onTiming != nil {
		w.began = p.deps.Stopwatch()
	}
	return w
}

// instrumentCall times single plugin calls only.
func (p *Profile) instrumentCall(point Point, state fwk.CycleState) instrument {
	return instrument{
		profile: p, point: point, recorder: recorderOf(state),
		timed: p.onTiming != nil && state.ShouldRecordPluginMetrics(),
	}
}

// start is called before a plugin call; observe takes its result after the call.
func (w *instrument) start() time.Duration {
	if !w.timed {
		return 0
	}
	return w.profile.deps.Stopwatch()
}

func (w *instrument) observe(plugin string, status *fwk.Status, start time.Duration) {
	if w.timed {
		w.profile.onTiming(Timing{
			Profile: w.profile.name, Point: w.point, Plugin: plugin, Code: status.Code(), Duration: w.profile.deps.Stopwatch() - start,
		})
	}
}

// record passes a result to the recorder, if there is one.
func (w *instrument) record(v PluginResult) {
	if w.recorder != nil {
		v.Point = w.point
		w.recorder.RecordResult(v)
	}
}

// recordCall is observe and record, for a plugin that returns a status only.
func (w *instrument) recordCall(plugin, node string, status *fwk.Status, start time.Duration) {
	w.observe(plugin, status, start)
	w.record(PluginResult{Plugin: plugin, Node: node, Status: status})
}

// done is called after the last plugin.
func (w *instrument) done(code fwk.Code) {
	if p := w.profile; p.onTiming != nil {
		p.onTiming(Timing{Profile: p.name, Point: w.point, Code: code, Duration: p.deps.Stopwatch() - w.began})
	}
}
