package live

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"

	"orrery/core/safe/footprint"
	"orrery/core/world"
)

// Bounds of answers: of one, unpacked; of the memory of all to one question, once they are decoded, which is so much and
// more for each byte, and no more for each that was sent; and of one that is an error.
const (
	//orrery:limit API server; an answer, unpacked, in bytes; lists are asked for again in smaller parts, then an error
	maxAnswerBytes = 32 << 20
	memoryAnyway   = 32 << 20
	//orrery:limit API server; memory of an answer or of an event for each of its bytes, beyond 32 MiB, in bytes; asked for again in smaller parts, then an error; a watch ends and begins again
	memoryPerByte = 48
	//orrery:limit API server; memory of a packed answer for each byte that was sent, beyond 32 MiB, in bytes; asked for again unpacked, then an error
	memoryPerSentByte = 128
	//orrery:limit API server; an answer that is an error, in bytes; the rest is not read
	maxStatusBytes = 1 << 20
	//orrery:limit API server; objects of a list that are asked for at once; they come in pages
	pageObjects     = 500
	fewerPerAttempt = 20
	// answerTimeout is twice what API servers take for an answer at most: only one that sends a byte now and then takes longer.
	//
	//orrery:limit API server; how long an answer may take, all of it; an error
	answerTimeout = 2 * time.Minute
	//orrery:limit API server; objects of a kind that a question reads; an error
	maxListObjects = 2 << 20 // the largest clusters have 150,000 pods
)

var errAnswerTooLarge = errors.New("the API server's answer is too large")

// page is a request for a page of a list. Its answer is bounded.
type page struct {
	kind   world.Kind
	packed bool // the answer may be packed, if the configuration permits it
	total  *answerTotal
}

// answerTotal adds up the answers to one question.
type answerTotal struct {
	mu                     sync.Mutex
	sent, unpacked, memory int64
}

func (t *answerTotal) add(sent, unpacked, memory int64) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	sent, unpacked, memory = t.sent+sent, t.unpacked+unpacked, t.memory+memory
	if most := memoryAnyway + min(memoryPerSentByte*sent, memoryPerByte*unpacked); memory > most {
		return fmt.Errorf("%w: what it sent up to here takes more than %d MiB of memory, which is the most for %d bytes", errAnswerTooLarge, most>>20, sent)
	}
	t.sent, t.unpacked, t.memory = sent, unpacked, memory
	return nil
}

type (
	pageKey  struct{}
	totalKey struct{}
)

// withAnswerTotal makes the requests of one question share their bound.
func withAnswerTotal(ctx context.Context) context.Context {
	if ctx.Value(totalKey{}) != nil {
		return ctx
	}
	return context.WithValue(ctx, totalKey{}, &answerTotal{})
}

func (p page) context(ctx context.Context) context.Context {
	p.total = withAnswerTotal(ctx).Value(totalKey{}).(*answerTotal)
	return context.WithValue(ctx, pageKey{}, p)
}

// boundedTransport bounds answers before they are decoded: each, and those to requests for the pages of one question together. It unpacks
// the latter itself, to know what was sent. Watches go on, and are bounded by event.
type boundedTransport struct {
	through http.RoundTripper
	packed  bool
	timeout time.Duration // of an answer
}

// WrappedRoundTripper lets client-go cancel requests.
func (t boundedTransport) WrappedRoundTripper() http.RoundTripper { return t.through }

func (t boundedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	p, bounded := r.Context().Value(pageKey{}).(page)
	if bounded {
		r = r.Clone(r.Context())
		r.Header.Set("Accept-Encoding", "identity")
		if t.packed && p.packed {
			r.Header.Set("Accept-Encoding", "gzip")
		}
	}
	kind, watches := r.Context().Value(watchKey{}).(world.Kind)
	stays := watches || r.URL.Query().Get("watch") != "" || r.Header.Get("Upgrade") != ""
	if !stays {
		ctx, end := context.WithTimeoutCause(r.Context(), t.timeout, fmt.Errorf("the API server's answer took more than %s", t.timeout))
		defer end()
		r = r.WithContext(ctx)
	}
	response, err := t.through.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	sent := &countingReader{from: response.Body}
	body := io.Reader(sent)
	if bounded && response.Header.Get("Content-Encoding") == "gzip" {
		if body, err = gzip.NewReader(sent); err != nil {
			_ = response.Body.Close()
			return nil, fmt.Errorf("unpacking the API server's answer: %w", err)
		}
		response.Header.Del("Content-Encoding")
		response.Header.Del("Content-Length")
		response.ContentLength = -1
	}
	switch {
	case response.StatusCode >= http.StatusBadRequest:
		text, _ := io.ReadAll(io.LimitReader(body, maxStatusBytes)) // a part of it says enough
		_ = response.Body.Close()
		response.Body = io.NopCloser(bytes.NewReader(text))
	case watches:
		boundEvents(response, kind)
	case stays:
	default:
		if !bounded {
			p.total = &answerTotal{}
		}
		data, err := p.read(body, sent)
		_ = response.Body.Close()
		if cause := context.Cause(r.Context()); err != nil && cause != nil {
			err = cause
		}
		if err != nil {
			return nil, err
		}
		response.Body = io.NopCloser(bytes.NewReader(data))
	}
	return response, nil
}

type countingReader struct {
	from  io.Reader
	bytes int64
}

func (c *countingReader) Read(to []byte) (int, error) {
	n, err := c.from.Read(to)
	c.bytes += int64(n)
	return n, err
}

func (p page) read(body io.Reader, sent *countingReader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(body, maxAnswerBytes+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxAnswerBytes {
		return nil, fmt.Errorf("%w: it has more than %d MiB", errAnswerTooLarge, maxAnswerBytes>>20)
	}
	return data, p.total.add(sent.bytes, int64(len(data)), answerMemory(data, p.kind))
}

// protobufMagic begins an answer in a protocol buffer.
var protobufMagic = []byte("k8s\x00")

// answerMemory returns what an answer takes once it is decoded. Decoders go by the type that it names; where it names none,
// they expect a list of the kind.
func answerMemory(body []byte, kind world.Kind) int64 {
	if encoded, ok := bytes.CutPrefix(body, protobufMagic); ok {
		var envelope runtime.Unknown
		if err := envelope.Unmarshal(encoded); err != nil {
			return int64(len(body)) // nothing of it is decoded
		}
		return shapeOf(envelope.APIVersion, envelope.Kind, kind).Proto(envelope.Raw)
	}
	var named metav1.TypeMeta
	_ = json.Unmarshal(body, &named) // what is no JSON names no type
	return shapeOf(named.APIVersion, named.Kind, kind).JSON(body)
}

func shapeOf(apiVersion, name string, kind world.Kind) *footprint.Shape {
	if _, custom := kind.Custom(); custom {
		return footprint.Any
	}
	expected := kind.Resource().GroupVersion().WithKind(string(kind) + "List")
	for _, gvk := range []schema.GroupVersionKind{schema.FromAPIVersionAndKind(apiVersion, name), expected} {
		if o, err := scheme.Scheme.New(gvk); err == nil {
			return footprint.Of(o)
		}
	}
	return footprint.Any
}
