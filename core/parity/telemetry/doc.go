// Package telemetry compares the metric families of core/process/telemetry with the list that Kubernetes publishes:
// names, types, labels, buckets and stability.
package telemetry
