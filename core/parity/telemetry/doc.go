// Package telemetry compares the metric families of core/process/telemetry with those that kube-scheduler registers:
// names, types, labels, buckets and stability.
package telemetry
