package monitoring

import (
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/scheduler/engine"
	"orrery/core/trace"
	"orrery/core/trace/play"
	"orrery/core/world"
	"orrery/demo"
)

var deleteNow = *metav1.NewDeleteOptions(0)

// TestAlerts_OnRecordings plays the embedded recordings. Of all they tell, evictions above their budgets alone are to be alerted of:
// a failover, a drain and a lost zone take less than a minute.
func TestAlerts_OnRecordings(t *testing.T) {
	want := map[string]bool{"priority-storm": true}
	for _, r := range demo.Traces() {
		t.Run(r.Name, func(t *testing.T) {
			file, err := demo.Open(r.Name)
			if err != nil {
				t.Fatal(err)
			}
			p, err := play.NewPlayer(file, play.Options{})
			if err != nil {
				t.Fatal(err)
			}
			s := &simulated{t: t, gatherer: newGatherer(), store: newStore(), fired: map[string]string{}}
			s.alerts = newEvaluator(s.store, printed(t).Rules)
			var last uint64
			p.Watch(func(_ trace.Record, e *engine.Engine) {
				last = s.observeDecisions(e, last)
				if e.Now().Sub(s.now) >= 5*time.Second { // recordings are short
					s.now, s.engine, s.process = e.Now(), e, figuresOf(e)
					s.scrape()
					s.evaluate()
				}
			})
			if err := p.SeekRecord(p.End().Record); err != nil {
				t.Fatal(err)
			}
			if want[r.Name] {
				s.wantFired("OrreryEvictionsAboveBudget")
			} else {
				s.wantFired()
			}
		})
	}
}

// observeDecisions has the metrics count the decisions after the last one.
func (s *simulated) observeDecisions(e *engine.Engine, last uint64) uint64 {
	for d := range e.Decisions() {
		if d.Seq <= last {
			break
		}
		s.gatherer.metrics.Stepped(d)
	}
	return e.LastDecision()
}

// figuresOf are the figures of the process that a recording tells: whether a lease is held. Some recordings have no leases.
func figuresOf(e *engine.Engine) map[string]float64 {
	figures := map[string]float64{leaderStatus: 1, "orrery_leading": 1, "orrery_sample_age_seconds": 0, "orrery_relist_drift_total": 0}
	for object := range e.Store().Objects(world.Lease) {
		lease := object.(*coordinationv1.Lease).Spec
		if lease.RenewTime == nil || lease.LeaseDurationSeconds == nil || e.Now().Sub(lease.RenewTime.Time) > time.Duration(*lease.LeaseDurationSeconds)*time.Second {
			figures[leaderStatus], figures["orrery_leading"] = 0, 0
		}
	}
	return figures
}
