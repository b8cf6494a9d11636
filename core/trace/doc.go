// Package trace is how a scheduler's life is kept in a file: what it was told, what it decided, and when.
//
//	             Record                                     Record
//	Input ─────┐                                        ┌──► Info, Cut
//	Decision ──┼──► Writer ──► [ file, FORMAT.md ] ──► Reader
//	Mark ──────┘     │ trims, hashes                    └──► play.Player
//	                 ▼
//	        nothing but what scheduling reads
//
// The engine is a function of its inputs, so the inputs are all a trace needs. The decisions are in it as a check: a
// replay computes them anew and compares. Package play, below this one, drives engines: it records, replays and seeks.
//
// # Files
//
// record is what can be said, and header what a trace begins with; FORMAT.md is the file byte by byte. frame and pack
// are blocks, entry, encode and decode what is in them; writer and reader are the two ends. hash and hash_object
// replace names. info, cut and rehash work on whole files. import_objects and import_openb make inputs of other people's files.
//
// # What is promised
//
//   - What is read is what was written, after trimming; see [store.Trim] for what never enters a file.
//   - A file that is cut off or damaged is read up to the damage, and the error, a [Damage], says where that is. A crash
//     of the recording program costs what was not yet flushed, at most one block of 128 KiB before packing.
//   - A file can be hostile: no length in it makes a reader allocate what is not there, and everything is bounded. Texts
//     in objects are as they were recorded and have to be made printable where they are shown.
//   - A file of a newer version of the format is refused, with an error that says so.
//
// Blocks are packed by the standard library's deflate. The packing is named in every block, so that another one can be
// added without a new version.
//
// # Times
//
// Times of records are exact. Times in objects are whole seconds, as Kubernetes has them.
package trace
