package framework

import (
	"time"

	fwk "k8s.io/kube-scheduler/framework"
)

// watch tells a cycle's recorder and the profile's observer what the plugins of one extension point say and how long
// they take. Without either it does next to nothing.
type watch struct {
	profile  *Profile
	point    Point
	recorder Recorder
	timed    bool // single plugin calls
	began    time.Duration
}

// watch begins to watch a run of all plugins of a point.
func (p *Profile) watch(point Point, state fwk.CycleState) watch {
	w := p.watchOne(point, state)
	if p.observer != nil {
		w.began = p.around.Stopwatch()
	}
	return w
}

// watchOne watches a single plugin call, or a few that are no run of a point.
func (p *Profile) watchOne(point Point, state fwk.CycleState) watch {
	return watch{
		profile: p, point: point, recorder: recorderOf(state),
		timed: p.observer != nil && state.ShouldRecordPluginMetrics(),
	}
}

// start is called before a plugin call, and its answer given to took after it.
func (w *watch) start() time.Duration {
	if !w.timed {
		return 0
	}
	return w.profile.around.Stopwatch()
}

func (w *watch) took(plugin string, status *fwk.Status, start time.Duration) {
	if w.timed {
		w.profile.observer.PluginTook(w.profile.name, w.point, plugin, status.Code(), w.profile.around.Stopwatch()-start)
	}
}

// said is for a recorder, if there is one.
func (w *watch) said(v Verdict) {
	if w.recorder != nil {
		v.Point = w.point
		w.recorder.Said(v)
	}
}

// heard is took and said in one, for a plugin that only returns a status.
func (w *watch) heard(plugin, node string, status *fwk.Status, start time.Duration) {
	w.took(plugin, status, start)
	w.said(Verdict{Plugin: plugin, Node: node, Status: status})
}

// done is called when all plugins have been asked.
func (w *watch) done(code fwk.Code) {
	if p := w.profile; p.observer != nil {
		p.observer.PointTook(p.name, w.point, code, p.around.Stopwatch()-w.began)
	}
}
