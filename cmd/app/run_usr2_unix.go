//go:build unix

package app

import (
	"os"
	"os/signal"
	"syscall"
)

// signalHelp says what "orrery run" does on a signal besides ending.
const signalHelp = `On SIGUSR2 it compares its cache with the API server, and saves the flight recorder as a trace for
"orrery replay" and "orrery demo".`

func notifyUSR2(c chan<- os.Signal) { signal.Notify(c, syscall.SIGUSR2) }
