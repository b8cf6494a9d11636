// Package term knows what terminal a program has, and how to give it back.
//
//	command line ─┐
//	environment  ─┼─► Detect ─► Facts: may there be a screen, how many colours, which glyphs, what size
//	stdin, stdout ┘                │
//	                               ▼
//	                            Guard ─► Options: what Bubble Tea is told
//	signals, hang-up, panics ─────►│
//	                               ▼
//	                     Run ends, the terminal is as it was ─► nil or *Ended with an exit code
//
// A program needs three lines:
//
//	guard := term.NewGuard(facts)
//	p := tea.NewProgram(model, append(guard.Options(filter), tea.WithFPS(30))...)
//	return guard.Run(ctx, p)
//
// # How a program ends
//
//	by its own keys                              0
//	SIGHUP, or the terminal went away          129
//	SIGINT from outside                        130
//	SIGQUIT: stacks are written to a file      131
//	SIGTERM                                    143
//	a panic, in whatever goroutine              70
//
// Whatever the reason, the terminal is given back first: the main screen, the cursor, no mouse, no bracketed paste, the
// keyboard's own protocol, and the line discipline it was found with. A program that does not stop when it is told to is
// left behind: [Guard.Run] returns within a second in any case.
//
// A stop (ctrl+z, SIGTSTP) gives the terminal back too, and takes it again afterwards. Where nobody would let the
// program go on, because no shell with job control watches over it, it does not stop; ctrl+z then gives [NoJobControl].
//
// Questions put to the terminal are answered through the keyboard. Nothing waits for an answer to be drawn, and a program
// that is left while an answer is on its way waits up to 50 ms for it, so that it does not end up in the shell.
package term
