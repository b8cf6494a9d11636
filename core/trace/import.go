package trace

import (
	"fmt"
	"io"
	"time"

	"orrery/core/safe/printable"
	"orrery/core/world"
)

// ImportedTrace is a cluster over time, without a scheduler, made of files of another format.
type ImportedTrace struct {
	// Start is the time of the first input. Inputs are ordered by time.
	Start  time.Time
	Inputs []world.Input
	// FeatureGates are those that its objects need, beside the defaults.
	FeatureGates map[string]bool
	// Notes say what was left out.
	Notes []string
}

// Write writes the cluster as a trace. It sets the header's Start, Origin and FeatureGates.
func (i *ImportedTrace) Write(to io.Writer, h Header) error {
	h.Start, h.Origin, h.FeatureGates = i.Start, FromImport, i.FeatureGates
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

// FileError is an error at a line of a file.
type FileError struct {
	File string
	Line int
	// Field is the path of a field or the name of a column; empty if the whole line or document is wrong.
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
