// Package sbom writes what an executable has in it as a CycloneDX document. The modules and their checksums are those that Go wrote into
// the executable, so that the document is of that file and not of what it should have been made from.
package sbom

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"maps"
	"path"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	cyclonedx "github.com/CycloneDX/cyclonedx-go"
	"github.com/package-url/packageurl-go"

	"orrery/cmd/release/build"
	"orrery/cmd/release/licenses"
	"orrery/cmd/release/platform"
)

// Executable is what a document is about.
type Executable struct {
	Name, Version string
	Platform      platform.Platform
	Licenses      []string // SPDX identifiers
	Content       []byte
	// Packages are those in it, and Modules the terms of theirs.
	Packages []build.Package
	Modules  []licenses.Module
	At       time.Time
}

// Document returns the document.
func (e Executable) Document() ([]byte, error) {
	info, err := buildinfo.Read(bytes.NewReader(e.Content))
	if err != nil {
		return nil, fmt.Errorf("reading what is in %s for %s: %w", e.Name, e.Platform, err)
	}
	goVersion, _, _ := strings.Cut(strings.TrimPrefix(info.GoVersion, "go"), " ")
	components := []cyclonedx.Component{component(&debug.Module{Path: licenses.Standard, Version: goVersion})}
	for _, m := range info.Deps {
		components = append(components, component(m))
	}
	for i := range components {
		c := &components[i]
		at := slices.IndexFunc(e.Modules, func(m licenses.Module) bool { return m.Path == c.Name })
		if at < 0 {
			return nil, fmt.Errorf("the module %s is in %s for %s, but not among its packages' modules: the source has changed", c.Name, e.Name, e.Platform)
		}
		c.Licenses = choices(e.Modules[at].IDs)
	}
	slices.SortFunc(components, func(a, b cyclonedx.Component) int { return strings.Compare(a.Name, b.Name) })
	main := e.component()
	bom := cyclonedx.NewBOM()
	bom.Metadata = &cyclonedx.Metadata{
		Timestamp: e.At.UTC().Format(time.RFC3339), Component: &main, Lifecycles: &[]cyclonedx.Lifecycle{{Phase: cyclonedx.LifecyclePhasePostBuild}},
		Tools: &cyclonedx.ToolsChoice{Components: &[]cyclonedx.Component{{Type: cyclonedx.ComponentTypeApplication, Name: "orrery/cmd/release", Version: e.Version}}},
	}
	bom.Components = &components
	bom.Dependencies = dependencies(main, components, e.Packages)
	var text bytes.Buffer
	// Scanners read this version; not all of them know the next one.
	if err := cyclonedx.NewBOMEncoder(&text, cyclonedx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bom, cyclonedx.SpecVersion1_6); err != nil {
		return nil, fmt.Errorf("writing what is in %s for %s: %w", e.Name, e.Platform, err)
	}
	return text.Bytes(), nil
}

// component is the executable.
func (e Executable) component() cyclonedx.Component {
	sum := sha256.Sum256(e.Content)
	url := packageurl.NewPackageURL(packageurl.TypeGolang, "", e.Name, e.Version,
		packageurl.Qualifiers{{Key: "goarch", Value: e.Platform.Arch}, {Key: "goos", Value: e.Platform.OS}}, "").ToString()
	return cyclonedx.Component{
		Type: cyclonedx.ComponentTypeApplication, BOMRef: url, PackageURL: url, Name: e.Name, Version: e.Version, Licenses: choices(e.Licenses),
		Hashes: &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: hex.EncodeToString(sum[:])}},
	}
}

// component is a module, with the sum that go.sum has.
func component(m *debug.Module) cyclonedx.Component {
	name := m.Path
	if m.Replace != nil {
		m = m.Replace
	}
	url := packageurl.NewPackageURL(packageurl.TypeGolang, strings.TrimPrefix(path.Dir(name), "."), path.Base(name), m.Version, nil, "").ToString()
	c := cyclonedx.Component{Type: cyclonedx.ComponentTypeLibrary, BOMRef: url, PackageURL: url, Name: name, Version: m.Version}
	if sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:")); err == nil && len(sum) == sha256.Size {
		c.Hashes = &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: hex.EncodeToString(sum)}}
	}
	return c
}

func choices(ids []string) *cyclonedx.Licenses {
	var all cyclonedx.Licenses
	for _, id := range ids {
		all = append(all, cyclonedx.LicenseChoice{License: &cyclonedx.License{ID: id}})
	}
	return &all
}

// dependencies returns which modules' packages import which others', as linked.
func dependencies(main cyclonedx.Component, components []cyclonedx.Component, packages []build.Package) *[]cyclonedx.Dependency {
	refs := map[string]string{}
	for _, c := range components {
		refs[c.Name] = c.BOMRef
	}
	refOf := map[string]string{} // by package
	for _, p := range packages {
		switch {
		case p.Standard:
			refOf[p.ImportPath] = refs[licenses.Standard]
		case p.Module == nil || p.Module.Main:
			refOf[p.ImportPath] = main.BOMRef
		default:
			refOf[p.ImportPath] = refs[p.Module.Path]
		}
	}
	on := map[string]map[string]bool{main.BOMRef: {}}
	for _, ref := range refs {
		on[ref] = map[string]bool{}
	}
	for _, p := range packages {
		if p.Standard { // it has copies of modules, under the names by which others import the modules
			continue
		}
		from := refOf[p.ImportPath]
		for _, imported := range p.Imports {
			if to := refOf[imported]; to != "" && to != from {
				on[from][to] = true
			}
		}
	}
	var all []cyclonedx.Dependency
	for _, ref := range slices.Sorted(maps.Keys(on)) {
		to := slices.Sorted(maps.Keys(on[ref]))
		all = append(all, cyclonedx.Dependency{Ref: ref, Dependencies: &to})
	}
	return &all
}
