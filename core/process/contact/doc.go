// Package contact tells whether an API server is there, from what passes between it and a client.
//
//	client ──► Monitor.Wrap ──► API server
//	               │  each answer, and each byte of a watch: heard
//	               │  a list or watch that fails, or is answered by an error of the server: lost, since it was last heard
//	               └─ Listen: nothing was heard for 4 s ──► a small request; no answer in time: silent
//	           State
//
//	ReadOnly: refuses what is no GET, before it is sent
//
// The leaders of a cluster renew their leases every two seconds, so that some watch has an event that often. When all are silent for two
// renewals, a small request tells whether the API server is there.
package contact
