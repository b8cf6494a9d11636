package sbom

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	cyclonedx "github.com/CycloneDX/cyclonedx-go"

	"orrery/cmd/release/build"
	"orrery/cmd/release/licenses"
	"orrery/cmd/release/platform"
	"orrery/cmd/release/sbom/sbomtest"
)

// program returns testdata/program, built once.
func program(t *testing.T) Executable {
	t.Helper()
	e, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

var built = sync.OnceValues(func() (Executable, error) {
	here := platform.Platform{OS: runtime.GOOS, Arch: runtime.GOARCH}
	e := Executable{Name: "orrery", Version: "v1.2.3", Platform: here, Licenses: []string{"Apache-2.0"}, At: time.Unix(1_700_000_000, 0)}
	dir, err := os.MkdirTemp("", "orrery-sbom-")
	if err != nil {
		return e, err
	}
	defer os.RemoveAll(dir)
	p, file := build.Program{Dir: ".", Package: "./testdata/program", Variable: "main.version", Version: "v1.2.3"}, filepath.Join(dir, "program")
	if err = p.Executable(context.Background(), here, file); err != nil {
		return e, err
	}
	if e.Content, err = os.ReadFile(file); err != nil {
		return e, err
	}
	if e.Packages, err = p.Packages(context.Background(), here); err != nil {
		return e, err
	}
	goroot, goVersion, err := p.Toolchain(context.Background())
	if err != nil {
		return e, err
	}
	e.Modules, err = licenses.Find(e.Packages, goroot, goVersion)
	return e, err
})

func document(t *testing.T, e Executable) *cyclonedx.BOM {
	t.Helper()
	text, err := e.Document()
	if err != nil {
		t.Fatal(err)
	}
	sbomtest.Validate(t, text)
	var bom cyclonedx.BOM
	if err := cyclonedx.NewBOMDecoder(bytes.NewReader(text), cyclonedx.BOMFileFormatJSON).Decode(&bom); err != nil {
		t.Fatal(err)
	}
	return &bom
}

func TestDocument_HasModulesOfExecutable(t *testing.T) {
	e := program(t)
	bom := document(t, e)
	main := bom.Metadata.Component
	if !strings.HasPrefix(main.PackageURL, "pkg:golang/orrery@v1.2.3?goarch=") || len((*main.Hashes)[0].Value) != 64 || (*main.Licenses)[0].License.ID != "Apache-2.0" {
		t.Errorf("the executable is %+v", main)
	}
	if bom.Metadata.Timestamp != "2023-11-14T22:13:20Z" {
		t.Errorf("it is of %s", bom.Metadata.Timestamp)
	}
	var got []string
	for _, c := range *bom.Components {
		url, _, _ := strings.Cut(c.PackageURL, "@")
		got = append(got, c.Name+" "+url+" "+(*c.Licenses)[0].License.ID)
		if sums := c.Hashes != nil && len((*c.Hashes)[0].Value) == 64; sums == (c.Name == licenses.Standard) || c.Version == "" {
			t.Errorf("the module %s has the version %q and sums %v", c.Name, c.Version, sums)
		}
	}
	want := []string{
		"github.com/CycloneDX/cyclonedx-go pkg:golang/github.com/CycloneDX/cyclonedx-go Apache-2.0",
		"github.com/package-url/packageurl-go pkg:golang/github.com/package-url/packageurl-go MIT",
		"stdlib pkg:golang/stdlib BSD-3-Clause",
	}
	if !slices.Equal(got, want) {
		t.Errorf("it has %q, want %q", got, want)
	}
}

func TestDocument_LinksModulesByImports(t *testing.T) {
	bom := document(t, program(t))
	name := map[string]string{bom.Metadata.Component.BOMRef: "orrery"}
	for _, c := range *bom.Components {
		name[c.BOMRef] = c.Name
	}
	var got []string
	for _, d := range *bom.Dependencies {
		if d.Dependencies == nil {
			continue
		}
		for _, on := range *d.Dependencies {
			got = append(got, name[d.Ref]+" on "+name[on])
		}
	}
	slices.Sort(got)
	want := []string{
		"github.com/CycloneDX/cyclonedx-go on stdlib", "github.com/package-url/packageurl-go on stdlib",
		"orrery on github.com/CycloneDX/cyclonedx-go", "orrery on github.com/package-url/packageurl-go", "orrery on stdlib",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the modules depend: %q, want %q", got, want)
	}
}

func TestDocument_IsTheSameAgain(t *testing.T) {
	e := program(t)
	first, err := e.Document()
	if err != nil {
		t.Fatal(err)
	}
	for range 20 { // maps are ranged over in random order
		if again, _ := e.Document(); !bytes.Equal(first, again) {
			t.Fatal("two documents of one executable differ")
		}
	}
}

func TestDocument_RefusesWhatItCannotDescribe(t *testing.T) {
	e := program(t)
	e.Modules = e.Modules[1:]
	if _, err := e.Document(); err == nil || !strings.Contains(err.Error(), "the source has changed") {
		t.Errorf("without the terms of a module: error %v", err)
	}
	e.Content = []byte("#!/bin/sh\n")
	if _, err := e.Document(); err == nil || !strings.Contains(err.Error(), "reading what is in orrery for ") {
		t.Errorf("of a script: error %v", err)
	}
}
