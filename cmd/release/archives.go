package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"orrery/cmd/release/archive"
	"orrery/cmd/release/attest"
	"orrery/cmd/release/formula"
	"orrery/cmd/release/krew"
	"orrery/cmd/release/notes"
	"orrery/cmd/release/sbom"
)

const (
	// maxArchive is what an archive may have at most.
	maxArchive = 35_000_000
	notesFile  = "RELEASE-NOTES.md"
	manifest   = krew.Name + ".yaml"
)

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
	key, err := r.signingKey() // before what takes an hour
	if err != nil {
		return err
	}
	work, done, err := r.workspace()
	if err != nil {
		return err
	}
	defer done()
	f := staged{filepath.Join(work, "release")}
	if err := os.Mkdir(f.dir, 0o755); err != nil {
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
	stated := statements{}
	for _, step := range []func() error{
		func() error { return r.pack(f, all, common, &stated) },
		func() error { return r.packages(f, all, common) },
		func() error { return r.deployments(f) },
		func() error { return f.write(notesFile, []byte(changes)) },
		func() error { return r.attest(ctx, f, key, stated) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	final := filepath.Join(r.out, r.version)
	if err := os.RemoveAll(final); err != nil {
		return err
	}
	if err := os.Rename(f.dir, final); err != nil {
		return err
	}
	r.say("wrote " + final)
	r.say(manifest + ", " + formula.Homebrew + " and " + formula.Scoop + " are for krew, Homebrew and Scoop, which will look for the archives at " + r.url + " (RELEASE_URL)")
	return nil
}

// pack packs the archive of each platform, and writes by what they are installed.
func (r *release) pack(f staged, all []executable, common contents, stated *statements) error {
	var packed []krew.Archive
	for _, e := range all {
		one, document, err := r.archive(f, e, common)
		if err != nil {
			return err
		}
		packed = append(packed, one)
		*stated = append(*stated, attest.SBOM(attest.SHA256(filepath.Base(one.URL), one.SHA256), document))
	}
	text, err := krew.Manifest(r.version, packed)
	if err != nil {
		return err
	}
	if err := f.write(manifest, text); err != nil {
		return err
	}
	by := formula.Release{Version: r.version, Home: r.home, License: common.license(), Archives: packed}
	for _, name := range []string{formula.Homebrew, formula.Scoop} {
		if name == formula.Scoop && by.On("windows") == nil {
			continue
		}
		text, err := by.Write(name)
		if err != nil {
			return err
		}
		if err := f.write(name, text); err != nil {
			return err
		}
	}
	return nil
}

// archive packs the archive of a platform, and returns what is in the program besides.
func (r *release) archive(to staged, e executable, common contents) (krew.Archive, []byte, error) {
	name := strings.Join([]string{orrery, r.version, e.OS, e.Arch}, "_")
	files := append([]archive.File{{Name: e.Executable(orrery), Mode: 0o755, Content: e.content}, e.terms()}, common...)
	slices.SortFunc(files, func(a, b archive.File) int { return strings.Compare(a.Name, b.Name) })
	file, pack := name+".tar.gz", archive.TarGz
	if e.Windows() {
		file, pack = name+".zip", archive.Zip
	}
	var packed bytes.Buffer
	if err := pack(&packed, name, files, r.at); err != nil {
		return krew.Archive{}, nil, err
	}
	if err := checkSize(file, packed.Len()); err != nil {
		return krew.Archive{}, nil, err
	}
	document, err := r.sbom(e, common.licenses())
	if err != nil {
		return krew.Archive{}, nil, err
	}
	if err := errors.Join(to.write(name+".cdx.json", document), to.write(file, packed.Bytes())); err != nil {
		return krew.Archive{}, nil, err
	}
	r.say(fmt.Sprintf("%s: %s", file, megabytes(int64(packed.Len()))))
	return krew.Archive{Platform: e.Platform, URL: strings.TrimSuffix(r.url, "/") + "/" + file, SHA256: sum(packed.Bytes()), Folder: name}, document, nil
}

// sbom returns what is in an executable.
func (r *release) sbom(e executable, licenses []string) ([]byte, error) {
	return sbom.Executable{
		Name: orrery, Version: r.version, Platform: e.Platform, Licenses: licenses, Content: e.content, Packages: e.packages, Modules: e.modules, At: r.at,
	}.Document()
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
