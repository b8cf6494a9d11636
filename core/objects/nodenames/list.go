package nodenames

import (
	"encoding/json"
	"sync"
)

// List is the names of nodes in an order.
type List struct {
	names  []string
	text   []byte // the JSON of the names, with a comma after each
	starts []int  // of the names in text, and its end
	plain  bool   // every name is the same in JSON, but for the quotes

	indexOnce sync.Once
	index     map[string]int32
}

// New returns a list of names, which must not be changed.
func New(names []string) *List {
	l := &List{names: names, starts: make([]int, 1, len(names)+1), plain: true}
	if len(names) > 0 {
		l.text = make([]byte, 0, len(names)*(len(names[0])+len(`"",`)))
	}
	for _, name := range names {
		l.plain = l.plain && IsPlain(name)
		l.text = append(appendName(l.text, name), ',')
		l.starts = append(l.starts, len(l.text))
	}
	return l
}

func appendName(to []byte, name string) []byte {
	if !IsPlain(name) {
		text, _ := json.Marshal(name) // a string has JSON
		return append(to, text...)
	}
	to = append(to, '"')
	to = append(to, name...)
	return append(to, '"')
}

// Known returns a name of the list as its own string, and any other as a copy.
func (l *List) Known(name []byte) string {
	l.indexOnce.Do(func() {
		l.index = make(map[string]int32, len(l.names))
		for i, name := range l.names {
			l.index[name] = int32(i)
		}
	})
	if i, known := l.index[string(name)]; known {
		return l.names[i]
	}
	return string(name)
}

// IsPlain reports whether a text is the same in JSON, but for the quotes: ASCII that nothing escapes.
func IsPlain[T string | []byte](text T) bool {
	for i := range len(text) {
		if !plainBytes[text[i]] {
			return false
		}
	}
	return true
}

var plainBytes = func() (plain [256]bool) {
	for b := ' '; b < 0x7f; b++ {
		plain[b] = true
	}
	for _, b := range `"\<>&` {
		plain[b] = false
	}
	return plain
}()
