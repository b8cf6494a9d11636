package extender

import (
	"sync"

	"orrery/core/safe/printable"
)

// maxReason bounds a text of an extender.
//
//orrery:limit extenders; an error or a reason of an extender, in characters; cut off
const maxReason = 1024

// Printable is a text of an extender, or about one, as conditions and events have it.
func Printable(text string) string { return printable.Line(text, maxReason) }

// texts are buffers of responses that have been read.
var texts sync.Pool

// maxKept bounds a buffer that is kept. The priorities of 10,000 nodes take less.
//
//orrery:limit extenders; the buffer of a response that is kept for the next, in bytes; it is freed
const maxKept = 1 << 20

func takeText() []byte {
	if text, kept := texts.Get().(*[]byte); kept {
		return (*text)[:0]
	}
	return nil
}

func keepText(text []byte) {
	if cap(text) <= maxKept {
		texts.Put(&text)
	}
}
