package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPictures_UpToDate(t *testing.T) {
	if err := write(".", true, pictures); err != nil {
		t.Error(err)
	}
}

func TestPictures_AllShown(t *testing.T) {
	files, err := filepath.Glob("*.svg")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != len(pictures) {
		t.Errorf("there are %d pictures, and %d are drawn", len(files), len(pictures))
	}
	screen, err := os.ReadFile(filepath.Join("..", "screen.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range pictures {
		if !strings.Contains(string(screen), "pictures/"+s.file+".svg") {
			t.Errorf("docs/screen.md does not show %s", s.file)
		}
	}
}

// TestReadme_OpensWithTheOrrery checks the README's first picture, which moves, and its size.
func TestReadme_OpensWithTheOrrery(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, first, _ := strings.Cut(string(readme), "![")
	_, first, _ = strings.Cut(first, "](")
	if first, _, _ = strings.Cut(first, ")"); first != "docs/pictures/orrery.svg" {
		t.Errorf("the first picture is %s", first)
	}
	const most = 400_000
	picture, err := os.ReadFile("orrery.svg")
	if err != nil {
		t.Fatal(err)
	}
	if len(picture) > most || !strings.Contains(string(picture), "<animate ") {
		t.Errorf("it has %d bytes, want a moving picture of at most %d", len(picture), most)
	}
}

func TestWrite_CheckFindsDifference(t *testing.T) {
	folder := t.TempDir()
	if err := write(folder, false, pictures[:1]); err != nil {
		t.Fatal(err)
	}
	if err := write(folder, true, pictures[:1]); err != nil {
		t.Error(err)
	}
	path := filepath.Join(folder, pictures[0].file+".svg")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := write(folder, true, pictures[:1]); err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "make docs") {
		t.Errorf("the error is %v", err)
	}
}
