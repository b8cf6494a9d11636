// Command releasereport prints what of scheduling differs between the sources of two releases of Kubernetes: what has to be looked at before Orrery can
// decide as the newer one.
//
//	module cache ── kubesource ── report.go ──▶ Markdown: gates, default plugins, metrics, API fields, files by size
//
//	go run ./releasereport -old 1.37 -new 1.38         make release-report OLD=1.37 NEW=1.38
//	go run ./releasereport -old 1.37.1 -new 1.37.2     of two patches
//
// A release without a patch is the one that core/parity compares with, or the newest that the module proxy serves, pre-releases included. It needs
// the modules of both in the module cache, and fetches those that are missing. docs/releases.md says what to do with the report.
package main
