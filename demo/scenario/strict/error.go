package strict

import (
	"fmt"

	"orrery/core/printable"
)

// Error is what is wrong with a document, and where.
type Error struct {
	File  string
	Line  int    // from 1; 0 if it is about the document as a whole
	Field string // such as "workloads[2].replicas"; empty at the top
	// Problem says what is wrong, and what would be right.
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

// Place is where a struct was written. Embed it, and Decode fills it in.
type Place struct {
	file  string
	path  string
	line  int
	lines map[string]int // of everything below, by path from here
}

type placed interface{ setPlace(Place) }

func (p *Place) setPlace(at Place) { *p = at }

// Fail is an error about a field of the struct, such as "replicas" or "tolerations[1]"; the empty one is the struct.
func (p *Place) Fail(field, format string, args ...any) error {
	return &Error{File: p.file, Line: p.Line(field), Field: join(p.path, field), Problem: fmt.Sprintf(format, args...)}
}

// Line is the line of a field; that of the struct if the field was not written.
func (p *Place) Line(field string) int {
	if line, ok := p.lines[field]; ok {
		return line
	}
	return p.line
}

// Has tells whether a field was written.
func (p *Place) Has(field string) bool {
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
