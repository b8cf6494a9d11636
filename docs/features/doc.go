// Command features writes docs/features.md: what a scheduler must do, row by row, each with the tests that show it or the reason
// why it is not Orrery's.
//
//	asked.txt ─┐
//	           ├► checkWording
//	rows/*.txt ┴──► readRows ──┐
//	                           ├──► table ──► docs/features.md
//	tests      ──► findMarks ──┘
//
// A test says which rows it shows, in a comment: "Shows DRA-07 and DRA-17." So do the files of scripted tests, in their text. A
// row without a test and without a reason is an error, as is a mark of a row that does not exist, and a row that says something else than was asked for (asked.txt)
// without saying so.
package main
