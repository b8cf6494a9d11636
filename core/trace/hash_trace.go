package trace

import (
	"cmp"
	"fmt"
	"io"
)

// HashNames copies a trace with its names replaced. It clears the description, which may contain names. A damaged trace
// is copied up to the damage, with a mark there that says so, and HashNames returns the damage as its error.
//
// # Decisions
//
// A replay of the copy makes the decisions of the original. Many depend on the order of names: which claim gets the
// smaller volume, which of several devices is looked at first, whose budget a victim is counted against. So the hashes are in the order of
// the names: each begins with the rank of its name among all of the trace, for which HashNames reads it twice, and ends with the
// digits that the same name has under the same salt in every trace.
//
// # What the order reveals
//
// How many names there are, and of each how many come before it. A reader who knows some of the names knows which others
// lie between them in the alphabet, and where names are numbered or begin alike, finds neighbours; not which characters they have, nor
// how long they are. The ranks are over names of all kinds together, so a guess about one kind has to hold for all of them.
func HashNames(from io.ReadSeeker, to io.Writer, hash *NameHasher) error {
	if err := rewind(from); err != nil {
		return err
	}
	hash, err := hash.inOrder(from)
	if err != nil {
		return err
	}
	if err := rewind(from); err != nil {
		return err
	}
	r, err := NewReader(from)
	if err != nil {
		return err
	}
	h := r.Header()
	h.Description = ""
	if h.Configuration, err = hash.Configuration(h.Configuration); err != nil {
		return err
	}
	w, err := newHashedWriter(to, h, hash)
	if err != nil {
		return err
	}
	at := h.Start
	for record, err := range r.All() {
		if err != nil {
			return cmp.Or(hash.order.check(), w.closeDamaged(at, err))
		}
		at = record.At
		if err := w.Write(record); err != nil {
			return err
		}
	}
	return cmp.Or(hash.order.check(), w.Close())
}

func rewind(from io.Seeker) error {
	if _, err := from.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("reading a trace twice, to hash its names: %w", err)
	}
	return nil
}
