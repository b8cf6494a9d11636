package extender

import "sync"

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
