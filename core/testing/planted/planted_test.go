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
	if wrong, err := os.ReadFile(overlay.Replace[file]); err != nil || string(wrong) != "a - b; a" {
		t.Errorf("the build reads %q, %v", wrong, err)
	}
	if right, _ := os.ReadFile(file); string(right) != "a + b; a" {
		t.Errorf("the tree has changed: %q", right)
	}
}

func TestMistake_NeedsOnePlace(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "sum.go"), []byte("a + a"), 0o600); err != nil {
		t.Fatal(err)
	}
	for from, want := range map[string]string{"a": "2 times", "b": "0 times"} {
		_, err := planted.Mistake{Name: "sum", File: "sum.go", From: from}.Overlay(root, t.TempDir())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", from, err)
		}
	}
}
