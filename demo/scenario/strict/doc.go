// Package strict reads YAML that people write by hand into Go structs, and says exactly what is wrong with it.
//
//	text ──► nodes, which know their lines ──► Decode ──► struct, with a Place in it that remembers them
//	                                             │                          │
//	                                             ▼                          ▼
//	                        Error{File, Line, Field, Problem}      Place.Fail(field, problem)
//
// A field that a struct does not have is an error that names the nearest one it has. What is wrong about a value, the
// value's own type says, in UnmarshalText or UnmarshalJSON, and Decode adds file, line and field. What is wrong about
// several values together is found later: a struct that embeds a [Place] still knows where its fields were written.
//
// Fields have the names of their yaml tags, or of their json tags, so that Kubernetes' own types can be read too. A
// struct whose pointer has UnmarshalText can be written short, as a word; a slice whose type has OneOrMore may be
// written as the one thing it holds.
//
// Aliases are followed. How much a document can grow by them is bounded, and so is its size.
package strict
