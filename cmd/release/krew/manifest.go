// Package krew writes the manifest by which krew, the package manager for plugins of kubectl, installs a release.
package krew

import (
	"bytes"
	_ "embed"
	"fmt"
	"text/template"

	"orrery/cmd/release/platform"
)

//go:embed orrery.yaml
var text string

// Name is the plugin's, and with .yaml that of the manifest's file: krew wants them the same.
const Name = "orrery"

// Archive is where one platform's archive is.
type Archive struct {
	Platform platform.Platform
	// URL is where the archive will be, SHA256 its sum in hexadecimal, and Folder the folder in it.
	URL, SHA256, Folder string
}

// Executable is the plugin in the archive.
func (a Archive) Executable() string { return a.Platform.Executable(Name) }

// Manifest returns the manifest of a version.
func Manifest(version string, archives []Archive) ([]byte, error) {
	filled, err := template.New(Name + ".yaml").Parse(text)
	if err != nil {
		return nil, fmt.Errorf("reading the template of the krew manifest: %w", err)
	}
	var b bytes.Buffer
	err = filled.Execute(&b, struct {
		Name, Version string
		Archives      []Archive
	}{Name, version, archives})
	if err != nil {
		return nil, fmt.Errorf("filling in the krew manifest: %w", err)
	}
	return b.Bytes(), nil
}
