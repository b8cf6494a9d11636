package scenario

import "fmt"

// recorded is where the embedded recording of a scenario is made.
type recorded string

const (
	inSimulation recorded = "simulation"
	onCluster    recorded = "cluster"
)

func (r *recorded) UnmarshalText(text []byte) error {
	switch *r = recorded(text); *r {
	case inSimulation, onCluster:
		return nil
	}
	return fmt.Errorf("write cluster, for a real API server, or simulation, where all but the scheduler is simulated")
}

// checkRecorded rejects simulation-only fields in a scenario that is recorded on a cluster.
func (f *file) checkRecorded() error {
	if f.Recorded != onCluster {
		return nil
	}
	const instead = ": leave it out, or write recorded: simulation"
	switch {
	case f.Cluster.Has("controllers"):
		return f.Cluster.Fail("controllers", "on a cluster no kubelet is disconnected, and these are settings for when one is"+instead)
	case f.Cluster.Has("kubelet"):
		return f.Cluster.Fail("kubelet", "on a cluster the usage of pods is not measured, and these are thresholds for it"+instead)
	case f.Cluster.Has("devices"):
		return f.Cluster.Fail("devices", "on a cluster there are no drivers of devices"+instead)
	case f.Cluster.Has("admission"):
		return f.Cluster.Fail("admission", "on a cluster the API server has the plugins that are on by default"+instead)
	case f.Scheduler.Has("extenders"):
		return f.Scheduler.Fail("extenders", "on a cluster there are no simulated extenders"+instead)
	case f.Scheduler.Replicas > 1:
		return f.Scheduler.Fail("replicas", "on a cluster there is one scheduler"+instead)
	}
	for _, name := range sortedKeys(f.Cluster.Storage.Drivers) {
		if d := f.Cluster.Storage.Drivers[name]; d.Has("capacity") {
			return d.Fail("capacity", "on a cluster no driver measures its volumes"+instead)
		}
	}
	for i := range f.Workloads {
		w := &f.Workloads[i]
		if w.Has("usage") {
			return w.Fail("usage", "on a cluster the usage of pods is not measured"+instead)
		}
		if w.Has("devices") {
			return w.Fail("devices", "on a cluster there are no drivers of devices"+instead)
		}
	}
	for i := range f.Steps {
		if err := f.Steps[i].checkOnCluster(instead); err != nil {
			return err
		}
	}
	return nil
}

func (m *moment) checkOnCluster(instead string) error {
	for _, one := range []struct{ field, why string }{
		{"disconnect", "on a cluster no kubelet is disconnected"},
		{"reconnect", "on a cluster no kubelet is disconnected"},
		{"usage", "on a cluster the usage of pods is not measured"},
		{"devices", "on a cluster there are no drivers of devices"},
		{"apiserver", "on a cluster the API server has no faults"},
		{"kill", "on a cluster the scheduler has no faults"},
		{"pause", "on a cluster the scheduler has no faults"},
		{"partition", "on a cluster the scheduler has no faults"},
		{"refused", "on a cluster the API server refuses what it does by default"},
		{"delete", "on a cluster the pods of a deleted workload stay"},
		{"remove", "on a cluster the pods of a removed node stay"},
	} {
		if m.Has(one.field) {
			return m.Fail(one.field, "%s%s", one.why, instead)
		}
	}
	for _, field := range []string{"capacity", "provisionerHangs", "detachFails"} {
		if m.Storage != nil && m.Storage.Has(field) {
			return m.Storage.Fail(field, "on a cluster drivers have no faults%s", instead)
		}
	}
	return nil
}
