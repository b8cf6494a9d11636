// Package filter narrows lists by what people type behind "/".
//
//	web            rows in which the word stands: in the name, the namespace, the state, the reason
//	cart-0[0-3]    a regular expression, when a word has the signs of one
//	!web           rows in which it does not stand; ! turns any condition round
//	-n shop        pods of a namespace
//	-l app=web     rows whose labels match a selector, written as for kubectl
//	~crt7          names in which these letters follow one another, others between them or not
//
// Conditions stand side by side and all have to hold. Upper and lower case are the same, except in labels and namespaces.
package filter
