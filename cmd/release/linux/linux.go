// Package linux writes packages for Debian and for Fedora and their like: deb and rpm. The same files give the same bytes.
package linux

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// File is a file to install, or a link.
type File struct {
	Path    string // with slashes, from the root: usr/bin/orrery
	Mode    fs.FileMode
	Content []byte
	Link    string // what it leads to, if it is one
}

// Package is what is installed.
type Package struct {
	// Name is the program's, Version like v1.2.3, Arch Go's word for the processor.
	Name, Version, Arch string
	// Summary is a line, Home the address of the project, License its SPDX identifier.
	Summary, Home, License string
	// Maintainer is who the package says made it.
	Maintainer string
	At         time.Time
	Files      []File
}

// number is the version in the words of package managers, to which v1.2.3-rc.1 is later than v1.2.3 unless it has a tilde.
func (p Package) number() string {
	return strings.Replace(strings.TrimPrefix(p.Version, "v"), "-", "~", 1)
}

// sorted returns the files by path.
func (p Package) sorted() []File {
	return slices.SortedFunc(slices.Values(p.Files), func(a, b File) int { return strings.Compare(a.Path, b.Path) })
}

// folders returns the folders that files are in, each after the one that it is in.
func folders(files []File) []string {
	var all []string
	for _, f := range files {
		for dir := path.Dir(f.Path); dir != "."; dir = path.Dir(dir) {
			all = append(all, dir)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
