// Package codec writes what an engine holds as bytes, and reads it back into an engine that is empty.
//
//	engine, queue, cache, …          State                     engine, queue, cache, …
//	holders ──── Coder ───► [ Objects │ Data ] ──── Coder ───► empty holders
//	              writes                             reads
//
// A holder of state has one method, CodeState, in a file codec.go. It names every field once, and a [Coder] writes or reads
// them in that order, so that the two directions cannot differ. What follows from other fields is not coded: when the Coder
// reads, the method makes it anew.
//
// Objects of the API are not in the data. They are listed, each once, in the order in which the holders name them first, and
// the data has their numbers; so two holders that share an object share it afterwards, and a recording encodes the objects as it
// encodes all others. The same state gives the same bytes: maps are coded in the order of their keys.
//
// Data may come from a file, and be hostile. No number in it makes a Coder take memory before the bytes are there, and an element
// takes at least one byte. What cannot be is an error, after which the Coder reads zeros and no elements.
//
// coder has the simple values, collections the lists and maps, objects the objects and parts of them, actions the actions of
// effects.
package codec
