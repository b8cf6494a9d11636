package views_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"orrery/views"
	"orrery/views/draw"
)

// onePlural is a one before a word in the plural. A one behind a slash, a point or another digit is part of another number.
var onePlural = regexp.MustCompile(`(?:^|[^\w.,:/+-])1 ([a-z]+s)\b`)

// singular are words that end as a plural does and are none.
var singular = map[string]bool{
	"is": true, "has": true, "was": true, "as": true, "does": true, "this": true, "needs": true, "less": true, "waits": true, "class": true, "pass": true,
	"process": true, "holds": true, "differs": true, "evicts": true, "matches": true, "others": true, // "1 others' anti-affinity" is a reason, and its number of nodes
}

func onePlurals(text string) []string {
	var found []string
	for line := range strings.Lines(text) {
		for _, m := range onePlural.FindAllStringSubmatch(line, -1) {
			if !singular[m[1]] {
				found = append(found, strings.TrimSpace(line))
			}
		}
	}
	return found
}

// allOnes sets every number of a model to one. Numbers of a type of their own are states, times and the like, and stay.
func allOnes(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() && v.Kind() == reflect.Pointer {
			allOnes(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && f.Name != "First" && f.Name != "Total" {
				allOnes(v.Field(i))
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			allOnes(v.Index(i))
		}
	case reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint64:
		if v.CanSet() && v.Type().PkgPath() == "" {
			if v.CanInt() {
				v.SetInt(1)
			} else {
				v.SetUint(1)
			}
		}
	}
}

// TestScreen_OneIsSingular draws every pane of a model in which there is one of everything.
func TestScreen_OneIsSingular(t *testing.T) {
	for id, name := range paneNames {
		for _, s := range []size{{60, 16}, {80, 24}, {140, 40}, {220, 60}} {
			m := sample(312, 240)
			allOnes(reflect.ValueOf(m))
			m.Orrery = sampleOrrery(1) // its bodies are where they are by their zones
			for _, line := range onePlurals(screen(m, sampleState(id), s, draw.Braille).Plain()) {
				t.Errorf("%s at %s: %s", name, s, line)
			}
		}
	}
}

// nanoseconds is a time of day, or a duration, that is more exact than anybody reads.
var nanoseconds = regexp.MustCompile(`\d\d:\d\d:\d\d\.\d{4,}|\b\d+\.\d{4,}s\b`)

// TestGoldens_Wording reads every golden screen, of the panes and of whole sessions.
func TestGoldens_Wording(t *testing.T) {
	read := 0
	for _, dir := range []string{"testdata", "../tui/testdata"} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) != ".txt" {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			read++
			for _, line := range onePlurals(string(text)) {
				t.Errorf("%s: %s", path, line)
			}
			for line := range strings.Lines(string(text)) {
				if nanoseconds.MatchString(line) && !strings.Contains(line, "orrery whatif ") { // a command is given back as it is
					t.Errorf("%s: %s", path, strings.TrimSpace(line))
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if read < 50 {
		t.Errorf("only %d golden screens were read", read)
	}
}

// TestJourney_MessageIsReadable: a message that no column has room for is below the list, on small screens too.
func TestJourney_MessageIsReadable(t *testing.T) {
	const message = "32 node(s) didn't match pod topology spread constraints"
	for _, s := range goldenSizes {
		m := sample(312, 240)
		m.Journey.Steps.Rows[2].Note = message
		text := strings.Join(strings.Fields(strings.ReplaceAll(screen(m, sampleState(views.JourneyPane), s, draw.Braille).Plain(), "│", " ")), " ")
		if !strings.Contains(text, message) {
			t.Errorf("at %s the message cannot be read:\n%s", s, text)
		}
	}
}
