// Package review says what a KubeSchedulerConfiguration means before a scheduler runs with it.
//
//	bytes ─┬─ config.LoadNamed ──▶ fields that are wrong ────────┐
//	       ├─ engine.New ────────▶ plugins that cannot be there ─┴─▶ Errors, with the line of each
//	       │       └─ profiles, beside those of the default ───────▶ Profiles, point by point
//	       ├─ the completed file, beside the default one ──────────▶ Settings that differ
//	       └─ config.Written, as it stands in the file ────────────▶ Warnings
//
// A file with errors is one that kube-scheduler refuses, and has nothing but errors, all of them: plugins are looked at even
// if fields are wrong. Warnings are about what is legal and has no effect, or another one than the file looks like.
package review
