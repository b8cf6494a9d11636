// Package comparisons is the registry of all comparisons with upstream: what each compares, how many cases it draws by
// default, and the intended differences. The tests take their case counts from here, and docs/parity.md is generated from it.
//
//	comparisons.go  Comparison and Difference
//	scheduler.go    the scheduler: cache, queue, framework, plugins, whole schedulers, configuration
//	evictions.go    kube-controller-manager's and the kubelet's evictions
//	cluster.go      leader election, metrics, a real API server
//	document.go     docs/parity.md
//	packages.go     the differences that packages of core document themselves
package comparisons

// Comparison declares one comparison.
type Comparison struct {
	Name    string
	Package string // below core/parity
	Test    string
	// Cases is the default number of cases, and Unit what a case is. Without cases everything is compared once.
	Cases int
	Unit  string
	// Compares says what is compared.
	Compares string
	// Differences are all intended differences. Anything else fails the test.
	Differences []Difference
}

// Difference is an intended difference.
type Difference struct {
	// Upstream and Orrery describe what each does, and why.
	Upstream, Orrery string
	// Compared is how the comparison avoids it. It is empty if each occurrence is recognized and allowed.
	Compared string
}

// All returns every comparison, in the order of the document.
func All() []*Comparison {
	return []*Comparison{
		Answers, Decisions, Releases, Hosting, HostedProfile, Framework, BindingCycles, NodePlugins, Signatures, Spread, Affinity, Volumes, VolumeBinding, Bindings, Allocations, DynamicResources, HostedDevices, Queue, Cache, Configuration, Profiles, Gates,
		Taints, DeviceTaints, NodeLifecycle, Kubelet, Ranking, QOSClasses, Thresholds, EvictionFlags, OOMScores, PodCgroups, Evictions, Budgets, APIServer, Admission, ClaimController, Election, Metrics, NodePools, Cluster,
	}
}
