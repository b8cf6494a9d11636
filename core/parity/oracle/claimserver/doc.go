// Package claimserver is an API server for claims for devices, as far as a scheduler writes them: kube-scheduler by a [Client],
// Orrery by actions that package claimwrites carries out. A comparison has a server for each of the two, compares what was written,
// and has both read it back.
package claimserver
