// Package nodenames holds the names of a cluster's nodes side by side, each with its JSON. Requests to extenders are made of
// them, and answers are compared with them, without a look at a node.
//
//	the nodes of a snapshot, in its order ─► List ─At(positions)─► Names, the nodes of a request
//	                                                                 │
//	                                              AppendJSON ◄───────┴───────► Reader, for a response
//
// A List never changes, so that goroutines may share it.
package nodenames
