package figures

import (
	"github.com/prometheus/client_golang/prometheus"

	"orrery/core/answers/shadow"
	"orrery/core/safe/printable"
)

// difference is what decisions that are not the same are told apart by. There are as many as there are causes and plugins.
type difference struct{ class, cause, plugin string }

// agreement counts how another scheduler's decisions compare.
type agreement struct {
	counters shadow.Counters
	last     uint64 // the number of the last finding that was counted
	by       map[difference]uint64
	compares bool
}

func newAgreement() agreement { return agreement{by: map[difference]uint64{}} }

// refresh counts the findings since the last time. The comparator keeps some hundreds; of those that are gone the cause is not known.
func (a *agreement) refresh(c *shadow.Comparator) {
	a.compares = true
	was, now := a.counters, c.Counters()
	a.counters = now
	missing := map[shadow.Class]uint64{shadow.Explained: now.Explained - was.Explained, shadow.Differs: now.Differs - was.Differs}
	newest := a.last
	for f := range c.Findings() {
		if f.Seq <= a.last {
			continue
		}
		newest = max(newest, f.Seq)
		a.by[differenceOf(f)]++
		if missing[f.Class] > 0 {
			missing[f.Class]--
		}
	}
	a.last = newest
	for class, n := range missing {
		if n > 0 {
			a.by[difference{class.String(), "unknown", ""}] += n
		}
	}
}

func differenceOf(f *shadow.Finding) difference {
	d := difference{class: f.Class.String()}
	switch {
	case f.Class == shadow.Explained && f.Sampled:
		d.cause = "sampling"
	case f.Class == shadow.Explained:
		d.cause = "timing"
	case f.Unsearched:
		d.cause = "not searched"
	case f.Real == "":
		d.cause = "declared unschedulable"
	case len(f.BestNodes) == 0:
		d.cause = "no node feasible"
	case len(f.Objections) > 0:
		d.cause, d.plugin = "node infeasible", f.Objections[0].Plugin
	default:
		d.cause = "score"
		if len(f.Margins) > 0 {
			d.plugin = f.Margins[0].Plugin
		}
	}
	d.plugin = printable.Line(d.plugin, maxLabel)
	return d
}

var (
	decisionsDesc = prometheus.NewDesc("orrery_agreement_decisions_total",
		"Decisions of the cluster's scheduler, by how they compare with Orrery's: agreed, explained by event timing or sampling, differs, or not compared.", []string{"result"}, nil)
	differencesDesc = prometheus.NewDesc("orrery_agreement_differences_total",
		"Decisions that are not the same, by their class, what makes them differ, and the plugin that objects to the scheduler's node or leads by the most points.",
		[]string{"class", "cause", "plugin"}, nil)
)

func (a *agreement) metrics(add func(prometheus.Metric)) {
	if !a.compares {
		return
	}
	c := &a.counters
	for result, n := range map[string]uint64{
		"agreed": c.Agreed, "explained": c.Explained, "differs": c.Differs, "not compared": c.NotCompared, "other scheduler": c.OtherSchedulers,
	} {
		add(counter(decisionsDesc, float64(n), result))
	}
	for d, n := range a.by {
		add(counter(differencesDesc, float64(n), d.class, d.cause, d.plugin))
	}
}
