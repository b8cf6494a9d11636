package files

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// ErrTooLarge is in the error about a file that is larger than it may be.
var ErrTooLarge = errors.New("which is the most that is read")

// Read reads a file, and fails if it has more bytes than allowed. It reads at most one byte beyond them.
func Read(name string, most int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > most {
		return nil, fmt.Errorf("%q has more than %d bytes, %w", name, most, ErrTooLarge)
	}
	return data, nil
}
