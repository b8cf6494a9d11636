package telemetry

import (
	"time"

	"orrery/core/world"
)

// Called counts a call to the API server, as whoever makes it tells: it may be told from any goroutine.
func (m *Metrics) Called(act world.Act, err error, took time.Duration) {
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
}

// CallType is the value of the label call_type for what an effect does; empty for effects that are not counted.
func CallType(act world.Act) string {
	switch act.(type) {
	case world.Bind:
		return "pod_binding"
	case world.PatchStatus:
		return "pod_status_patch"
	}
	return ""
}
