// Package demo holds what Orrery shows when it is given no cluster: recordings of days in the life of some.
//
//	scenarios/*.yaml ──► demo/scenario ──► traces/*.orrery ──► Open ──► a player, a screen, Print
//	   written by people       make traces         in the binary
//
// Each recording tells one story and is made from the scenario of its name. Nothing in it is left to the machine it was
// made on, so making it again gives the same bytes; a test does.
package demo
