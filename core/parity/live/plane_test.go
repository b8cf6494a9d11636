package live_test

import (
	"slices"

	"orrery/core/scheduler/release"
)

// served is the release of Kubernetes that the API server is of, and kube-scheduler beside it. Orrery decides as it does.
var served release.Release

// planeGates are the feature gates that the tests need: coordinated leader election, the taints of devices, and workloads as far as they are
// modelled.
func planeGates() string {
	switch served {
	case release.V135:
		return "CoordinatedLeaderElection=true,DRADeviceTaints=true,DRADeviceTaintRules=true,GenericWorkload=true"
	case release.V136:
		return "CoordinatedLeaderElection=true,DRADeviceTaintRules=true"
	default:
		return "CoordinatedLeaderElection=true"
	}
}

// planeFlags are the API server's flags for what these gates turn on.
func planeFlags() []string {
	versions := map[release.Release]string{
		release.V135: ",resource.k8s.io/v1alpha3=true,scheduling.k8s.io/v1alpha1=true",
		release.V136: ",resource.k8s.io/v1beta2=true",
	}
	return []string{
		"--runtime-config=coordination.k8s.io/v1beta1=true" + versions[served], "--coordinated-leadership-lease-duration=4s",
		"--coordinated-leadership-renew-deadline=3s", "--coordinated-leadership-retry-period=500ms",
	}
}

// asServed has "orrery run" decide as the API server's release.
func asServed(args ...string) []string {
	return slices.Concat([]string{"run", "--emulated-version=" + served.String()}, args)
}

// manifestArgs has "orrery manifests" print what the API server's release needs.
func manifestArgs(args ...string) []string {
	return append([]string{"manifests", "--kubernetes=" + served.String()}, args...)
}
