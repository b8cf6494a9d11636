package find

import "orrery/themes"

// Kind is what a thing is.
type Kind uint8

// The kinds.
const (
	Command Kind = iota
	Pane
	Pod
	Node
	Owner
	Gang
	Claim
	DeviceClaim
	Namespace
	Mark
	WhatIf
	Theme
	Context
	Recording

	kinds
)

// kindWords are what the kinds are called. A query may name one.
var kindWords = [kinds]string{
	"command", "pane", "pod", "node", "owner", "gang", "pvc", "claim", "ns", "mark", "what-if", "theme", "context", "recording",
}

// String returns the kind's word.
func (k Kind) String() string { return kindWords[k] }

// Thing is something that can be opened, run or gone to. Its texts are printable.
type Thing struct {
	Kind Kind
	// Name is matched and shown; Key is the unchanged name, empty if it is the same.
	Name, Key string
	// About is what else is known of it, and Shortcut the key that does the same.
	About, Shortcut string
	// Glyph and Token are the sign of its state; zero for none.
	Glyph rune
	Token themes.Token
	// Bad means that it is in trouble.
	Bad bool
	// At is its place in the list that it is from, such as that of the marks.
	At int
}

// Ref tells a thing from others.
type Ref struct {
	Kind Kind
	Key  string
}

// Ref returns what the thing is told by.
func (t *Thing) Ref() Ref {
	if t.Key != "" {
		return Ref{t.Kind, t.Key}
	}
	return Ref{t.Kind, t.Name}
}
