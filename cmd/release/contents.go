package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"

	"orrery/cmd/release/archive"
	"orrery/cmd/release/licenses"
	"orrery/cmd/release/manual"
	"orrery/cmd/release/platform"
)

// Folders of the archives.
const (
	completionsFolder = "completions/"
	manualFolder      = "man/"
)

// completions are the files for shells, by the shell that the program makes them for.
var completions = []struct{ shell, file string }{
	{"bash", "orrery.bash"}, {"fish", "orrery.fish"}, {"powershell", "orrery.ps1"}, {"zsh", "_orrery"},
}

// contents are the files that every archive has.
type contents []archive.File

// named returns a file.
func (c contents) named(name string) archive.File {
	return c[slices.IndexFunc(c, func(f archive.File) bool { return f.Name == name })]
}

// licenses returns the SPDX identifiers of the program's own license.
func (c contents) licenses() []string { return licenses.IDs(c.named(licenseFile).Content) }

func (c contents) license() string { return strings.Join(c.licenses(), " AND ") }

// common returns the files that every archive has.
func (r *release) common(ctx context.Context, work string) (contents, error) {
	var all contents
	for _, name := range []string{licenseFile, readmeFile} {
		f, err := r.sourceFile(name)
		if err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	here := platform.Platform{OS: runtime.GOOS, Arch: runtime.GOARCH}
	if !slices.Contains(r.platforms, here) {
		return nil, fmt.Errorf("completion files are made by the program itself, and a release has none for %s: make it on one of %v", here, r.platforms)
	}
	for _, c := range completions {
		text, err := exec.CommandContext(ctx, executableIn(work, here), "completion", c.shell).Output()
		if err != nil || len(text) == 0 {
			return nil, fmt.Errorf("making the completion file for %s, of %d bytes: %w", c.shell, len(text), err)
		}
		all = append(all, archive.File{Name: completionsFolder + c.file, Mode: 0o644, Content: text})
	}
	pages, err := manual.Pages(os.DirFS(r.source), r.version, r.at)
	if err != nil {
		return nil, err
	}
	for _, page := range pages {
		page.Name = manualFolder + page.Name
		all = append(all, page)
	}
	return all, nil
}
