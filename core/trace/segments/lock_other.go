//go:build !unix

package segments

import (
	"errors"
	"os"
)

// Supported is false: a lock that ends with its process is not made here.
const Supported = false

func lockFile(*os.File) error { return errors.ErrUnsupported }
