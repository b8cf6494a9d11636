package nodenames_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"orrery/core/objects/nodenames"
)

// drawNames draws names of nodes, and some of them in an order of their own.
func drawNames(t *rapid.T, name *rapid.Generator[string]) (sent []string, names nodenames.Names) {
	all := rapid.SliceOfNDistinct(name, 1, 200, rapid.ID[string]).Draw(t, "names")
	var positions []int32
	for i := range all {
		positions = append(positions, int32(i))
	}
	start := rapid.IntRange(0, len(all)-1).Draw(t, "start")
	positions = append(positions[start:], positions[:start]...)
	if rapid.Bool().Draw(t, "some") {
		positions = slices.DeleteFunc(positions, func(int32) bool { return rapid.IntRange(0, 9).Draw(t, "left out") == 0 })
	}
	for _, at := range positions {
		sent = append(sent, all[at])
	}
	return sent, nodenames.New(all).At(positions)
}

func TestNames_JSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sent, names := drawNames(t, rapid.String())
		want, err := json.Marshal(append([]string{}, sent...))
		if err != nil {
			t.Fatal(err)
		}
		if got := names.AppendJSON(nil); string(got) != string(want) || names.JSONLen() < len(want) {
			t.Errorf("JSON of %d bytes, said to be at most %d:\n%s\nwant\n%s", len(got), names.JSONLen(), got, want)
		}
		for i := range sent {
			if names.Name(i) != sent[i] {
				t.Errorf("name %d is %q, want %q", i, names.Name(i), sent[i])
			}
		}
	})
}

// A reader returns the names that a response has, whichever they are.
func TestReader_ReadsWhatIsThere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sent, names := drawNames(t, rapid.StringMatching(`[a-c]{1,3}`))
		answered := slices.DeleteFunc(slices.Clone(sent), func(string) bool { return rapid.IntRange(0, 3).Draw(t, "refused") == 0 })
		if rapid.Bool().Draw(t, "others") {
			answered = append(answered, rapid.SliceOf(rapid.StringMatching(`[a-d]{1,3}`)).Draw(t, "unknown")...)
		}
		text, _ := json.Marshal(append([]string{}, answered...))
		rest := text[1:]
		reader := names.Reader()
		var got []string
		for len(got) < len(answered) {
			var read int
			got, read = reader.List(rest, got)
			rest = rest[read:]
			name, after, found := strings.Cut(string(rest[1:]), `"`)
			if !found {
				t.Fatalf("a name more was read than there are: %q", got)
			}
			got, rest = append(got, reader.Name([]byte(name))), []byte(after)[1:]
		}
		if diff := cmp.Diff(answered, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("names (-want +got):\n%s", diff)
		}
	})
}

// All names but the last, which no comma follows, are compared at once; and names that were sent are not copied.
func TestReader_ReadsExpectedNames(t *testing.T) {
	var all []string
	for i := range 300 {
		all = append(all, fmt.Sprintf("node-%d", i))
	}
	text, _ := json.Marshal(all)
	names := nodenames.Of(all)
	reader := names.Reader()
	got, read := reader.List(text[1:], make([]string, 0, len(all)))
	if len(got) != 299 || read != len(text)-len(`["node-299"]`) {
		t.Errorf("%d names were read, %d of %d bytes", len(got), read, len(text))
	}
	name := []byte("node-7")
	if allocs := testing.AllocsPerRun(10, func() {
		ahead, behind := names.Reader(), reader
		ahead.Name(name)
		behind.Name(name)
	}); allocs > 0 {
		t.Errorf("%v allocations for a name that was sent", allocs)
	}
}

// Escaped names are read as JSON by the caller.
func TestReader_LeavesEscapes(t *testing.T) {
	names := nodenames.Of([]string{"a", "<b>"})
	reader := names.Reader()
	if got, read := reader.List(names.AppendJSON(nil)[1:], nil); len(got) > 0 || read > 0 {
		t.Errorf("%q were read, %d bytes", got, read)
	}
}

func TestReader_OfNoNames(t *testing.T) {
	reader := nodenames.Names{}.Reader()
	got, read := reader.List([]byte(`"a",`), nil)
	if read > 0 || reader.Name([]byte("a")) != "a" {
		t.Errorf("%q were read, %d bytes", got, read)
	}
}
