// Package monitoring checks what "orrery manifests --monitoring" prints with Prometheus' own parser and query engine: that every
// query of the alerts and of the dashboard is one, and that each alert fires when it should, and at no other time.
//
//	queries.go   the rules and queries as printed, and the families and labels that they name
//	store.go     series in memory, as Prometheus' query engine reads them
//	alerts.go    alerts over time: pending for as long as "for" says, then firing
//
// The series come from simulated schedulers and from the embedded recordings, scraped every 30 seconds. Those of a process, which a
// simulation has none of, are set by the test. Package live compares the families and labels with a process's /metrics.
package monitoring
