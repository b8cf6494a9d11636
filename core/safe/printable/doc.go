// Package printable makes text that came from outside safe to show: on a terminal, in a log line, in an error.
//
// A pod's name, a taint's value or a status message comes from outside, and may be careless or hostile. An
// escape sequence moves the cursor or renames the window; a carriage return hides what stood before it; a bidirectional
// override makes "a.exe" read as another word; a zero-width character makes two different names look the same.
//
// [Text] and [Line] let what can be seen through and make everything else visible instead of dropping it, so that a
// reader notices that there was something:
//
//	tab, line feed, carriage return and every other space or line separator   ·
//	other control characters, and bytes that are not UTF-8                    \x1b
//	invisible, reordering, unassigned and private characters                  \u202e, \U000e0041
//	an accent with nothing to stand on, or the fifth in a row                 \u0301
//
// The result is one line of valid UTF-8, and making it printable again changes nothing. It is for the eyes only: the
// original stays what identifies an object, and nothing turns the visible forms back.
//
// What a caller shows it makes printable once, where the string enters what is shown.
//
// What a program reads as JSON or YAML keeps every character: [EscapeJSON] and [YAML] write those that cannot be seen as that
// format's own escapes.
//
// [Writer] is the last barrier before a terminal: everything that a command prints or logs goes through one. It keeps
// lines, tabs and all text that only looks odd, and disarms what a terminal obeys.
package printable
