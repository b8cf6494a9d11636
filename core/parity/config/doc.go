// Package config holds core/config against kube-scheduler's own reading of the same files: the scheme, defaults and
// validation of k8s.io/kubernetes/pkg/scheduler/apis/config, and the feature gates of k8s.io/kubernetes/pkg/features.
//
// Every case is a file. Both read it; they must agree whether it is good, on every error (path, type and text), and,
// if it is good, on the completed configuration, compared as v1 YAML. Where Orrery differs on purpose, the difference
// is listed in Differences, and only there.
//
//	go test ./config/...                          a few thousand random files
//	go test ./config/... -rapid.checks=20000      more of them
//	go test ./config/... -rapid.seed=N            those of an earlier run, which printed N
package config
