package collect

import (
	"sync"
	"time"

	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/framework"
)

// timings is how long plugins take in this process. It implements framework.Observer. An engine that was forked for a
// question may be asked beside the one that goes on, hence the lock; single calls are measured in one cycle of ten.
type timings struct {
	mu      sync.Mutex
	plugins map[timed]*account
	points  map[timed]*account
}

// timed is a plugin at an extension point, or without a name the point itself.
type timed struct {
	profile string
	point   framework.Point
	plugin  string
}

// account adds up what calls took.
type account struct {
	took histogram
	sum  time.Duration
}

func (a *account) mean() time.Duration {
	if a == nil || a.took.total == 0 {
		return 0
	}
	return a.sum / time.Duration(a.took.total)
}

func newTimings() *timings {
	return &timings{plugins: map[timed]*account{}, points: map[timed]*account{}}
}

// PointTook adds up the run of all plugins of a point. It implements framework.Observer.
func (t *timings) PointTook(profile string, point framework.Point, _ fwk.Code, took time.Duration) {
	t.add(t.points, timed{profile: profile, point: point}, took)
}

// PluginTook adds up one call of a plugin. It implements framework.Observer.
func (t *timings) PluginTook(profile string, point framework.Point, plugin string, _ fwk.Code, took time.Duration) {
	t.add(t.plugins, timed{profile, point, plugin}, took)
}

func (t *timings) add(to map[timed]*account, what timed, took time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	a := to[what]
	if a == nil {
		a = &account{}
		to[what] = a
	}
	a.took.add(took)
	a.sum += took
}

// of is a copy of what one plugin took, or a whole point; nothing if it was not measured.
func (t *timings) of(what timed) account {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := t.plugins
	if what.plugin == "" {
		all = t.points
	}
	if a := all[what]; a != nil {
		return *a
	}
	return account{}
}
