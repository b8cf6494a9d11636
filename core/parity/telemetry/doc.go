// Package telemetry holds the metric families of core/telemetry against the list that Kubernetes publishes of its own:
// names, types, labels, buckets and stability.
package telemetry
