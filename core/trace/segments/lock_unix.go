//go:build unix

package segments

import (
	"errors"
	"os"
	"syscall"
)

// Supported says whether recordings can be made on this platform. They can be read on every one.
const Supported = true

// lockFile locks a file until the process closes it, or ends.
func lockFile(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrInUse
	}
	return err
}
