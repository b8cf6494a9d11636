package trace_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orrery/core/testing/mk/canaries"
	"orrery/core/trace"
	"orrery/core/world"
)

var update = flag.Bool("update", false, "write what recordings keep of objects into testdata")

var hashedName = regexp.MustCompile(`h[0-9a-f]{16}`)

// hashedRecording is a recording of an object of every kind, with names hashed by a salt.
func hashedRecording(t *testing.T, salt string) string {
	t.Helper()
	var file bytes.Buffer
	w, err := trace.NewHashedWriter(&file, trace.Header{Start: start}, newHash(t, salt))
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range world.Kinds() {
		object, err := canaries.Object(kind)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(trace.Record{At: start, Body: inputBody(world.Changed{Op: world.Added, Object: object})}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	records, damage := read(t, file.Bytes())
	if damage != nil {
		t.Fatal(damage)
	}
	var text strings.Builder
	for _, r := range records {
		if err := json.NewEncoder(&text).Encode(r.Body.(trace.Input).Event.(world.Changed).Object); err != nil {
			t.Fatal(err)
		}
	}
	return text.String()
}

// Recordings of the same objects under two salts have no name in common, and are the same but for the names: neither a name nor its
// length or form tells which one of the other recording it is.
func TestNameHasher_SaltsAreUnrelated(t *testing.T) {
	one, other := hashedRecording(t, "a salt of its own"), hashedRecording(t, "another salt")
	names := hashedName.FindAllString(one, -1)
	if len(names) < 100 {
		t.Fatalf("only %d names are hashed", len(names))
	}
	for _, name := range names {
		if strings.Contains(other, name) {
			t.Errorf("%s is in both recordings", name)
		}
	}
	if diff := cmp.Diff(numbered(one), numbered(other)); diff != "" {
		t.Errorf("more than the names differs:\n%s", diff)
	}
}

// numbered replaces hashed names by numbers, in the order of a text.
func numbered(text string) string {
	seen := map[string]int{}
	return hashedName.ReplaceAllStringFunc(text, func(name string) string {
		if _, known := seen[name]; !known {
			seen[name] = len(seen)
		}
		return fmt.Sprintf("<%d>", seen[name])
	})
}

// TestNameHasher_KeepsOnlyListedFields records an object of every kind in which every text is its own path. The paths
// in the file are exactly those in testdata/kept.txt: a field that a later Kubernetes adds, or that a new rule keeps,
// has to be listed there first.
func TestNameHasher_KeepsOnlyListedFields(t *testing.T) {
	var kept []string
	for _, kind := range world.Kinds() {
		object, err := canaries.Object(kind)
		if err != nil {
			t.Fatal(err)
		}
		file := written(t, trace.Header{Start: start},
			trace.Record{At: start, Body: inputBody(world.Listed{Kind: kind, Objects: []world.Object{object}})},
			trace.Record{At: start, Body: inputBody(world.Changed{Op: world.Deleted, Object: object})})
		kept = append(kept, canaries.Paths(unpacked(t, file))...)
	}
	slices.Sort(kept)
	kept = slices.Compact(kept)
	for _, place := range kept {
		if secret := canaries.Secret(place); secret != "" {
			t.Errorf("%s is recorded, and %s is not for others", place, secret)
		}
	}
	kept = slices.DeleteFunc(kept, func(place string) bool { // what holds for pods holds for their templates
		_, inTemplate, found := strings.Cut(place, ".spec.template.")
		return found && slices.Contains(kept, "Pod."+inTemplate)
	})
	compareKept(t, "testdata/kept.txt", kept)
}

// TestHashNames_KeepsOnlyListedFields does the same for a trace with hashed names.
func TestHashNames_KeepsOnlyListedFields(t *testing.T) {
	var kept []string
	for _, kind := range world.Kinds() {
		object, err := canaries.Object(kind)
		if err != nil {
			t.Fatal(err)
		}
		file := written(t, trace.Header{Start: start},
			trace.Record{At: start, Body: inputBody(world.Listed{Kind: kind, Objects: []world.Object{object}})},
			trace.Record{At: start, Body: inputBody(world.Changed{Op: world.Deleted, Object: object})})
		var hashed bytes.Buffer
		if err := trace.HashNames(bytes.NewReader(file), &hashed, newHash(t, "some salt")); err != nil {
			t.Fatal(err)
		}
		kept = append(kept, canaries.Paths(unpacked(t, hashed.Bytes()))...)
	}
	slices.Sort(kept)
	compareKept(t, "testdata/kept_hashed.txt", slices.Compact(kept))
}

func compareKept(t *testing.T, golden string, kept []string) {
	t.Helper()
	got := strings.Join(kept, "\n") + "\n"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("other texts are recorded than before; if they are no secrets, run go test ./core/trace -run KeepsOnlyListedFields -update (-want +got):\n%s", diff)
	}
}
