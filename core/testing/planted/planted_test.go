package planted_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"orrery/core/testing/planted"
)

func TestMistake_Overlay(t *testing.T) {
	root := t.TempDir()
	file := filepath.Join(root, "sum.go")
	if err := os.WriteFile(file, []byte("a + b; a"), 0o600); err != nil {
		t.Fatal(err)
	}
	list, err := planted.Mistake{Name: "sum", File: "sum.go", From: "+ b", To: "- b"}.Overlay(root, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	var overlay struct{ Replace map[string]string }
	if err := json.Unmarshal(text, &overlay); err != nil {
		t.Fatal(err)
	}
	if built, err := os.ReadFile(overlay.Replace[file]); err != nil || string(built) != "a - b; a" {
		t.Errorf("the build reads %q, %v", built, err)
	}
	if right, _ := os.ReadFile(file); string(right) != "a + b; a" {
		t.Errorf("the tree has changed: %q", right)
	}
}

func TestCheck_NamesAndChanges(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "sum.go"), []byte("a + b"), 0o600); err != nil {
		t.Fatal(err)
	}
	right := planted.Mistake{Name: "sum", File: "sum.go", From: "+", To: "-"}
	if err := planted.Check(root, []planted.Mistake{right}); err != nil {
		t.Errorf("a list without fault: %v", err)
	}
	idle := planted.Mistake{Name: "idle", File: "sum.go", From: "a", To: "a"}
	err := planted.Check(root, []planted.Mistake{right, right, idle})
	for _, want := range []string{`two mistakes are called "sum"`, `"idle": it changes nothing`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %s, got %v", want, err)
		}
	}
}

func TestMistake_NeedsOnePlace(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "sum.go"), []byte("a + a"), 0o600); err != nil {
		t.Fatal(err)
	}
	for from, want := range map[string]string{"a": "2 times", "b": "0 times"} {
		m := planted.Mistake{Name: "sum", File: "sum.go", From: from}
		if _, err := m.Overlay(root, t.TempDir()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", from, err)
		}
		if err := planted.Check(root, []planted.Mistake{m}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("checking %q: %v", from, err)
		}
	}
}
