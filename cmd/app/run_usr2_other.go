//go:build !unix

package app

import "os"

// signalHelp says what there is instead of SIGUSR2.
const signalHelp = `This platform has no SIGUSR2, which elsewhere saves the flight recorder: "orrery attach --since 10m" reads it, and
":save NAME.orrery" saves it there. --record-dir is refused, since there is no lock to keep a second process out of the
directory.`

func notifyUSR2(chan<- os.Signal) {}
