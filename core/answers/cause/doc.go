// Package cause finds which of the rules and feature gates of a release make the difference between two answers.
//
//	two schedulers ──► factors ──► Search: without some of them, what changes? ──► causes ──► Attribute: of which pods
//	                                  ▲              │
//	                                  └── halves ◄───┘
//
// A simulation is repeated as the newer scheduler decides, with half of the factors turned off, and of a half that matters each half again. What does
// nothing is found with its neighbours at once, so that a few causes among some forty factors need a dozen simulations. Packages compare and
// whatif say what a simulation is.
package cause
