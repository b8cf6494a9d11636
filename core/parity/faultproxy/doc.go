// Package faultproxy is a proxy in front of an API server that injects faults. To a client it looks like the server itself.
//
//	client ──request──► decide: busy, expired, blind? ──► an answer of its own
//	                      │ else
//	                      ▼
//	                    slow ──► API server ──► lost? ──► the answer, or a failure in its place
//	                                │
//	                                └─ watch: ended after a while, or when the faults change
//
//	faults.go   what may go wrong, and what goes wrong with one request
//	proxy.go    the server, the connections and the watches
package faultproxy
