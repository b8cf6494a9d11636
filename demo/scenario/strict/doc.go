// Package strict reads YAML that people write by hand into Go structs, with exact errors.
//
//	text ──► nodes with their lines ──► Decode ──► struct with a Position that keeps them
//	                                      │                          │
//	                                      ▼                          ▼
//	                  Error{File, Line, Field, Problem}      Position.Fail(field, problem)
//
// A field that a struct does not have is an error that names the nearest one it has. A value's own type reports its problem in
// UnmarshalText or UnmarshalJSON, and Decode adds file, line and field. Contradictions between values are found later: a struct
// that embeds a [Position] still has the lines of its fields.
//
// Fields have the names of their yaml tags, or of their json tags, so that Kubernetes' own types can be read too. A struct whose
// pointer has UnmarshalText can be written as one word; a slice whose type has OneOrMore may be written as its only element.
//
// Aliases are followed. The size of a document is bounded, with and without them, and so is the memory that it takes.
package strict
