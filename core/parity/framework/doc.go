// Package framework runs random sets of plugins in kube-scheduler's framework runtime and in Orrery's, and demands that
// both do the same: which configurations they accept and with which words they refuse the others, whom they call in which
// order, what they make of every answer, and what they weigh scores with.
//
// The plugins are scripted: each says, at each extension point, what was drawn for it, sensible or not. The one kind of
// answer that is left out is a status that makes no sense where it is given; see "Differences from kube-scheduler" in
// package orrery/core/framework.
//
//	go test ./framework                                       some thousand sets of plugins
//	ORRERY_CASES=50000 ORRERY_SEED=2 go test ./framework      others, and more of them
//	go test ./framework -run xxx -bench .                     both runtimes with plugins that do nothing
package framework
