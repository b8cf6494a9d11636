// Package spans makes OpenTelemetry traces of what package journey finds in a recording: one trace for each pod, from its creation until it
// runs.
//
//	pod journey ──────────────────────────────────────────────────────┐
//	├─ queued ─┤├─ attempt ┤├─ unschedulable ──┤├─ attempt ┤├─ binding ─┤├─ starting ─┤
//	             ╰ events: what rejected it                  ╰ SelectNode, Bind: its steps
//
// The spans of a pod's stages follow each other without a gap, so that their durations add up to that of the journey. A recording
// has no durations of plugins: an attempt takes time where it waits for an extender, and otherwise says which plugins rejected how many nodes.
//
// # Files
//
// journeys collects the stages of each pod and chooses the pods, span makes the messages of go.opentelemetry.io/proto/otlp, identity makes their
// IDs, file writes them as lines of OTLP's JSON, endpoint sends them to a collector by OpenTelemetry's own exporter.
//
// # Guarantees
//
//   - IDs come from the pod's UID alone: a trace's ID is the UID itself, so that a pod's trace is found by it, and another export of the same
//     recording sends the same spans.
//   - Texts from a recording are printable.
//   - What is kept are the stages of the pods that are on their way, at most so many of one pod.
package spans
