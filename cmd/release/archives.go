package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"orrery/cmd/release/archive"
	"orrery/cmd/release/krew"
	"orrery/cmd/release/licenses"
	"orrery/cmd/release/notes"
	"orrery/cmd/release/platform"
	"orrery/cmd/release/sbom"
)

const (
	// maxArchive is what an archive may have at most.
	maxArchive = 35_000_000
	sumsFile   = "SHA256SUMS"
	notesFile  = "RELEASE-NOTES.md"
	manifest   = krew.Name + ".yaml"
)

// completions are the files for shells, by the shell that the program makes them for.
var completions = []struct{ shell, file string }{
	{"bash", "orrery.bash"}, {"fish", "orrery.fish"}, {"powershell", "orrery.ps1"}, {"zsh", "_orrery"},
}

// archives makes the folder of the version. It appears whole or not at all, in place of an earlier one.
func (r *release) archives(ctx context.Context) error {
	changelog, err := r.sourceFile(notes.File)
	if err != nil {
		return err
	}
	changes, err := notes.Of(string(changelog.Content), r.version)
	if err != nil {
		return err
	}
	work, done, err := r.workspace()
	if err != nil {
		return err
	}
	defer done()
	staged, final := filepath.Join(work, "release"), filepath.Join(r.out, r.version)
	if err := os.Mkdir(staged, 0o755); err != nil {
		return err
	}
	var all []executable
	for _, on := range r.platforms {
		e, err := r.build(ctx, on, work)
		if err != nil {
			return err
		}
		if err := r.program().Vet(ctx, on); err != nil {
			return err
		}
		all = append(all, e)
		r.say(fmt.Sprintf("built and vetted %s for %s: %s", orrery, on, megabytes(int64(len(e.content)))))
	}
	common, err := r.common(ctx, work)
	if err != nil {
		return err
	}
	var plugin []krew.Archive
	for _, e := range all {
		one, err := r.archive(e, common, staged)
		if err != nil {
			return err
		}
		plugin = append(plugin, one)
	}
	text, err := krew.Manifest(r.version, plugin)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(staged, manifest), text, 0o644); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(staged, notesFile), []byte(changes), 0o644); err != nil {
		return err
	}
	if err := writeSums(staged); err != nil {
		return err
	}
	if err := os.RemoveAll(final); err != nil {
		return err
	}
	if err := os.Rename(staged, final); err != nil {
		return err
	}
	r.say("wrote " + final)
	r.say(manifest + " is for krew, which will look for the archives at " + r.url + " (RELEASE_URL)")
	return nil
}

// common returns the files that every archive has.
func (r *release) common(ctx context.Context, work string) ([]archive.File, error) {
	var all []archive.File
	for _, name := range []string{"LICENSE", "README.md"} {
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
		all = append(all, archive.File{Name: "completions/" + c.file, Mode: 0o644, Content: text})
	}
	return all, nil
}

// archive packs the archive of a platform, with what is in it beside it.
func (r *release) archive(e executable, common []archive.File, dir string) (krew.Archive, error) {
	folder := strings.Join([]string{orrery, r.version, e.OS, e.Arch}, "_")
	files := append([]archive.File{{Name: e.Executable(orrery), Mode: 0o755, Content: e.content}, e.terms()}, common...)
	slices.SortFunc(files, func(a, b archive.File) int { return strings.Compare(a.Name, b.Name) })
	name, pack := folder+".tar.gz", archive.TarGz
	if e.Windows() {
		name, pack = folder+".zip", archive.Zip
	}
	var packed bytes.Buffer
	if err := pack(&packed, folder, files, r.at); err != nil {
		return krew.Archive{}, err
	}
	if err := checkSize(name, packed.Len()); err != nil {
		return krew.Archive{}, err
	}
	license := slices.IndexFunc(common, func(f archive.File) bool { return f.Name == "LICENSE" })
	document, err := sbom.Executable{
		Name: orrery, Version: r.version, Platform: e.Platform, Licenses: licenses.IDs(common[license].Content), Content: e.content,
		Packages: e.packages, Modules: e.modules, At: r.at,
	}.Document()
	if err != nil {
		return krew.Archive{}, err
	}
	if err := os.WriteFile(filepath.Join(dir, folder+".cdx.json"), document, 0o644); err != nil {
		return krew.Archive{}, err
	}
	if err := os.WriteFile(filepath.Join(dir, name), packed.Bytes(), 0o644); err != nil {
		return krew.Archive{}, err
	}
	r.say(fmt.Sprintf("%s: %s", name, megabytes(int64(packed.Len()))))
	return krew.Archive{Platform: e.Platform, URL: strings.TrimSuffix(r.url, "/") + "/" + name, SHA256: sum(packed.Bytes()), Folder: folder}, nil
}

func checkSize(name string, bytes int) error {
	if bytes > maxArchive {
		return fmt.Errorf("%s would have %d bytes: an archive has at most %d", name, bytes, maxArchive)
	}
	return nil
}

func sum(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// writeSums writes the checksums of all files in a directory, as sha256sum -c reads them.
func writeSums(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, e := range entries {
		content, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s  %s\n", sum(content), e.Name())
	}
	return os.WriteFile(filepath.Join(dir, sumsFile), []byte(b.String()), 0o644)
}
