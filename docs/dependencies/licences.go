package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// licences are those that are allowed, each with words that it alone has, in lower case and single-spaced.
var licences = []struct{ name, words string }{
	{"Apache-2.0", "apache license version 2.0, january 2004"},
	{"BSD-3-Clause", "used to endorse or promote products derived from this software without specific prior written permission"},
	{"BSD-2-Clause", "in binary form must reproduce the above copyright notice, this list of conditions and the following disclaimer in the documentation and/or other materials provided with the distribution. this software is provided by"},
	{"ISC", "this software for any purpose with or without fee is hereby granted, provided that the above copyright notice"},
	{"MIT", "permission is hereby granted, free of charge, to any person obtaining a copy"},
	{"MPL-2.0", "mozilla public license version 2.0"},
}

// licencesIn recognizes the licences of a text.
func licencesIn(text string) (names []string) {
	text = strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return unicode.IsSpace(r) || r == '*' }), " ")
	for _, l := range licences {
		if strings.Contains(text, l.words) {
			names = append(names, l.name)
		}
	}
	return names
}

// licencesOf recognizes the licences of a module by the files in its folder.
func licencesOf(module, dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("looking for the licence of %s: %w", module, err)
	}
	var names []string
	for _, e := range entries {
		if upper := strings.ToUpper(e.Name()); e.IsDir() || !strings.HasPrefix(upper, "LICEN") && !strings.HasPrefix(upper, "COPYING") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, fmt.Errorf("reading the licence of %s: %w", module, err)
		}
		names = append(names, licencesIn(string(text))...)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s has no licence that is known and allowed: look into %s", module, dir)
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}
