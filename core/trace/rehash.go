package trace

import (
	"errors"
	"io"
)

// HashNames copies a trace with its names replaced. The description goes too: it may name what the rest does not. A
// damaged trace is copied up to the damage, which is then the error.
func HashNames(from io.Reader, to io.Writer, hash *Hash) error {
	r, err := NewReader(from)
	if err != nil {
		return err
	}
	h := r.Header()
	h.Description = ""
	w, err := NewHashedWriter(to, h, hash)
	if err != nil {
		return err
	}
	for record, err := range r.All() {
		if err != nil {
			return errors.Join(w.Close(), err)
		}
		if err := w.Write(record); err != nil {
			return err
		}
	}
	return w.Close()
}
