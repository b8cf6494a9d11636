package telemetry

import (
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/preempt"
	"orrery/core/scheduler/queue"
)

// Own are figures of an engine for which kube-scheduler has no metric. It is a prometheus.Collector. The zero value has had no transition.
type Own struct {
	pending    pendingPods
	violations uint64
	latest     atomic.Pointer[[]prometheus.Metric] // as of the last refresh
}

var (
	overdueDesc = prometheus.NewDesc("orrery_overdue_pods",
		"Of the 1,000 pods that have been pending the longest, gated ones aside, those that have been so for more than 15 minutes, by the part of the queue "+
			"they are in and the plugin that rejected them. A pod counts for each such plugin.", []string{"queue", "plugin"}, nil)
	zoneDesc = prometheus.NewDesc("orrery_zone_nodes",
		"Nodes in the scheduler's cache by zone, of the first 256 zones.", []string{"region", "zone"}, nil)
	violationsDesc = prometheus.NewDesc("orrery_budget_violations_total",
		"Victims of preemptions whose eviction exceeds a PodDisruptionBudget.", nil, nil)
)

// Own collects Orrery's own figures of the engine, orrery_*. They may be scraped at any time.
func (m *Metrics) Own() prometheus.Collector { return &m.own }

// Describe implements prometheus.Collector.
func (o *Own) Describe(to chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{overdueDesc, zoneDesc, violationsDesc} {
		to <- desc
	}
}

// Collect implements prometheus.Collector.
func (o *Own) Collect(to chan<- prometheus.Metric) {
	if latest := o.latest.Load(); latest != nil {
		for _, m := range *latest {
			to <- m
		}
	}
}

// preempted counts the victims beyond their budgets.
func (o *Own) preempted(r *preempt.Record) { o.violations += uint64(r.Violations) }

// Moved takes in a transition of the queue.
func (o *Own) Moved(t *queue.Transition) { o.pending.moved(t) }

// Refresh reads the figures from the engine.
func (o *Own) Refresh(e *engine.Engine) {
	all := []prometheus.Metric{prometheus.MustNewConstMetric(violationsDesc, prometheus.CounterValue, float64(o.violations))}
	for labels, pods := range o.pending.overdue(e.Now(), e.Queue()) {
		all = append(all, prometheus.MustNewConstMetric(overdueDesc, prometheus.GaugeValue, float64(pods), labels.queue, labels.plugin))
	}
	for labels, nodes := range zoneNodes(e) {
		all = append(all, prometheus.MustNewConstMetric(zoneDesc, prometheus.GaugeValue, float64(nodes), labels.region, labels.zone))
	}
	o.latest.Store(&all)
}

// maxZones bounds the series of orrery_zone_nodes.
//
//orrery:limit scheduler; zones with a series of orrery_zone_nodes; the others have none
const maxZones = 256

type zoneLabels struct{ region, zone string }

// zoneNodes counts nodes by zone. Zones whose names look the same share a count.
func zoneNodes(e *engine.Engine) map[zoneLabels]int {
	nodes := map[zoneLabels]int{}
	zones := e.Cache().ZoneSizes()
	for _, z := range zones[:min(len(zones), maxZones)] {
		nodes[zoneLabels{printable.Text(z.Region), printable.Text(z.Name)}] += z.Nodes
	}
	return nodes
}

// overdueAfter is how long a pod is pending before it is overdue.
const overdueAfter = 15 * time.Minute

// maxOverdue bounds how many overdue pods are looked at in a refresh.
//
//orrery:limit scheduler; overdue pods that are looked at in a second; the others are not counted
const maxOverdue = 1000

type overdueLabels struct{ queue, plugin string }

// overdue counts overdue pods. The parts of the queue that have none are zero, so that their series exist.
func (p *pendingPods) overdue(now time.Time, q queue.View) map[overdueLabels]int {
	pods := map[overdueLabels]int{}
	for _, part := range []queue.State{queue.Active, queue.Backoff, queue.Unschedulable, queue.InFlight} {
		pods[overdueLabels{queue: part.String()}] = 0
	}
	for pod := range p.longest(maxOverdue) {
		if now.Sub(pod.since) <= overdueAfter {
			break
		}
		part, rejectors := queue.InFlight, []string(nil)
		if queued, ok := q.Get(pod.namespace, pod.name); ok {
			part, rejectors = queued.State(), queued.Rejectors()
		}
		if part == queue.ErrorBackoff {
			part = queue.Backoff
		}
		if len(rejectors) == 0 {
			pods[overdueLabels{queue: part.String()}]++
		}
		for _, plugin := range rejectors {
			pods[overdueLabels{part.String(), plugin}]++
		}
	}
	return pods
}
