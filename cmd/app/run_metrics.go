package app

import (
	"context"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	v1 "k8s.io/api/core/v1"
	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
	"k8s.io/component-base/metrics/prometheus/compatversion"
	"k8s.io/component-base/metrics/prometheus/feature"

	"orrery/core/process/figures"
	"orrery/core/process/replica"
	"orrery/core/process/telemetry"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// processMetrics is component-base's registry, with the metrics of the process and its clients.
type processMetrics struct{}

func (processMetrics) MustRegister(all ...metrics.Registerable) { legacyregistry.MustRegister(all...) }

func (processMetrics) RawMustRegister(all ...prometheus.Collector) {
	legacyregistry.RawMustRegister(all...)
}

// newInstruments returns instruments with kube-scheduler's metrics and Orrery's own. Call it once per process.
func newInstruments(features config.Features, minCompatibility string) replica.Instruments {
	describeProcess(features, minCompatibility)
	m := telemetry.New(processMetrics{}, features)
	legacyregistry.RawMustRegister(m.Own())
	return instrumentsOf(m)
}

// instrumentsOf has a scheduler's metrics count what a replica does.
func instrumentsOf(m *telemetry.Metrics) replica.Instruments {
	return replica.Instruments{
		Prepare:  func(o *engine.Options) { o.OnTiming, o.Listener = m.ObserveTiming, m },
		Observer: func(*engine.Engine) drive.Observer { return m },
		OnCall:   m.ObserveCall,
		Refresh: func(e *engine.Engine, pending func(func(world.Action) string) map[string]int) {
			m.Refresh(e, pending(telemetry.CallType))
		},
	}
}

// withFigures adds the figures that kube-scheduler does not have.
func withFigures(i replica.Instruments, f *figures.Figures) replica.Instruments {
	return replica.Instruments{
		Prepare: func(o *engine.Options) {
			i.Prepare(o)
			o.Listener = f.Listener(o.Listener)
		},
		Observer: func(e *engine.Engine) drive.Observer { return drive.Observers{i.Observer(e), f.Of(e)} },
		OnCall:   i.OnCall,
		Refresh: func(e *engine.Engine, pending func(func(world.Action) string) map[string]int) {
			i.Refresh(e, pending)
			f.Refresh(e, nil)
		},
	}
}

// describeProcess publishes the feature gates and the version, like every control plane component.
func describeProcess(features config.Features, minCompatibility string) {
	ctx := context.Background()
	for _, gate := range features.List() {
		stage := string(gate.Stage)
		if gate.Stage == config.GA {
			stage = "" // as kube-scheduler writes it
		}
		feature.RecordFeatureInfo(ctx, string(gate.Name), stage, gate.Enabled)
	}
	as := features.Release()
	compatversion.RecordCompatVersionInfo(ctx, "kube", as.Patch(), as.String(), minCompatibility)
}

// scrapeTimeout bounds how long a scrape waits for the engine.
//
//orrery:limit scheduler; how long a scrape of pods' resources waits for the engine; it has none
const scrapeTimeout = 5 * time.Second

// podResources serves /metrics/resources.
func podResources(r *replica.Replica) http.Handler {
	return telemetry.Resources(func() []*v1.Pod {
		ctx, cancel := context.WithTimeout(context.Background(), scrapeTimeout)
		defer cancel()
		var pods []*v1.Pod
		_ = r.Inspect(ctx, func(e *engine.Engine) { // no pods after the timeout
			for object := range e.Store().Objects(world.Pod) {
				if pod, ok := object.(*v1.Pod); ok {
					pods = append(pods, pod)
				}
			}
		})
		return pods
	})
}
