// Package segments keeps a scheduler's recording on disk for days, as a directory of traces.
//
//	engine ── play.Feed ──► play.Subscriber ──► Recorder.Step ──► disk: 20260302T091230.123456789Z-K7Q2M4XD.orrery
//	                                              │    twice a second       20260302T092911.004000000Z-2HXWB6QA.orrery
//	                            Retention ◄───────┤                         index.json
//	                                              └──► Status, the log
//
//	Directory: the segments by their names ──► At(time) ──► the one file of a time
//	                        ├──► Verify: all of them, replayed
//	                        └──► Summaries: index.json, and what it lacks read anew ──► Gaps
//
// A segment is a trace that is whole by itself: it begins with the scheduler's state. The next one begins with the input after its last,
// so that nothing is between them; or within it, as that goes on until the state of the next one is on the disk. Its name is the time of
// its beginning, so that the segment of a time is found by names alone, and an ending that no other process has.
//
// # Files
//
// name and directory find segments; index and gaps say what is in them, verify replays them. recorder writes them by way of open, which is one
// file, and run drives it; retention says how large one gets and how long it stays. disk, lock_unix and lock_other are the directory as
// it is written to, status is how the recording does.
//
// # Guarantees
//
//   - What is decided never waits for the disk. The scheduler's loop appends records to a bounded buffer; one goroutine writes them. Where
//     the disk is slower than that, fails, is full or hangs, the recording stops, says so once, and the scheduler goes on.
//   - The recording begins again by itself. It then begins with what the flight recorder has from the time of the last write on; what that
//     does not reach back to is a gap, which the summaries of the segments show, and the description of the later one.
//   - Twice a second what was recorded is written and synced, also while a segment begins, so that a crash loses no more than a second. It
//     leaves a file that is read up to its end. A segment has another name, which ends in .partial, until its first state is on the disk.
//   - The oldest segments go when all take more bytes than they may, or are older than they may be. By their age alone two go at most for each
//     segment that ends, so that a clock which is set forward by mistake does not take the history with it. Files with other names are
//     never read, written or removed, and links are not followed.
//   - One process writes to a directory at a time, by a lock that ends with the process. Another one waits for it.
//     Where there is no such lock, as on Windows, nothing is recorded.
//   - The index holds nothing that the segments do not. Where it is missing, damaged or of other files, these are read.
//     A file of its name that another program wrote, or another version of this one, stays; then there is no index, and the log says why.
package segments
