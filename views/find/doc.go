// Package find finds things by what somebody remembers of their names: the start, the middle, the end, or letters in their order.
//
//	[]Thing ──► Index.Add ──► Index.Find(query) ──► []Match, the best first
//
// A query is words, and all must match. A word matches best where it is the whole name, then at the start of a part of the name, then
// anywhere in it, then in the kind or in what is said about the thing, and last as letters in their order. Among equals those in
// trouble come first, then those that were opened lately.
//
// Names are searched as texts, which costs little: 100,000 of them are read for every key. Letters in their order are looked for only
// where few names have the text, and only so many of the candidates are ranked.
package find
