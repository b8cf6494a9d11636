package app

import (
	"strings"
	"testing"
)

func TestProgress_NamesDoNotMoveTheCursor(t *testing.T) {
	var to strings.Builder
	p := &progress{to: &to, what: "running a\x1b[2J"}
	p.update(func() string { return "node\r\x9b\u202e" })
	p.done()
	if got, want := to.String(), "\r"+`running a\x1b[2J: node·\x9b\u202e`+"\x1b[K\r\x1b[K"; got != want {
		t.Errorf("it writes %q, want %q", got, want)
	}
}
