package serving

import (
	"encoding/json"
	"net/http"
	"runtime"

	// Of these only the metrics count: those of kube-scheduler that no other import registers.
	_ "k8s.io/apiserver/pkg/endpoints/discovery/aggregated"
	_ "k8s.io/apiserver/pkg/storage/value"

	"k8s.io/apiserver/pkg/server/flagz"
	"k8s.io/apiserver/pkg/server/healthz"
	"k8s.io/apiserver/pkg/server/mux"
	"k8s.io/apiserver/pkg/server/routes"
	"k8s.io/apiserver/pkg/server/statusz"
	cliflag "k8s.io/component-base/cli/flag"
	basecompatibility "k8s.io/component-base/compatibility"
	"k8s.io/component-base/metrics/legacyregistry"
	_ "k8s.io/component-base/metrics/prometheus/clientgo" // rest_client_* and workqueue_*
	"k8s.io/component-base/metrics/prometheus/slis"
	_ "k8s.io/component-base/metrics/prometheus/version" // kubernetes_build_info
	"sigs.k8s.io/yaml"

	"orrery/core/scheduler/config"
	"orrery/core/trace/stream"
)

// component is the name of the scheduler in endpoints: kube-scheduler's, which it replaces.
const component = "kube-scheduler"

// Endpoints are the handlers of the paths.
type Endpoints struct {
	// Healthz and Readyz are the checks in addition to ping; Healthz for /healthz only.
	Healthz, Readyz []healthz.HealthChecker
	// Config is served at /configz. Its feature gates enable /flagz and /statusz, its profiling setting /debug.
	Config *config.Configuration
	// Flags are served at /flagz.
	Flags *cliflag.NamedFlagSets
	// Metrics and Resources serve /metrics and /metrics/resources. Nil Metrics is the process's component-base registry.
	Metrics, Resources http.Handler
	// Stream serves the scheduler's records; nil if there is no stream.
	Stream http.Handler
	// Leading reports whether the scheduler acts; otherwise it serves no resource metrics.
	Leading func() bool
}

// Handler serves every path, without authentication.
func (e *Endpoints) Handler() http.Handler {
	m := mux.NewPathRecorderMux(component)
	healthz.InstallHandler(m, e.Healthz...)
	healthz.InstallLivezHandler(m)
	healthz.InstallReadyzHandler(m, e.Readyz...)
	m.HandleFunc("/configz", e.configz)
	e.metrics(m)
	if e.Stream != nil {
		m.Handle(stream.Path, e.Stream)
	}
	if e.Config.EnableProfiling {
		routes.Profiling{}.Install(m)
		if e.Config.EnableContentionProfiling {
			runtime.SetBlockProfileRate(1)
		}
		routes.DebugFlags{}.Install(m, "v", routes.StringFlagPutHandler(setVerbosity))
	}
	if e.Flags != nil && e.Config.Features.Enabled(config.ComponentFlagz) {
		flagz.Install(m, component, flagz.NamedFlagSetsReader{FlagSets: *e.Flags})
	}
	if e.Config.Features.Enabled(config.ComponentStatusz) {
		version := basecompatibility.NewEffectiveVersionFromString(e.Config.Features.Release().String(), "", "")
		statusz.Install(m, component, statusz.NewRegistry(version, statusz.WithListedPaths(m.ListedPaths())))
	}
	return m
}

func (e *Endpoints) metrics(m *mux.PathRecorderMux) {
	all := e.Metrics
	if all == nil {
		all = legacyregistry.HandlerWithReset()
	}
	m.Handle("/metrics", all)
	m.HandleFunc("/metrics/resources", func(w http.ResponseWriter, r *http.Request) {
		if e.Resources != nil && e.Leading() {
			e.Resources.ServeHTTP(w, r)
		}
	})
	slis.SLIMetricsWithReset{}.Install(m)
}

func (e *Endpoints) configz(w http.ResponseWriter, _ *http.Request) {
	written, err := e.Config.YAML()
	if err == nil {
		written, err = yaml.YAMLToJSON(written)
	}
	if err == nil {
		written, err = json.Marshal(map[string]json.RawMessage{"componentconfig": written})
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write(written)
}
