package themes

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"orrery/core/safe/files"
)

// Folder returns the folder of the user's themes: $XDG_CONFIG_HOME/orrery/themes, or ~/.config/orrery/themes. It is
// empty if neither variable is set.
func Folder(getenv func(string) string) string {
	config := getenv("XDG_CONFIG_HOME")
	if config == "" && getenv("HOME") != "" {
		config = filepath.Join(getenv("HOME"), ".config")
	}
	if config == "" {
		return ""
	}
	return filepath.Join(config, "orrery", "themes")
}

// ReadFile reads a theme. Its errors name the file, the line and the field.
func ReadFile(path string) (*Theme, error) {
	data, err := files.Read(path, maxBytes)
	if err != nil {
		return nil, fmt.Errorf("reading a theme: %w", err)
	}
	t, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// ReadFolder reads the themes of a folder, *.yaml, in file order. A missing folder has none. It returns the themes that
// can be read together with the errors about the others, and about duplicate names.
func ReadFolder(folder string) ([]*Theme, error) {
	if folder == "" {
		return nil, nil
	}
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the themes: %w", err)
	}
	taken := map[string]string{}
	for _, t := range Shipped() {
		taken[t.Name] = "one that comes with the program"
	}
	var all []*Theme
	var errs []error
	for _, e := range entries {
		if ending := filepath.Ext(e.Name()); ending != ".yaml" && ending != ".yml" {
			continue
		}
		path := filepath.Join(folder, e.Name())
		t, err := ReadFile(path)
		if err == nil && taken[t.Name] != "" {
			err = fmt.Errorf("%s: name: %q is taken by %s", path, t.Name, taken[t.Name])
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		taken[t.Name] = path
		all = append(all, t)
	}
	return all, errors.Join(errs...)
}
