package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"orrery/cmd/release/platform"
	"orrery/cmd/release/sbom/sbomtest"
)

// tiny is a module in Orrery's place, which is built in a second. It has a dependency, whose license is not its own.
var tiny = map[string]string{
	"go.mod":            "module orrery\n\ngo 1.26\n\nrequire example.com/dep v0.0.0\n\nreplace example.com/dep => ./dep\n",
	"dep/go.mod":        "module example.com/dep\n\ngo 1.26\n",
	"dep/NOTICE":        "dep's notice\n",
	"dep/dep.go":        "package dep\n\nconst Shells = \"completes \"\n",
	"cmd/app/app.go":    "package app\n\nvar release string\n\nfunc Version() string { return release }\n",
	"cmd/orrery/cgo.go": "//go:build cgo\n\npackage main\n\nfunc init() { println(\"cgo\") }\n",
	"cmd/orrery/main.go": `package main

import (
	"os"

	"example.com/dep"
	"orrery/cmd/app"
)

func main() {
	if len(os.Args) == 3 && os.Args[1] == "completion" {
		os.Stdout.WriteString(dep.Shells + os.Args[2])
		return
	}
	os.Stdout.WriteString(app.Version())
}
`,
	"README.md":                             "Orrery\n",
	"docs/commands/orrery.md":               "<!-- written -->\n# orrery\n\nIt watches.\n\n## Usage\n\nNone.\n",
	"cmd/deploy/chart/Chart.yaml":           "apiVersion: v2\nname: orrery\nversion: 0.0.0\n",
	"cmd/deploy/kustomize/base/orrery.yaml": "image: \"orrery:devel\"\n",
	"CHANGELOG.md":                          "# Changelog\n\n## [Unreleased]\n\n## [1.2.3] - 2026-11-29\n\n### Added\n\n- A command.\n",
}

// tinySource writes the tiny module into a new directory, with the license of this one.
func tinySource(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	license, err := os.ReadFile("../../LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "LICENSE", string(license))
	write(t, dir, "dep/LICENSE", string(license))
	for name, content := range tiny {
		write(t, dir, name, content)
	}
	return dir
}

func write(t *testing.T, dir, name, content string) {
	t.Helper()
	file := filepath.Join(dir, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(content), 0o644)); err != nil {
		t.Fatal(err)
	}
}

var (
	here    = platform.Platform{OS: runtime.GOOS, Arch: runtime.GOARCH}
	windows = platform.Platform{OS: "windows", Arch: "amd64"}
	testURL = "https://example.com/orrery/v1.2.3"
)

// tinyRelease is a release of the tiny module, and what it says but for its progress, which depends on what is compiled already.
func tinyRelease(t *testing.T, platforms ...platform.Platform) (*release, *[]string) {
	said := &[]string{}
	return &release{
		version: "v1.2.3", url: testURL, home: "https://example.com/orrery", source: tinySource(t), out: filepath.Join(t.TempDir(), "dist"), at: time.Unix(1_700_000_000, 0),
		platforms: platforms, say: func(line string) {
			if !strings.HasSuffix(line, "are compiled") {
				*said = append(*said, line)
			}
		},
	}, said
}

// folder returns the files in a directory, but for those in others.
func folder(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() {
			continue
		}
		if files[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

func names[V any](of map[string]V) []string {
	var all []string
	for name := range of {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

func TestArchives_AreTheSameInAnotherDirectory(t *testing.T) {
	var made []map[string][]byte
	for range 2 {
		r, said := tinyRelease(t, here, windows)
		t.Setenv("GOFLAGS", "-tags=cgo") // the caller's settings change nothing
		if err := r.archives(t.Context()); err != nil {
			t.Fatal(err)
		}
		if left := names(folder(t, filepath.Join(r.out, "v1.2.3"))); len(left) != 14 || len(*said) != 10 {
			t.Errorf("it made %q, and said %q", left, *said)
		}
		if entries, _ := os.ReadDir(r.out); len(entries) != 1 {
			t.Errorf("it left %v", entries)
		}
		made = append(made, folder(t, filepath.Join(r.out, "v1.2.3")))
	}
	for name, content := range made[0] {
		if !bytes.Equal(content, made[1][name]) {
			t.Errorf("two releases of one source have different %s", name)
		}
	}
	if got := string(made[0][notesFile]); got != "# 1.2.3 - 2026-11-29\n\n### Added\n\n- A command.\n" {
		t.Errorf("the notes are %q", got)
	}
	unpacked := checkArchives(t, made[0])
	checkTerms(t, string(unpacked[licensesFile]))
	for name, content := range made[0] {
		if strings.HasSuffix(name, ".cdx.json") {
			sbomtest.Validate(t, content)
			if !bytes.Contains(content, []byte(`"name": "example.com/dep"`)) {
				t.Errorf("%s does not name the dependency", name)
			}
		}
	}
	checkSums(t, made[0])
}

// checkArchives unpacks the archives and returns the files of the one for this platform.
func checkArchives(t *testing.T, made map[string][]byte) map[string][]byte {
	t.Helper()
	ours := "orrery_v1.2.3_" + here.OS + "_" + here.Arch
	unpacked := untar(t, made[ours+".tar.gz"])
	want := []string{"LICENSE", "README.md", licensesFile, "completions/_orrery", "completions/orrery.bash", "completions/orrery.fish", "completions/orrery.ps1", "man/orrery.1", "orrery"}
	for i, name := range want {
		want[i] = ours + "/" + name
	}
	if got := names(unpacked); !slices.Equal(got, want) {
		t.Errorf("the archive has %q, want %q", got, want)
	}
	files := map[string][]byte{}
	for name, content := range unpacked {
		files[strings.TrimPrefix(name, ours+"/")] = content
	}
	if got := string(files["completions/_orrery"]); got != "completes zsh" {
		t.Errorf("the completion for zsh is %q", got)
	}
	program := filepath.Join(t.TempDir(), "orrery")
	if err := os.WriteFile(program, files["orrery"], 0o755); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(program).CombinedOutput(); err != nil || string(out) != "v1.2.3" {
		t.Errorf("the program in it says %q, %v", out, err)
	}
	theirs := made["orrery_v1.2.3_windows_amd64.zip"]
	packed, err := zip.NewReader(bytes.NewReader(theirs), int64(len(theirs)))
	if err != nil {
		t.Fatal(err)
	}
	if last := packed.File[len(packed.File)-1].Name; len(packed.File) != len(want) || last != "orrery_v1.2.3_windows_amd64/orrery.exe" {
		t.Errorf("the archive for Windows has %d files, the last %s", len(packed.File), last)
	}
	return files
}

func untar(t *testing.T, archive []byte) map[string][]byte {
	t.Helper()
	plain, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for packed := tar.NewReader(plain); ; {
		h, err := packed.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[h.Name], err = io.ReadAll(packed); err != nil {
			t.Fatal(err)
		}
	}
}

func checkTerms(t *testing.T, terms string) {
	t.Helper()
	for _, want := range []string{"  example.com/dep (local): Apache-2.0\n", "  stdlib " + runtime.Version() + ": BSD-3-Clause\n", "dep's notice\n", "Apache License"} {
		if !strings.Contains(terms, want) {
			t.Errorf("%s lacks %q", licensesFile, want)
		}
	}
}

// checkSums checks the sums that are told, in the list and to krew.
func checkSums(t *testing.T, made map[string][]byte) {
	t.Helper()
	listed := map[string]string{}
	for line := range strings.Lines(string(made[sumsFile])) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		listed[name] = sum
	}
	for name, content := range made {
		if name != sumsFile && listed[name] != sum(content) {
			t.Errorf("%s has the sum %s, listed is %q", name, sum(content), listed[name])
		}
		if name != "orrery_v1.2.3_kustomize.tar.gz" && (strings.HasSuffix(name, ".tar.gz") || strings.HasSuffix(name, ".zip")) {
			want := "    uri: \"" + testURL + "/" + name + "\"\n    sha256: " + sum(content) + "\n"
			if !strings.Contains(string(made[manifest]), want) {
				t.Errorf("the krew manifest lacks %q:\n%s", want, made[manifest])
			}
		}
	}
	if len(listed) != len(made)-1 {
		t.Errorf("%d files of %d are listed", len(listed), len(made)-1)
	}
}

func TestArchives_ReplaceOnlyByWholeOnes(t *testing.T) {
	r, _ := tinyRelease(t, here, windows)
	earlier := filepath.Join(r.out, "v1.2.3")
	write(t, earlier, "kept", "")
	for _, tt := range []struct{ file, content, want string }{
		{"cmd/orrery/unused.go", "package main\n\nimport \"fmt\"\n\nfunc unused() { fmt.Printf(\"%d\", \"text\") }\n", "running go vet for " + here.String()},
		{"cmd/orrery/unused.go", "package main\n\nfunc unused() { return 1 }\n", "running go build for "},
		{"cmd/orrery/x_windows.go", "package main\n\nfunc unused() { return 1 }\n", "running go build for windows/amd64"},
		{"dep/LICENSE", "all rights reserved", "finding the license of example.com/dep: no license is known"},
	} {
		write(t, r.source, tt.file, tt.content)
		if err := r.archives(t.Context()); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: error %v", tt.file, err)
		}
		if strings.HasSuffix(tt.file, ".go") {
			write(t, r.source, tt.file, "package main\n")
		}
		if entries, err := os.ReadDir(r.out); err != nil || len(entries) != 1 || len(folder(t, earlier)) != 1 {
			t.Errorf("%s: it left %v, %v", tt.file, entries, err)
		}
	}
	write(t, r.source, "dep/LICENSE", string(folder(t, r.source)["LICENSE"]))
	if err := r.archives(t.Context()); err != nil {
		t.Error(err)
	}
	if got := folder(t, earlier); got["kept"] != nil || len(got) != 14 {
		t.Errorf("of an earlier release there is %q", names(got))
	}
}

func TestArchives_NeedNotes(t *testing.T) {
	r, _ := tinyRelease(t, here)
	r.version = "v1.2.4"
	if err := r.archives(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "CHANGELOG.md has no section for v1.2.4: ") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(r.out); !os.IsNotExist(err) {
		t.Errorf("it began to build, %v", err)
	}
}

func TestArchives_NeedProgramForThisPlatform(t *testing.T) {
	r, _ := tinyRelease(t, windows)
	if err := r.archives(t.Context()); err == nil || !strings.Contains(err.Error(), "completion files are made by the program itself") {
		t.Errorf("error %v", err)
	}
}

func TestCheckSize_RefusesLargeArchives(t *testing.T) {
	if err := checkSize("a.zip", 35_000_000); err != nil {
		t.Error(err)
	}
	if err := checkSize("a.zip", 35_000_001); err == nil || err.Error() != "a.zip would have 35000001 bytes: an archive has at most 35000000" {
		t.Errorf("error %v", err)
	}
}

func TestImage_IsTheSameInAnotherDirectory(t *testing.T) {
	const name = "orrery_v1.2.3_image.tar"
	var made []map[string][]byte
	for range 2 {
		r, said := tinyRelease(t, here)
		if err := r.image(t.Context()); err != nil {
			t.Fatal(err)
		}
		made = append(made, folder(t, r.out))
		if len(*said) != 2 || !strings.Contains((*said)[1], name+": orrery:v1.2.3, ") {
			t.Errorf("it said %q", *said)
		}
	}
	if got := names(made[0]); !slices.Equal(got, []string{name}) {
		t.Errorf("it made %q", got)
	}
	if !bytes.Equal(made[0][name], made[1][name]) || len(made[0][name]) == 0 {
		t.Error("two images of one source differ")
	}
}

func TestImageTag(t *testing.T) {
	for version, want := range map[string]string{"v1.2.3": "v1.2.3", "v1": "v1", "0a1b2c3-dirty": "devel", "": "devel"} {
		if got := imageTag(version); got != want {
			t.Errorf("%q: the tag is %q, want %q", version, got, want)
		}
	}
}

func TestRun_RefusesWrongUsage(t *testing.T) {
	for _, tt := range []struct {
		version, url, home, only, date string
		args                           []string
		want                           string
	}{
		{want: "got []"},
		{args: []string{"archives", "image"}, want: `got ["archives" "image"]`},
		{args: []string{"publish"}, want: `got ["publish"]`},
		{args: []string{"archives"}, want: `-version ""`},
		{version: "1.2.3", args: []string{"archives"}, want: `-version "1.2.3"`},
		{version: "v1.2", args: []string{"archives"}, want: `-version "v1.2"`},
		{version: "v1.02.3", args: []string{"archives"}, want: `-version "v1.02.3"`},
		{version: "v1.2.3/..", args: []string{"archives"}, want: `-version "v1.2.3/.."`},
		{version: "v1.2.3", home: "example.com", args: []string{"site"}, want: `-home "example.com"`},
		{version: "v1.2.3", only: "linux/amd64,plan9/arm", args: []string{"archives"}, want: `-platforms "linux/amd64,plan9/arm": "plan9/arm" is none of `},
		{version: "v1/..", args: []string{"site"}, want: `-version "v1/.."`},
		{version: "v1.2.3-rc.1", url: "example.com", args: []string{"archives"}, want: `-url "example.com"`},
		{version: "v1.2.3-0.20260101000000-abc", url: `https://x/"`, args: []string{"archives"}, want: `-url "https://x/\""`},
		{version: "../v1", args: []string{"image"}, want: `-version "../v1"`},
		{version: "v1.2.3+meta", args: []string{"image"}, want: `-version "v1.2.3+meta"`},
		{date: "yesterday", args: []string{"image"}, want: `SOURCE_DATE_EPOCH="yesterday"`},
		{date: "0", args: []string{"image"}, want: `SOURCE_DATE_EPOCH="0"`},
		{date: "999999999999", args: []string{"image"}, want: `SOURCE_DATE_EPOCH="999999999999"`},
	} {
		t.Setenv("SOURCE_DATE_EPOCH", tt.date)
		r := &release{version: tt.version, url: tt.url, home: cmp.Or(tt.home, "https://example.com/orrery"), only: tt.only, source: t.TempDir(), out: t.TempDir()}
		err := r.run(t.Context(), tt.args)
		if misuse := (usageError{}); !errors.As(err, &misuse) || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%+v: error %v", tt, err)
		}
	}
}

func TestSourceDate(t *testing.T) {
	for seconds, want := range map[string]string{"": "1980-01-01T00:00:00Z", "1700000000": "2023-11-14T22:13:20Z"} {
		if got, err := sourceDate(seconds); err != nil || got.Format(time.RFC3339) != want {
			t.Errorf("%q is %s, %v", seconds, got, err)
		}
	}
}
