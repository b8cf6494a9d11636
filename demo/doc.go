// Package demo embeds the recordings that Orrery shows without a cluster.
//
//	                 ┌──► demo/scenario ─────────┐
//	scenarios/*.yaml ┤     in virtual time       ├──► traces/*.orrery ──► Open ──► a player, a screen, Print
//	 written by      └──► core/parity/demorecord ┘      in the binary
//	 people                on a real API server
//
// Each recording tells one story and is made from the scenario of its name, by make traces. A scenario that says
// recorded: cluster happens on a real kube-apiserver in real time; made again, its recording is another day of the same
// kind. It takes virtual time to have a zone fail, memory run out or a scheduler be killed: these
// recordings do not depend on the machine, so making them again gives the same bytes, as a test checks.
package demo
