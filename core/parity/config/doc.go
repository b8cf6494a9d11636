// Package config compares core/scheduler/config with kube-scheduler's loading of the same files: the scheme, defaults and
// validation of k8s.io/kubernetes/pkg/scheduler/apis/config, and the feature gates of k8s.io/kubernetes/pkg/features.
//
// Every case is a file that both load. They must agree on whether it is valid, on every error (path, type and text), and,
// if it is valid, on the completed configuration, compared as v1 YAML. Intended differences are listed in package
// comparisons, and only there.
//
//	go test ./config                                    a few thousand random files
//	ORRERY_CASES=20000 ORRERY_SEED=7 go test ./config   20,000 others
package config
