package app

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"orrery/core/scheduler/framework"
)

// TestMCP_ReaderNamesKnownCauses has an assistant explain pods whose causes are known: those of the stories of package diagnose. It names the cause
// as it stands there, and what it is told places the pod does so when it is tried.
func TestMCP_ReaderNamesKnownCauses(t *testing.T) {
	files, err := filepath.Glob("../../core/answers/diagnose/testdata/*.txtar")
	if err != nil || len(files) < 100 {
		t.Fatalf("%d stories, %v", len(files), err)
	}
	dir := t.TempDir()
	causes := map[string]string{} // by recording
	var recordings []string
	for _, file := range files {
		story, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		answer := story.Files[len(story.Files)-1].Data
		first, _, _ := strings.Cut(string(answer), "\n")
		cause, unschedulable := strings.CutPrefix(first, "unschedulable: ")
		if len(story.Files) != 2 || !unschedulable || len(recordings) >= 60 { // others have feature gates, or no cause
			continue
		}
		yaml := filepath.Join(dir, "cluster.yaml")
		if err := os.WriteFile(yaml, story.Files[0].Data, 0o644); err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".txtar") + ".orrery"
		c := command(framework.Registry{})
		c.SetOut(&bytes.Buffer{})
		c.SetErr(&bytes.Buffer{})
		c.SetArgs([]string{"trace", "import", yaml, "--out", filepath.Join(dir, name)})
		if err := c.Execute(); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		causes[name] = cause
		recordings = append(recordings, filepath.Join(dir, name))
	}
	a := &assistant{t, AssistantSession(t, recordings...)}
	named, fixed := 0, 0
	for _, path := range recordings {
		name := filepath.Base(path)
		source := map[string]any{"source": name}
		pod := a.ask("explain_pod", with(source, "pod", "default/web"))
		if summary := textAt(pod.Answer, "summary"); summary == causes[name] {
			named++
		} else {
			t.Logf("%s: the cause is %q, want %q", name, summary, causes[name])
		}
		remedies, _ := at(pod.Answer, "remedies").([]any)
		for i := range remedies {
			if places, _ := at(remedies, i, "places").(bool); !places {
				continue
			}
			tried := a.ask("what_if", with(source, "changes", []any{textAt(remedies, i, "change")}))
			changed, _ := at(tried.Answer, "pods").([]any)
			ok := false
			for j := range changed {
				ok = ok || textAt(changed, j, "pod", "name") == "web" && textAt(changed, j, "with", "node") != ""
			}
			if fixed++; !ok {
				t.Errorf("%s: %q does not place the pod: %s", name, textAt(remedies, i, "change"), textAt(tried.Answer, "summary"))
			}
			break
		}
	}
	if named < 40 || fixed < 20 {
		t.Errorf("the cause of %d pods is named, and of %d a fix that works, of %d", named, fixed, len(recordings))
	}
	t.Logf("the cause of %d pods is named, and of %d a fix that works, of %d", named, fixed, len(recordings))
}
