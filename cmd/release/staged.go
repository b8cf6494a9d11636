package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// staged is the folder of a release while it is made.
type staged struct{ dir string }

func (f staged) write(name string, content []byte) error {
	return os.WriteFile(filepath.Join(f.dir, name), content, 0o644)
}

// file is a file in it, with its sum.
type file struct{ name, sum string }

// files returns all of them, by name.
func (f staged) files() (all []file, err error) {
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		content, err := os.ReadFile(filepath.Join(f.dir, e.Name()))
		if err != nil {
			return nil, err
		}
		all = append(all, file{e.Name(), sum(content)})
	}
	return all, nil
}

// sums returns the sums of all of them, as sha256sum -c reads them.
func (f staged) sums() ([]byte, error) {
	all, err := f.files()
	var b strings.Builder
	for _, one := range all {
		fmt.Fprintf(&b, "%s  %s\n", one.sum, one.name)
	}
	return []byte(b.String()), err
}
