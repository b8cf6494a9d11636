// Command releases writes docs/releases.md: page.txt, with the releases and the rules by which they differ.
//
//	page.txt ────────────────────────────┐
//	release.All, release.Rules ──► tables ──► docs/releases.md
//
// A test fails when the page is stale.
package main
