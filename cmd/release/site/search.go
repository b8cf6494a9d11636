package site

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// entry is a section that can be found: where it is, the page's title, its own, and its words.
type entry struct {
	At    string `json:"a"`
	Page  string `json:"p"`
	Title string `json:"t"`
	Text  string `json:"x"`
}

// search returns what site.js looks into, as a script: a page that is a file may load no other kind of file.
func (s *Site) search() ([]byte, error) {
	var all []entry
	for _, name := range slices.Sorted(maps.Keys(s.pages)) {
		p := s.pages[name]
		for _, part := range p.sections {
			at := p.target
			if part.anchor != "" {
				at += "#" + part.anchor
			}
			all = append(all, entry{at, p.title, part.title, strings.Join(strings.Fields(part.text), " ")})
		}
	}
	text, err := json.Marshal(all)
	if err != nil {
		return nil, fmt.Errorf("writing the search: %w", err)
	}
	return append(append([]byte("window.orrerySections = "), text...), ';', '\n'), nil
}
