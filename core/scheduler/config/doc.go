// Package config reads the KubeSchedulerConfiguration, apiVersion kubescheduler.config.k8s.io/v1, and its feature gates.
// Its result is complete and valid, so no later code fills in a default or checks a range again (the factories of plugins
// check their args once more: they can be called without this package).
//
//	bytes ── inspectDocument ── decode ── setDefaults ── validate ── fromVersioned ──▶ *Configuration ── YAML ──▶ bytes
//	         UTF-8, size, one   strict,   defaults,   every rule, plugins
//	         document, repeated nested    merge with  every error and args
//	         keys               args      the default at once     by name
//	                                      plugins
//
// Besides the file, two things decide defaults and rules: the Features, an immutable release of Kubernetes with a set of its feature gates,
// and the default plugins. The tables of gates, one a release, are generated from that release's source by core/parity/gatetables. A profile lists its differences from these; mergePlugins applies them. The framework expands MultiPoint
// into the extension points of each plugin, as only the plugins show which ones they implement.
//
// Plugin args keep the public types of k8s.io/kube-scheduler/config/v1. After Load every pointer in them that has a default is
// set. Nothing here reads a file, and nothing panics on one: all problems are returned in one *Error, a line each with the path
// of the field and the offending value.
//
// # Differences from kube-scheduler
//
// Texts of errors are kube-scheduler's wherever it has one, except where a text would quote a structure: that is shown
// as it is written in the file, not by the names of an internal type. Otherwise:
//
//   - All errors are reported together: those of decoding, of every plugin's args and of validation. kube-scheduler
//     stops after decoding, and at the first args it cannot decode.
//   - NodeResourcesFit args are validated with the file. kube-scheduler looks their validation up under a wrong name and
//     finds out only when the plugin is built.
//   - The scoring type RequestedToCapacityRatio without its shape is an error. kube-scheduler accepts it and crashes.
//   - A plugin that is listed twice at one extension point is an error here, with the path of its second mention, and
//     not only when the profile is built.
//   - Extenders whose managed resources are ignoredByScheduler need NodeResourcesFit in every profile; that it lacks is
//     reported with the file as well.
//   - A file of more than one YAML document is an error; kube-scheduler reads the first and drops the others. A file
//     over 1 MiB, of more than 20,000 names and values or 4 MiB of text with its aliases followed, or one that is not
//     UTF-8, is an error.
//   - A repeated scheduler name is reported with the path of the one before, where kube-scheduler prints {}.
//   - The group's internal version, by which kube-scheduler lets a file reach its types in memory, is unknown here.
//   - All mistakes in a set of gates are reported, not the first.
package config
