package tui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// written returns the only file of a session's folder.
func (s *session) written(ending string) string {
	s.t.Helper()
	files, err := filepath.Glob(filepath.Join(s.screen.options.Folder, "*"+ending))
	if err != nil || len(files) == 0 {
		s.t.Fatalf("no file was written: %v\n%s", err, s.plain())
	}
	text, err := os.ReadFile(files[len(files)-1])
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}

// TestReport_TellsWhatIsShown writes reports of a pod, a what-if, two nodes, two moments and the whole cluster.
func TestReport_TellsWhatIsShown(t *testing.T) {
	s := rushHour(t, 140, 40).keys("esc")
	for _, tt := range []struct {
		keys  []string
		wants []string
	}{
		{[]string{"R"}, []string{"# morning-rush", "pods Pending", "## Timeline", "East is full"}},
		{[]string{"2", "G", "R"}, []string{"# Pod default/search-", "## Reasons", "## Journey of", "orrery explain --trace morning-rush --at +58s default/search-"}},
		{[]string{"3", "w", "d", "R"}, []string{"# What if: drain", "## What was tried", "| pods pending |", "orrery whatif --trace morning-rush --at +58s drain"}},
		{[]string{"3", "down", "R"}, []string{"# Node shop-", "| owner | pods |"}},
		{[]string{"3", "=", "down", "=", "R"}, []string{"shop-west-03 and shop-east-3", "## Comparison"}},
		{[]string{"1", "=", "$", "=", "R"}, []string{"# Between 58s and 2m29s", "| pods placed |"}},
	} {
		s.screen.options.Folder = t.TempDir()
		for _, key := range append([]string{"1"}, tt.keys...) {
			s.keys(key)
		}
		s.shows("saved " + s.screen.options.Folder)
		if len(s.raw) == 0 || !strings.Contains(s.raw[len(s.raw)-1], "\x1b]52") {
			t.Errorf("%q: the path is not copied", tt.keys)
		}
		text := s.written(".md")
		for _, want := range tt.wants {
			if !strings.Contains(text, want) {
				t.Errorf("after %q the report lacks %q:\n%s", tt.keys, want, text)
			}
		}
	}
	s.keys(":").typeText("save here.md").keys("enter").shows("here.md").keys(":").typeText("report here.md").keys("enter").shows("give it another name")
}
