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

// checkRecorded refuses, in a scenario that is recorded on a cluster, what there is nobody for to do there.
func (f *file) checkRecorded() error {
	if f.Recorded != onCluster {
		return nil
	}
	const instead = ": leave it out, or write recorded: simulation"
	switch {
	case f.Cluster.Has("controllers"):
		return f.Cluster.Fail("controllers", "on a cluster no kubelet falls silent, and these are settings for when one does"+instead)
	case f.Cluster.Has("kubelet"):
		return f.Cluster.Fail("kubelet", "on a cluster nobody measures what pods use, and these are thresholds for it"+instead)
	case f.Scheduler.Replicas > 1:
		return f.Scheduler.Fail("replicas", "on a cluster there is one scheduler"+instead)
	}
	for i := range f.Workloads {
		if w := &f.Workloads[i]; w.Has("uses") {
			return w.Fail("uses", "on a cluster nobody measures what pods use"+instead)
		}
	}
	for i := range f.Story {
		if err := f.Story[i].checkOnCluster(instead); err != nil {
			return err
		}
	}
	return nil
}

func (m *moment) checkOnCluster(instead string) error {
	for _, one := range []struct{ field, why string }{
		{"lose", "on a cluster no kubelet falls silent"},
		{"recover", "on a cluster no kubelet falls silent"},
		{"use", "on a cluster nobody measures what pods use"},
		{"api", "on a cluster there is no trouble with the API server"},
		{"kill", "on a cluster the scheduler is left alone"},
		{"pause", "on a cluster the scheduler is left alone"},
		{"cut", "on a cluster the scheduler is left alone"},
		{"delete", "on a cluster nobody deletes the pods of a workload that is gone"},
		{"remove", "on a cluster nobody deletes the pods of a node that is gone"},
	} {
		if m.Has(one.field) {
			return m.Fail(one.field, "%s%s", one.why, instead)
		}
	}
	return nil
}
