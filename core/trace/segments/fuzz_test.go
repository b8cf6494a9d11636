package segments

import (
	"strings"
	"testing"
	"time"

	"orrery/core/testing/fuzz"
)

// FuzzParseName reads names of files in a recording's directory.
//
//orrery:reads core/trace/segments
func FuzzParseName(f *testing.F) {
	f.Add(newName(start))
	f.Add("20260302T090000.000000000Z-AAAAAAAA.orrery")
	f.Add("20260302T090000.000000000Z-AAAAAAAA.orrery.partial")
	f.Add("../20260302T090000.000000000Z-AAAAAAAA.orrery")
	f.Fuzz(func(t *testing.T, name string) {
		var at time.Time
		var ok bool
		fuzz.Cost(t, len(name), func() { at, ok = ParseName(name) })
		if ok && isPartial(name) {
			t.Error("a segment is a partial one")
		}
		if !ok {
			return
		}
		if strings.ContainsAny(name, "/\\\x00\x1b ") || !strings.HasPrefix(name, at.Format(nameLayout)) {
			t.Errorf("%q is the name of a segment of %v", name, at)
		}
	})
}

func TestNames_SortByTime(t *testing.T) {
	last := ""
	for _, at := range []time.Time{start, start.Add(1), start.Add(time.Millisecond), start.Add(time.Hour), start.AddDate(1, 0, 0)} {
		name := newName(at.In(time.FixedZone("", 3600)))
		if got, ok := ParseName(name); !ok || !got.Equal(at) || name <= last {
			t.Errorf("%q is of %v, %v, and comes after %q", name, got, ok, last)
		}
		last = name
	}
}

// FuzzParseIndex reads the index of a recording's directory.
//
//orrery:reads core/trace/segments
func FuzzParseIndex(f *testing.F) {
	f.Add(marshalIndex([]indexEntry{{Name: newName(start), Bytes: 5}}))
	f.Add([]byte(`{"version":1,"segments":[{"name":"../x","bytes":-1}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var index map[string]indexEntry
		fuzz.Cost(t, len(text), func() { index = parseIndex(text) })
		for name, e := range index {
			if _, ok := ParseName(name); !ok || e.End.Before(e.Start) {
				t.Errorf("the index has %q: %+v", name, e)
			}
		}
	})
}
