// Package term detects the terminal of a program and restores it when the program ends.
//
//	command line ─┐
//	environment  ─┼─► Detect ─► Facts: may there be a screen, how many colors, which glyphs, what size
//	stdin, stdout ┘                │
//	                               ▼
//	                            Guard ─► Options: for Bubble Tea
//	signals, hang-up, panics ─────►│
//	                               ▼
//	                     Run ends, the terminal is restored ─► nil or *ExitError with an exit code
//
// A program needs three lines:
//
//	guard := term.NewGuard(facts)
//	p := tea.NewProgram(guard.Model(model), append(guard.Options(filter), tea.WithFPS(30))...)
//	return guard.Run(ctx, p)
//
// # How a program ends
//
//	by its own keys                              0
//	SIGHUP, or the terminal went away          129
//	SIGINT from outside                        130
//	SIGQUIT: stacks are written to a file      131
//	SIGTERM                                    143
//	a panic: in the model, in its commands, or
//	in a goroutine of [Guard.Go]                70
//
// In every case the guard restores the terminal first: the main screen, the cursor, no mouse, no bracketed paste, the
// keyboard protocol, and the line discipline. It abandons a program that does not stop when told to: [Guard.Run]
// returns within a second in any case.
//
// A stop (ctrl+z, SIGTSTP) restores the terminal too, and SIGCONT takes it back. Without a shell with job control
// nothing would continue the program, so it does not stop; ctrl+z then sends [NoJobControl].
//
// Windows has no job control, and of the signals an interrupt and SIGTERM, which stands for the end of the console's window.
//
// Terminals answer queries through the keyboard. Drawing waits for no answer, and a program that quits while an answer
// is pending waits up to 50 ms for it, so that the answer does not reach the shell.
package term
