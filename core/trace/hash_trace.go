package trace

import "io"

// HashNames copies a trace with its names replaced. It clears the description, which may contain names. A damaged trace
// is copied up to the damage, with a mark there that says so, and HashNames returns the damage as its error.
func HashNames(from io.Reader, to io.Writer, hash *NameHasher) error {
	r, err := NewReader(from)
	if err != nil {
		return err
	}
	h := r.Header()
	if h.Origin == FromState {
		return errStateHashed
	}
	h.Description = ""
	w, err := NewHashedWriter(to, h, hash)
	if err != nil {
		return err
	}
	at := h.Start
	for record, err := range r.All() {
		if err != nil {
			return w.closeDamaged(at, err)
		}
		at = record.At
		if err := w.Write(record); err != nil {
			return err
		}
	}
	return w.Close()
}
