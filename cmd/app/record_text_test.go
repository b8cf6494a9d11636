package app

import (
	"os"
	"strings"
	"testing"
)

// TestRecord_PrintsWhatThePageShows prints a recording as docs/running.md has one.
func TestRecord_PrintsWhatThePageShows(t *testing.T) {
	page, err := os.ReadFile("../../docs/running.md")
	if err != nil {
		t.Fatal(err)
	}
	d := recordDocument{
		File: "morning.orrery", Cluster: "context prod", Seconds: 600, Bytes: 3250586, Inputs: 48210, Decisions: 412, Ended: "for",
		Agreement: agreementDocument{Agreed: 405, Explained: 7},
	}
	var b strings.Builder
	d.text(&b)
	if !strings.Contains(string(page), b.String()) {
		t.Errorf("docs/running.md does not show what is printed:\n%s", b.String())
	}
}
