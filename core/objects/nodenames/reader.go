package nodenames

import "bytes"

// Reader finds names that a response repeats: nearly always those of the request, in its order, or some of them.
type Reader struct {
	sent Names
	next int // of the names sent, the one to expect
}

// Reader returns a reader of a response to these names.
func (n Names) Reader() Reader { return Reader{sent: n} }

const (
	// atOnce is how many names are compared at once, once several in a row were the expected ones.
	atOnce = 64
	// lookahead is how many names may be missing between two, for the second to be found without a map.
	lookahead = 8
)

// List reads the names that a part of a JSON list begins with, as long as they are the expected ones, each with a comma after it. It
// appends them, and returns how long they are in the text.
func (r *Reader) List(text []byte, to []string) ([]string, int) {
	n, read := r.sent, 0
	for size := 1; r.next < len(n.at) && n.list.plain; {
		end := n.neighbours(r.next, min(len(n.at), r.next+size))
		names := n.json(r.next, end)
		if !bytes.HasPrefix(text[read:], names) {
			if size == 1 {
				break
			}
			size = 1
			continue
		}
		first := n.at[r.next]
		to = append(to, n.list.names[first:int(first)+end-r.next]...)
		read, r.next, size = read+len(names), end, min(2*size, atOnce)
	}
	return to, read
}

// Next returns the expected name, if a text begins with it and a comma, and how long that is there.
func (r *Reader) Next(text []byte) (name string, read int) {
	n := r.sent
	if r.next == len(n.at) || !n.list.plain {
		return "", 0
	}
	expected := n.json(r.next, r.next+1)
	if !bytes.HasPrefix(text, expected) {
		return "", 0
	}
	r.next++
	return n.Name(r.next - 1), len(expected)
}

// Name returns a name as a string, without a copy if it was sent.
func (r *Reader) Name(name []byte) string {
	n := r.sent
	for i := r.next; i < min(len(n.at), r.next+lookahead); i++ {
		if sent := n.Name(i); sent == string(name) {
			r.next = i + 1
			return sent
		}
	}
	if n.list == nil {
		return string(name)
	}
	return n.list.Known(name)
}
