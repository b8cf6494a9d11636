// Package formula writes by what Homebrew and Scoop install a release from its archives.
package formula

import (
	"bytes"
	"embed"
	"fmt"
	"strings"
	"text/template"

	"orrery/cmd/release/krew"
)

//go:embed orrery.rb orrery.json
var texts embed.FS

// The names of the files, which both want to be the program's.
const (
	Homebrew = "orrery.rb"
	Scoop    = "orrery.json"
)

// words are those of Homebrew and Scoop for platforms.
var words = template.FuncMap{
	"systems":      func() []string { return []string{"darwin", "linux"} },
	"blockOf":      func(system string) string { return map[string]string{"darwin": "macos", "linux": "linux"}[system] },
	"homebrewName": func(arch string) string { return map[string]string{"amd64": "intel", "arm64": "arm"}[arch] },
	"scoopName":    func(arch string) string { return map[string]string{"amd64": "64bit", "arm64": "arm64"}[arch] },
}

// Release is what is installed.
type Release struct {
	// Version is like v1.2.3, Home the address of the project, License its SPDX identifier.
	Version, Home, License string
	Archives               []krew.Archive
}

// Number is the version without its v.
func (r Release) Number() string { return strings.TrimPrefix(r.Version, "v") }

// On returns the archives of an operating system.
func (r Release) On(system string) (all []krew.Archive) {
	for _, a := range r.Archives {
		if a.Platform.OS == system {
			all = append(all, a)
		}
	}
	return all
}

// Write returns the text of one of the files.
func (r Release) Write(name string) ([]byte, error) {
	t, err := template.New(name).Funcs(words).ParseFS(texts, name)
	if err != nil {
		return nil, fmt.Errorf("reading the template of %s: %w", name, err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, r); err != nil {
		return nil, fmt.Errorf("filling in %s: %w", name, err)
	}
	return b.Bytes(), nil
}
