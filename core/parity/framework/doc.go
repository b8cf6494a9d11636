// Package framework runs random sets of plugins in kube-scheduler's framework runtime and in Orrery's, and requires that
// both behave alike: which configurations they accept, the errors for the others, which plugins they call in which order,
// the result of every status, and the weights of scores.
//
// The plugins are scripted: at each extension point each returns what was drawn for it, plausible or not. Only statuses that
// are invalid at their extension point are left out; see "Differences from kube-scheduler" in package
// orrery/core/scheduler/framework.
//
// TestBindingCycle_SameCalls runs whole schedulers with such plugins, from Reserve on, in virtual time. At PreBind the plugins
// write and wait: kube-scheduler's block on a goroutine, and Orrery's take steps or block.
//
//	go test ./framework                                       some thousand sets of plugins
//	ORRERY_CASES=50000 ORRERY_SEED=2 go test ./framework      50,000 others
//	go test ./framework -run xxx -bench .                     both runtimes with plugins that do nothing
package framework
