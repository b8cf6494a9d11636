package figures

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	v1 "k8s.io/api/core/v1"

	"orrery/core/answers/capacity"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
)

const (
	// roomEvery is how often the room is counted, which looks at every pod and node.
	roomEvery = time.Minute
	// maxResources bounds the series of resources.
	//
	//orrery:limit scheduler; resources with series of orrery_room_*: cpu, memory and pods, and then by name; the others have none
	maxResources = 16
)

// room is what is free, and in how large pieces.
type room struct {
	at     time.Time
	report *capacity.Report // nil before the first time
}

func (r *room) refresh(e *engine.Engine) {
	if now := e.Now(); r.report == nil || now.Sub(r.at) >= roomEvery {
		r.at, r.report = now, capacity.Of(e, nil)
	}
}

var (
	freeDesc = prometheus.NewDesc("orrery_room_free",
		"What is free on nodes that take pods without tolerations, in cores, bytes and numbers.", []string{"resource"}, nil)
	largestDesc   = prometheus.NewDesc("orrery_room_largest_free", "The most that is free of the resource on one such node.", []string{"resource"}, nil)
	requestedDesc = prometheus.NewDesc("orrery_room_requested_ratio", "The share of all nodes' allocatable resource that pods request.", []string{"resource"}, nil)
	fitDesc       = prometheus.NewDesc("orrery_room_pods",
		"How many more pods fit that request as much as the most frequent ones do, each whole on one node, by cpu in cores and memory in bytes.", []string{"cpu", "memory"}, nil)
	fragmentedDesc = prometheus.NewDesc("orrery_room_fragmented_ratio",
		"The share of the room for such pods that is in pieces too small for one.", []string{"cpu", "memory"}, nil)
)

func (r *room) metrics(add func(prometheus.Metric)) {
	if r.report == nil {
		return
	}
	for _, of := range r.report.All.Resources[:min(len(r.report.All.Resources), maxResources)] {
		name := printable.Line(string(of.Name), maxLabel)
		add(gauge(freeDesc, inUnits(of.Name, of.Free), name))
		add(gauge(largestDesc, inUnits(of.Name, of.Largest), name))
		add(gauge(requestedDesc, of.Share(), name))
	}
	for _, s := range r.report.Shapes {
		cpu, memory := strconv.FormatFloat(inUnits(v1.ResourceCPU, s.CPU), 'g', -1, 64), strconv.FormatInt(s.Memory, 10)
		add(gauge(fitDesc, float64(s.Fit), cpu, memory))
		add(gauge(fragmentedDesc, s.Fragmented(), cpu, memory))
	}
}

// inUnits returns an amount in Prometheus' units: of cpu the amounts are thousandths of a core.
func inUnits(name v1.ResourceName, amount int64) float64 {
	if name == v1.ResourceCPU {
		return float64(amount) / 1000
	}
	return float64(amount)
}
