// Package trace stores a scheduler's inputs and decisions in a file.
//
//	             Record                                     Record
//	Input ─────┐                                        ┌──► Info, Cut
//	Decision ──┼──► Writer ──► [ file, FORMAT.md ] ──► Reader
//	Mark ──────┘     │ trims, hashes                    └──► play.Player
//	                 ▼
//	        only what scheduling reads
//
// The engine is a function of its inputs, so a trace holds the inputs. The decisions are a check: a replay recomputes
// and compares them. Package play drives engines: it records, replays and seeks.
//
// # Files
//
// record has the kinds of records, header the start of a trace; FORMAT.md describes the file byte by byte. frame and
// pack hold blocks, entry, encode and decode their entries, state those of a scheduler's state, and usage those of what nodes use. decode_pod and
// decode_shared decode pods, and only once what they have alike. memory is what decoded entries may take; writer and reader
// are the two ends. hash and hash_object replace names. info, cut and hash_trace work on whole files. import_objects, with
// import_times, import_yaml and import_locate, and import_openb, with import_openb_claims and import_table, convert other data.
//
// # Guarantees
//
//   - A reader returns what was written, after trimming; see package trim for what never enters a file.
//   - A file that is truncated or damaged is read up to the damage; the error, a [Damage], says where that is. A crash of
//     the recording program loses what was not flushed, at most one block of 128 KiB before packing.
//   - A file may be hostile: no length in it makes a reader allocate memory before the data is there, and everything is
//     bounded, the memory of decoded objects by the bytes of the file. Texts in objects are as recorded, and have to be
//     made printable where they are shown.
//   - A file of another version of the format is refused with an error that names both versions, [ErrVersion].
//
// Blocks are packed by the standard library's deflate, and where time counts more than the same bytes for ever by a faster one,
// which unpacks all. Every block names its packing, so that another one can be added without a new version.
//
// # Times
//
// Times of records are exact. Times in objects are whole seconds, as in Kubernetes.
package trace
