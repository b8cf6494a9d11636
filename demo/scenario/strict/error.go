package strict

import (
	"fmt"

	"orrery/core/safe/printable"
)

// Error is a problem of a document, with its place.
type Error struct {
	File  string
	Line  int    // from 1; 0 if it is about the document as a whole
	Field string // such as "workloads[2].replicas"; empty at the top
	// Problem describes the problem and its remedy.
	Problem string
}

func (e *Error) Error() string {
	where := printable.Line(e.File, 200)
	if e.Line > 0 {
		where = fmt.Sprintf("%s:%d", where, e.Line)
	}
	if e.Field != "" {
		where += ": " + printable.Line(e.Field, 200)
	}
	return where + ": " + printable.Line(e.Problem, 1000)
}

// Position is where a struct was written. Decode fills it in for structs that embed it.
type Position struct {
	file  string
	path  string
	line  int
	lines map[string]int // of everything below, by path from here
}

type positioned interface{ setPosition(Position) }

func (p *Position) setPosition(at Position) { *p = at }

// Fail returns an error about a field of the struct, such as "replicas" or "tolerations[1]"; the empty field is the struct.
func (p *Position) Fail(field, format string, args ...any) error {
	return &Error{File: p.file, Line: p.Line(field), Field: join(p.path, field), Problem: fmt.Sprintf(format, args...)}
}

// Line returns the line of a field, or of the struct if the field was not written.
func (p *Position) Line(field string) int {
	if line, ok := p.lines[field]; ok {
		return line
	}
	return p.line
}

// Has reports whether a field was written.
func (p *Position) Has(field string) bool {
	_, ok := p.lines[field]
	return ok
}

func join(path, field string) string {
	switch {
	case path == "" || field == "":
		return path + field
	case field[0] == '[':
		return path + field
	}
	return path + "." + field
}
