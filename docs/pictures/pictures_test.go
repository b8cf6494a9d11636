package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestThePicturesAreWhatTheRecordingsShow(t *testing.T) {
	if err := write(".", true, shots); err != nil {
		t.Error(err)
	}
}

func TestNoPictureIsLeftOver(t *testing.T) {
	files, err := filepath.Glob("*.svg")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != len(shots) {
		t.Errorf("there are %d pictures, and %d are drawn", len(files), len(shots))
	}
	screen, err := os.ReadFile(filepath.Join("..", "screen.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range shots {
		if !strings.Contains(string(screen), "pictures/"+s.file+".svg") {
			t.Errorf("docs/screen.md does not show %s", s.file)
		}
	}
}

func TestADifferentPictureIsNoticed(t *testing.T) {
	folder := t.TempDir()
	if err := write(folder, false, shots[:1]); err != nil {
		t.Fatal(err)
	}
	if err := write(folder, true, shots[:1]); err != nil {
		t.Error(err)
	}
	path := filepath.Join(folder, shots[0].file+".svg")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := write(folder, true, shots[:1]); err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "make pictures") {
		t.Errorf("the error is %v", err)
	}
}
