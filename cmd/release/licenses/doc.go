// Package licenses collects the licenses and notices of the modules that a program has in it.
//
//	go list -deps ──► Find ──► Module: its SPDX identifiers, the texts ──► sbom
//	                              └──► Text: one file for all of them
//
// A module's texts are those of its own directory and of those that its linked packages are in, because a forked package has its
// license beside it. A module in which no license is known is an error: it may not be passed on.
package licenses
