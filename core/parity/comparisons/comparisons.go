// Package comparisons is the registry of all comparisons with upstream: what each compares, how many cases it draws by
// default, and what differs on purpose. The tests take their case counts from here, and docs/parity.md is written from it.
//
//	comparisons.go  what a declaration holds
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
	// Cases is the number of cases by default, and Unit what a case is. Without cases everything is compared once.
	Cases int
	Unit  string
	// Compares says what is compared.
	Compares string
	// Differences are all intended differences. Anything else fails the test.
	Differences []Difference
}

// Difference is something that differs on purpose.
type Difference struct {
	// Upstream and Orrery say what each does, and why it differs.
	Upstream, Orrery string
	// Compared says what the comparison does about it. It is empty if each occurrence is recognized and allowed.
	Compared string
}

// All returns every comparison, in the order of the document.
func All() []*Comparison {
	return []*Comparison{
		Answers, Decisions, Framework, NodePlugins, Signatures, Spread, Affinity, Queue, Cache, Configuration, Gates,
		Taints, DeviceTaints, NodeLifecycle, Kubelet, Ranking, QOSClasses, Thresholds, Evictions, Budgets,
		Election, Metrics, Cluster,
	}
}
