package scenario_test

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"orrery/core/trace"
)

// TestDoc_ExampleHappens plays the example of the package's documentation: what is said of it happens before it ends.
func TestDoc_ExampleHappens(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(doc), "// # A file\n//\n")
	example, after, _ := strings.Cut(example, "//\n// ")
	s := parsed(t, strings.ReplaceAll(example, "//\t", ""))
	var recording bytes.Buffer
	if err := s.Record(&recording, nil); err != nil {
		t.Fatal(err)
	}
	info, err := trace.ReadInfo(&recording)
	if err != nil {
		t.Fatal(err)
	}
	for _, mark := range info.Marks {
		if mark.Mark.Kind == trace.Eviction {
			at := mark.At.Sub(s.Start).Truncate(time.Second).String()
			if !strings.Contains(after, "the shop leaves the east "+at+" after the beginning") {
				t.Errorf("the first pod is evicted after %s, and the text says otherwise", at)
			}
			return
		}
	}
	t.Fatal("no pod is evicted")
}
