package live

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/world"
)

// maxEventBytes bounds an event of a watch. An API server stores no object that is nearly as large.
//
//orrery:limit API server; an event of a watch, in bytes; the watch ends and begins again
const maxEventBytes = 32 << 20

type watchKey struct{}

// watchContext has the events of a kind bounded.
func watchContext(ctx context.Context, kind world.Kind) context.Context {
	return context.WithValue(ctx, watchKey{}, kind)
}

// boundEvents bounds the events in the answer to a watch before they are decoded: client-go reads an event however long it is, and
// decodes one however much memory that takes.
func boundEvents(r *http.Response, kind world.Kind) {
	events := &eventReader{body: r.Body, kind: kind, limited: io.LimitedReader{R: r.Body}}
	if media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); media == "application/vnd.kubernetes.protobuf" {
		events.next = events.nextFrame
	} else {
		events.next, events.decoder = events.nextJSON, json.NewDecoder(&events.limited)
	}
	r.Body = events
}

// eventReader passes events on, one after the other, each once it is whole and does not take too much.
type eventReader struct {
	body    io.ReadCloser
	kind    world.Kind
	next    func() ([]byte, error)
	rest    []byte // of the event that is passed on
	err     error
	limited io.LimitedReader // body, for one event
	decoder *json.Decoder    // of limited
}

func (e *eventReader) Close() error { return e.body.Close() }

func (e *eventReader) Read(to []byte) (int, error) {
	if len(e.rest) == 0 && e.err == nil {
		e.rest, e.err = e.next()
	}
	if len(e.rest) == 0 {
		return 0, e.err
	}
	n := copy(to, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

// nextJSON returns the next event of a stream of JSON.
func (e *eventReader) nextJSON() ([]byte, error) {
	e.limited.N = maxEventBytes
	var text json.RawMessage
	if err := e.decoder.Decode(&text); err != nil {
		if e.limited.N <= 0 {
			return nil, fmt.Errorf("%w: an event has more than %d MiB", errAnswerTooLarge, maxEventBytes>>20)
		}
		return nil, err
	}
	var event struct{ Object json.RawMessage }
	_ = json.Unmarshal(text, &event) // what is no event is client-go's to refuse
	return e.checked(text, event.Object)
}

// nextFrame returns the next event of a stream of protocol buffers, each after its length.
func (e *eventReader) nextFrame() ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(e.body, head[:]); err != nil {
		return nil, err
	}
	size := int64(binary.BigEndian.Uint32(head[:]))
	if size > maxEventBytes {
		return nil, fmt.Errorf("%w: an event has more than %d MiB", errAnswerTooLarge, maxEventBytes>>20)
	}
	frame := bytes.NewBuffer(head[:])
	if e.limited.N = size; size > 0 {
		if n, err := frame.ReadFrom(&e.limited); err != nil || n < size { // which takes memory as bytes come
			return nil, cmp.Or(err, io.ErrUnexpectedEOF)
		}
	}
	var event metav1.WatchEvent
	_ = event.Unmarshal(frame.Bytes()[len(head):]) // what is no event is client-go's to refuse
	return e.checked(frame.Bytes(), event.Object.Raw)
}

// checked returns an event, unless its object takes too much memory or time to decode.
func (e *eventReader) checked(event, object []byte) ([]byte, error) {
	if most := int64(memoryAnyway + memoryPerByte*len(event)); answerMemory(object, e.kind) > most {
		return nil, fmt.Errorf("%w: an event of %d bytes takes more than %d MiB of memory, or has a quantity that is no amount", errAnswerTooLarge, len(event), most>>20)
	}
	return event, nil
}
