//go:build unix

package serving

import "golang.org/x/sys/unix"

const canShareSockets = true

// shareSocket lets other sockets bind a socket's port, or its address.
func shareSocket(fd uintptr, port, address bool) error {
	if port {
		if err := unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEPORT, 1); err != nil {
			return err
		}
	}
	if address {
		return unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEADDR, 1)
	}
	return nil
}
