package licenses

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/licensecheck"

	"orrery/cmd/release/build"
)

// Module is a module and its terms.
type Module struct {
	Path, Version string
	// IDs are the SPDX identifiers of its licenses. All of them apply, each to a part of it.
	IDs   []string
	Texts []Text
}

// Text is a file with terms.
type Text struct{ File, Content string }

// Standard stands for Go's standard library where paths of modules are, as scanners for vulnerabilities call it.
const Standard = "stdlib"

var (
	// termsFile matches names of files with terms, as LICENSE-MIT, COPYING.txt and NOTICE.
	termsFile = regexp.MustCompile(`(?i)^(un)?(licen[cs]e|copying|notice|copyright|patents)([._-].*)?$`)
	// grantsFile matches those with a license.
	grantsFile = regexp.MustCompile(`(?i)^(un)?(licen[cs]e|copying)`)
)

// Find returns the modules of packages, sorted, with the standard library of the Go in a directory.
func Find(packages []build.Package, goroot, goVersion string) ([]Module, error) {
	modules := map[string]*build.Module{}
	folders := map[string]map[string]bool{} // by module
	for _, p := range packages {
		m := p.Module
		switch {
		case p.Standard:
			m = &build.Module{Path: Standard, Version: goVersion, Dir: goroot}
		case m == nil || m.Main:
			continue
		}
		if modules[m.Path] == nil {
			modules[m.Path], folders[m.Path] = m, map[string]bool{}
		}
		folders[m.Path][m.Dir] = true
		if p.Standard { // the license beside its BoringSSL is of objects that are linked by an experiment only
			continue
		}
		for folder := p.Dir; len(folder) > len(m.Dir); folder = filepath.Dir(folder) {
			folders[m.Path][folder] = true
		}
	}
	var all []Module
	for _, path := range slices.Sorted(maps.Keys(modules)) {
		m, err := terms(modules[path], slices.Sorted(maps.Keys(folders[path])))
		if err != nil {
			return nil, fmt.Errorf("finding the license of %s: %w", path, err)
		}
		all = append(all, m)
	}
	return all, nil
}

// terms reads the files with terms in folders of a module.
func terms(of *build.Module, folders []string) (Module, error) {
	m := Module{Path: of.Path, Version: of.Version}
	for _, folder := range folders {
		texts, err := textsIn(folder)
		if err != nil {
			return m, err
		}
		m.IDs = append(m.IDs, granted(texts)...)
		for _, t := range texts {
			name, err := filepath.Rel(of.Dir, filepath.Join(folder, t.File))
			if err != nil {
				return m, err
			}
			m.Texts = append(m.Texts, Text{filepath.ToSlash(name), t.Content})
		}
	}
	slices.Sort(m.IDs)
	m.IDs = slices.Compact(m.IDs)
	if len(m.IDs) == 0 {
		return m, fmt.Errorf("no license is known in the %d files with terms in %s", len(m.Texts), of.Dir)
	}
	return m, nil
}

// In returns the SPDX identifiers of the licenses in the files of a folder.
func In(folder string) ([]string, error) {
	texts, err := textsIn(folder)
	return granted(texts), err
}

// textsIn reads the files with terms in a folder.
func textsIn(folder string) (texts []Text, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if !e.Type().IsRegular() || !termsFile.MatchString(e.Name()) || filepath.Ext(e.Name()) == ".go" {
			continue
		}
		content, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return nil, err
		}
		texts = append(texts, Text{e.Name(), strings.TrimSpace(strings.ReplaceAll(string(content), "\r\n", "\n"))})
	}
	return texts, nil
}

// granted returns the identifiers of the licenses in those texts that have one.
func granted(texts []Text) (ids []string) {
	for _, t := range texts {
		if grantsFile.MatchString(t.File) {
			ids = append(ids, IDs([]byte(t.Content))...)
		}
	}
	return ids
}

// IDs returns the SPDX identifiers of the licenses in a text.
func IDs(text []byte) []string {
	var all []string
	for _, match := range licensecheck.Scan(text).Match {
		if !match.IsURL {
			all = append(all, match.ID)
		}
	}
	return all
}
