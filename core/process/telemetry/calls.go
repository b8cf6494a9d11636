package telemetry

import (
	"time"

	"orrery/core/world"
)

// ObserveCall counts a call to the API server. It may be called from any goroutine.
func (m *Metrics) ObserveCall(act world.Action, err error, took time.Duration) {
	call := CallType(act)
	if call == "" {
		return
	}
	result := "success"
	if err != nil {
		result = "error"
	}
	m.calls.WithLabelValues(call, result).Inc()
	m.callDuration.WithLabelValues(call, result).Observe(took.Seconds())
	if _, creates := act.(world.CreateResourceClaim); creates {
		m.observeCreation(err)
	}
}

// observeCreation counts the creation of a claim for extended resources.
func (m *Metrics) observeCreation(err error) {
	status := "success"
	if err != nil {
		status = "failure"
	}
	m.claimsCreated.WithLabelValues(status).Inc()
	m.claimsOwned.WithLabelValues(status, "false", "", string(world.Pod)).Inc()
}

// CallType returns the label call_type of an effect's call; empty if it is not counted.
func CallType(act world.Action) string {
	switch act.(type) {
	case world.Bind:
		return "pod_binding"
	case world.PatchStatus:
		return "pod_status_patch"
	case world.ClaimVolume:
		return "persistentvolume_patch"
	case world.SelectNode:
		return "persistentvolumeclaim_patch"
	case world.ReserveResourceClaim, world.DeallocateResourceClaim:
		return "resourceclaim_status_update"
	case world.UnreserveResourceClaim:
		return "resourceclaim_status_patch"
	case world.CreateResourceClaim:
		return "resourceclaim_create"
	case world.DeleteResourceClaim:
		return "resourceclaim_delete"
	}
	return ""
}
