package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	folder := flag.String("to", filepath.Join("docs", "pictures"), "the folder of the pictures")
	check := flag.Bool("check", false, "write nothing, and fail if there would be something to write")
	flag.Parse()
	if err := write(*folder, *check, pictures); err != nil {
		fmt.Fprintln(os.Stderr, "pictures:", err)
		os.Exit(1)
	}
}

// write draws the pictures, or compares them with the existing files.
func write(folder string, check bool, shots []picture) error {
	for _, s := range shots {
		picture, err := s.render()
		if err != nil {
			return fmt.Errorf("drawing %s: %w", s.file, err)
		}
		path := filepath.Join(folder, s.file+".svg")
		if check {
			if there, err := os.ReadFile(path); err != nil || !bytes.Equal(there, picture) {
				return fmt.Errorf("%s is not what the recordings show: make docs draws it anew", path)
			}
			continue
		}
		if err := os.WriteFile(path, picture, 0o644); err != nil {
			return fmt.Errorf("drawing %s: %w", s.file, err)
		}
	}
	return nil
}
