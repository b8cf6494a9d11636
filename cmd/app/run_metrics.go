package app

import (
	"context"
	"net/http"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
	"k8s.io/component-base/metrics/prometheus/compatversion"
	"k8s.io/component-base/metrics/prometheus/feature"

	"orrery/core/config"
	"orrery/core/engine"
	"orrery/core/replica"
	"orrery/core/telemetry"
	"orrery/core/world"
)

// processMetrics is component-base's registry, which has what the process says of itself and of its client.
type processMetrics struct{}

func (processMetrics) MustRegister(all ...metrics.Registerable) { legacyregistry.MustRegister(all...) }

// instruments measure a replica under kube-scheduler's names. They are made once in a process.
func instruments(features config.Features) replica.Instruments {
	describeProcess(features)
	m := telemetry.New(processMetrics{}, features)
	return replica.Instruments{
		Prepare: func(o *engine.Options) { o.Observer, o.Listener = m, m },
		Called:  m.Called,
		Refresh: func(e *engine.Engine, pending func(func(world.Act) string) map[string]int) {
			m.Refresh(e, pending(telemetry.CallType))
		},
	}
}

// describeProcess shows which gates are on, and which release it behaves like, as every component of a control plane does.
func describeProcess(features config.Features) {
	ctx := context.Background()
	for _, gate := range features.List() {
		stage := string(gate.Stage)
		if gate.Stage == config.GA {
			stage = "" // so it is there
		}
		feature.RecordFeatureInfo(ctx, string(gate.Name), stage, gate.Enabled)
	}
	compatversion.RecordCompatVersionInfo(ctx, "kube", replica.BinaryVersion, kubernetes, olderByOne)
}

// olderByOne is the oldest release of other components that this one goes with, if no flag says otherwise.
const olderByOne = "1.34"

// scrapeMost is for how long a scrape waits for the engine to be between two decisions.
const scrapeMost = 5 * time.Second

// podResources is /metrics/resources.
func podResources(r *replica.Replica) http.Handler {
	return telemetry.Resources(func() []*v1.Pod {
		ctx, cancel := context.WithTimeout(context.Background(), scrapeMost)
		defer cancel()
		var pods []*v1.Pod
		_ = r.Look(ctx, func(e *engine.Engine) { // no pods, if nobody answers in time
			for object := range e.Store().Objects(world.Pod) {
				if pod, ok := object.(*v1.Pod); ok {
					pods = append(pods, pod)
				}
			}
		})
		return pods
	})
}
