// Package demo embeds the recordings that Orrery shows without a cluster.
//
//	                 ┌──► demo/scenario ─────────┐
//	scenarios/*.yaml ┤     in virtual time       ├──► traces/*.orrery ──► Open ──► a player, a screen, Print
//	 written by      └──► core/parity/demorecord ┘      in the binary
//	 people                on a real API server
//
// "make traces" makes each recording from the scenario of its name. A scenario that says "recorded: cluster" runs on a real
// kube-apiserver in real time, and another run gives another recording. Zone failures, memory pressure, killed schedulers and
// devices need virtual time: these recordings do not depend on the machine, so another run gives the same bytes, as a test checks.
package demo
