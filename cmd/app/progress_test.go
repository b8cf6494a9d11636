package app

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A command that cannot tell how far it is says after a moment what it does, and nothing after its end.
func TestProgress_SaysWhatTakesLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var slow, quick strings.Builder
		p := startProgress(&slow, "reading prod")
		startProgress(&quick, "explaining").done()
		<-time.After(time.Second)
		p.update(func() string { return "5 pods" })
		p.done()
		if got, want := slow.String(), "\rreading prod\x1b[K\rreading prod: 5 pods\x1b[K\r\x1b[K"; got != want {
			t.Errorf("the slow one writes %q, want %q", got, want)
		}
		if quick.Len() > 0 {
			t.Errorf("the quick one writes %q", quick.String())
		}
	})
}

func TestProgress_NamesDoNotMoveTheCursor(t *testing.T) {
	var to strings.Builder
	p := &progress{to: &to, what: "running a\x1b[2J"}
	p.update(func() string { return "node\r\x9b\u202e" })
	p.done()
	if got, want := to.String(), "\r"+`running a\x1b[2J: node·\x9b\u202e`+"\x1b[K\r\x1b[K"; got != want {
		t.Errorf("it writes %q, want %q", got, want)
	}
}
