// Package fix tries the changes that answers offer as fixes, as their commands would be run.
//
//	a change ──► its words, as printed ──► read again ──► what-if, with several ways in which ties may fall ──► Tried
//
// Package diagnose finds what is worth trying, with one pod and one change at a time. Whether a pod has a node in the end depends on all
// others, on daemons that come to new nodes, on who makes volumes: that is what-if's world, and what a fix says is what happens there.
// A fix is what its command does, so the command's text is what is tried, and not the change that it was written from.
//
// # Cost
//
// One what-if for each fix that has an effect and each of three seeds, with the run without changes shared.
package fix
