package trace

import (
	"fmt"
	"io"
	"time"

	"orrery/core/printable"
	"orrery/core/world"
)

// Import is what was made of somebody else's files: a cluster over time, without a scheduler.
type Import struct {
	// Start is when it begins. Inputs are in the order of their times.
	Start  time.Time
	Inputs []world.Input
	// Notes say what was left out, for people.
	Notes []string
}

// Write makes a trace of it. Of the header, Start and Base are set here.
func (i *Import) Write(to io.Writer, h Header) error {
	h.Start, h.Base = i.Start, FromImport
	w, err := NewWriter(to, h)
	if err != nil {
		return err
	}
	for _, in := range i.Inputs {
		if err := w.Write(Record{At: in.At, Body: Input{Event: in.Event}}); err != nil {
			return err
		}
	}
	return w.Close()
}

// FileError says what is wrong in a file, and where.
type FileError struct {
	File string
	Line int
	// Field is the path of a field, or the name of a column; empty when a whole line or document is meant.
	Field string
	Cause error
}

func (e *FileError) Error() string {
	where := fmt.Sprintf("%s:%d: ", printable.Line(e.File, 200), e.Line)
	if e.Field != "" {
		where += printable.Line(e.Field, 200) + ": "
	}
	return where + printable.Line(e.Cause.Error(), 300)
}

func (e *FileError) Unwrap() error { return e.Cause }
