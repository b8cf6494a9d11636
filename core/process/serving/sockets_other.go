//go:build !unix

package serving

// Windows has no SO_REUSEPORT, and its SO_REUSEADDR lets another process take the port.
const canShareSockets = false

func shareSocket(uintptr, bool, bool) error { return nil }
