package licenses_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"orrery/cmd/release/build"
	"orrery/cmd/release/licenses"
	"orrery/cmd/release/platform"
)

const isc = `Copyright (c) 2020 Somebody

Permission to use, copy, modify, and/or distribute this software for any
purpose with or without fee is hereby granted, provided that the above
copyright notice and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES
WITH REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF
MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR
ANY SPECIAL, DIRECT, INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES
WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN
ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF
OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THIS SOFTWARE.
`

func apache(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../../LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// modules writes files in folders of modules, and returns a package for each path.
func modules(t *testing.T, files map[string]string, packages ...string) []build.Package {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var all []build.Package
	for _, path := range packages {
		name, _, _ := strings.Cut(path, "/")
		p := build.Package{ImportPath: path, Dir: filepath.Join(root, path), Module: &build.Module{Path: name, Version: "v1", Dir: filepath.Join(root, name), Main: name == "main"}}
		if name == "go" {
			p.Standard, p.Module = true, nil
		}
		all = append(all, p)
	}
	return all
}

// told is what is found, in lines.
func told(all []licenses.Module) []string {
	var lines []string
	for _, m := range all {
		var files []string
		for _, text := range m.Texts {
			files = append(files, text.File)
		}
		lines = append(lines, m.Path+" "+m.Version+" "+strings.Join(m.IDs, "+")+": "+strings.Join(files, " "))
	}
	return lines
}

func TestFind_ReadsTermsOfLinkedPackages(t *testing.T) {
	packages := modules(t, map[string]string{
		"a/LICENSE": isc, "a/NOTICE.txt": "a notice", "a/license.go": "package a", "a/linked/in.go": "",
		"ab/COPYING": isc, "ab/fork/deep/LICENSE-APACHE": apache(t), "ab/fork/unused/LICENSE": "secret", "ab/fork/deep/code/in.go": "",
		"go/LICENSE": isc, "go/src/boring/LICENSE": apache(t), "main/LICENSE": isc, "main/in.go": "",
	}, "a", "a/linked", "ab/fork/deep/code", "go/src/boring", "main")
	all, err := licenses.Find(packages, filepath.Join(filepath.Dir(packages[0].Module.Dir), "go"), "go1.26")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"a v1 ISC: LICENSE NOTICE.txt", "ab v1 Apache-2.0+ISC: COPYING fork/deep/LICENSE-APACHE", "stdlib go1.26 ISC: LICENSE"}
	if got := told(all); !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}

func TestFind_RefusesModuleWithoutKnownLicense(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"no file":           {"m/p/in.go": ""},
		"another text":      {"m/LICENSE": "All rights reserved.", "m/p/in.go": ""},
		"a notice alone":    {"m/NOTICE": isc, "m/p/in.go": ""},
		"one link":          {"m/LICENSE": "https://opensource.org/licenses/MIT", "m/p/in.go": ""},
		"of a package only": {"m/q/LICENSE": isc, "m/p/in.go": ""},
	} {
		_, err := licenses.Find(modules(t, files, "m/p"), "", "")
		if err == nil || !strings.Contains(err.Error(), "finding the license of m: no license is known in the ") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestTerms_HasEqualTextsOnce(t *testing.T) {
	text := string(licenses.Terms("orrery", []licenses.Module{
		{Path: "a", Version: "v1", IDs: []string{"ISC"}, Texts: []licenses.Text{{"LICENSE", isc}}},
		{Path: "b", IDs: []string{"ISC", "MIT"}, Texts: []licenses.Text{{"LICENSE", isc}, {"NOTICE", "b's notice"}}},
	}))
	if strings.Count(text, isc) != 1 || strings.Count(text, "b's notice") != 1 {
		t.Errorf("a text is not there once:\n%s", text)
	}
	for _, want := range []string{"\n  a v1: ISC\n", "\n  b (local): ISC, MIT\n", "\na: LICENSE\nb: LICENSE\n\nCopyright (c) 2020", "\nb: NOTICE\n\nb's"} {
		if !strings.Contains(text, want) {
			t.Errorf("it lacks %q:\n%s", want, text)
		}
	}
}

// TestFind_KnowsAllOfOrrery fails when Orrery gets a module without a known license.
func TestFind_KnowsAllOfOrrery(t *testing.T) {
	p := build.Program{Dir: "../../..", Package: "./cmd/orrery"}
	packages, err := p.Packages(t.Context(), platform.Platform{OS: runtime.GOOS, Arch: runtime.GOARCH})
	if err != nil {
		t.Fatal(err)
	}
	goroot, goVersion, err := p.Toolchain(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all, err := licenses.Find(packages, goroot, goVersion)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 50 {
		t.Errorf("%d modules were found", len(all))
	}
	// None of these asks for the source of what it is linked with.
	reviewed := []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT"}
	for _, m := range all {
		for _, id := range m.IDs {
			if !slices.Contains(reviewed, id) {
				t.Errorf("%s is under %s, which is not among %q: what does it ask for?", m.Path, id, reviewed)
			}
		}
	}
}
