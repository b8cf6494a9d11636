package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"orrery/cmd/release/archive"
	"orrery/cmd/release/build"
	"orrery/cmd/release/licenses"
	"orrery/cmd/release/platform"
	"orrery/cmd/release/typecheck"
)

const (
	orrery        = "orrery"
	summary       = "A Kubernetes scheduler you can watch"
	licensesFile  = "THIRD-PARTY-LICENSES.txt"
	licenseFile   = "LICENSE"
	readmeFile    = "README.md"
	mainPackage   = "./cmd/orrery"
	versionSymbol = "orrery/cmd/app.release"

	packagesPerLine = 100 // of progress: compiling that many takes some twenty seconds
)

// release is a version to publish.
type release struct {
	version, url string
	home         string // the address of the project
	only         string // the platforms that are asked for, if not all
	key          string // the file of the key to sign with, if there is one
	source, out  string // directories
	at           time.Time
	platforms    []platform.Platform
	say          func(line string)
}

func (r *release) program() build.Program {
	return build.Program{Dir: r.source, Package: mainPackage, Variable: versionSymbol, Version: r.version}
}

// workspace makes a directory beside what is made in the end, until done is called. Its path is absolute, because the go command runs in
// the source's directory.
func (r *release) workspace() (dir string, done func(), err error) {
	out, err := filepath.Abs(r.out)
	if err != nil {
		return "", nil, err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return "", nil, err
	}
	dir, err = os.MkdirTemp(out, ".release-")
	return dir, func() { _ = os.RemoveAll(dir) }, err
}

// executable is the program for one platform.
type executable struct {
	platform.Platform
	content  []byte
	packages []build.Package
	modules  []licenses.Module
}

// terms is the file with the licenses of what is in an executable.
func (e executable) terms() archive.File {
	return archive.File{Name: licensesFile, Mode: 0o644, Content: licenses.Terms(orrery, e.modules)}
}

// build builds the program for a platform, in a directory for this alone, and finds out what is in it.
func (r *release) build(ctx context.Context, on platform.Platform, dir string) (executable, error) {
	e, p := executable{Platform: on}, r.program()
	p.Compiled = func(packages int) {
		if packages%packagesPerLine == 0 {
			r.say(fmt.Sprintf("%s: %d packages are compiled", on, packages))
		}
	}
	file := executableIn(dir, on)
	if err := p.Executable(ctx, on, file); err != nil {
		return e, err
	}
	var err error
	if e.content, err = os.ReadFile(file); err != nil {
		return e, err
	}
	if e.packages, err = p.Packages(ctx, on); err != nil {
		return e, err
	}
	goroot, goVersion, err := p.Toolchain(ctx)
	if err != nil {
		return e, err
	}
	e.modules, err = licenses.Find(e.packages, goroot, goVersion)
	return e, err
}

// executableIn is where the program for a platform is, below a directory.
func executableIn(dir string, on platform.Platform) string {
	return filepath.Join(dir, on.OS+"-"+on.Arch, on.Executable(orrery))
}

// sourceFile reads a file of the source.
func (r *release) sourceFile(name string) (archive.File, error) {
	content, err := os.ReadFile(filepath.Join(r.source, name))
	return archive.File{Name: name, Mode: 0o644, Content: content}, err
}

// check says what does not compile on operating systems that tests do not run on.
func (r *release) check(ctx context.Context) error {
	var all []string
	for _, on := range platform.OtherSystems() {
		problems, err := typecheck.Check(ctx, r.source, on)
		if err != nil {
			return err
		}
		all = append(all, problems...)
	}
	if all != nil {
		return errors.New("this does not compile:\n" + strings.Join(all, "\n"))
	}
	return nil
}

// megabytes is how a size is told.
func megabytes(bytes int64) string { return fmt.Sprintf("%.1f MB", float64(bytes)/1e6) }
