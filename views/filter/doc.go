// Package filter filters lists by the text typed after "/".
//
//	web            rows that contain the word: in the name, the namespace, the state, the reason
//	cart-0[0-3]    a regular expression, if a word has the signs of one
//	!web           rows that do not contain it; ! inverts any condition
//	-n shop        pods of a namespace
//	-g train       pods of a gang, or of all gangs of a workload; namespace/workload/group is one of them
//	-l app=web     rows whose labels match a selector, written as for kubectl
//	~crt7          names that contain these letters in this order, others between them or not
//
// All conditions must hold. Upper and lower case are the same, except in labels, namespaces and gangs.
package filter
