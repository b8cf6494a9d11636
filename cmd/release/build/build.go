// Package build runs the go command on a program for other platforms, so that the same source and the same Go give the same bytes.
package build

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"orrery/cmd/release/platform"
)

// Program is a Go program.
type Program struct {
	// Dir is the directory of its module, and Package its main package in there.
	Dir, Package string
	// Variable is set to Version in the executable.
	Variable, Version string
	// Compiled is told how many packages Executable has compiled up to now, if it is set.
	Compiled func(packages int)
}

// Package is a package that an executable has in it.
type Package struct {
	ImportPath, Dir string
	Imports         []string
	Standard        bool
	Module          *Module
}

// Module is a package's module. Its Dir and Version are those of what replaces it, if something does.
type Module struct {
	Path, Version, Dir string
	Main               bool
	Replace            *Module
}

// Executable builds the program for a platform.
func (p Program) Executable(ctx context.Context, on platform.Platform, to string) error {
	_, err := p.command(ctx, on, "build", "-v", "-ldflags", "-s -w -X "+p.Variable+"="+p.Version, "-o", to, p.Package)
	return err
}

// Vet vets all packages of the program's module for a platform, tests included.
func (p Program) Vet(ctx context.Context, on platform.Platform) error {
	_, err := p.command(ctx, on, "vet", "./...")
	return err
}

// Packages returns the packages that an executable for a platform has in it.
func (p Program) Packages(ctx context.Context, on platform.Platform) ([]Package, error) {
	out, err := p.command(ctx, on, "list", "-deps", "-json=ImportPath,Dir,Imports,Standard,Module", p.Package)
	if err != nil {
		return nil, err
	}
	var all []Package
	for from := json.NewDecoder(bytes.NewReader(out)); ; {
		var one Package
		switch err := from.Decode(&one); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, fmt.Errorf("reading what go list says of %s: %w", p.Package, err)
		}
		if m := one.Module; m != nil && m.Replace != nil {
			m.Version, m.Dir = m.Replace.Version, m.Replace.Dir
		}
		all = append(all, one)
	}
}

// Toolchain returns the directory and the version of the Go that builds.
func (p Program) Toolchain(ctx context.Context) (root, version string, err error) {
	out, err := p.command(ctx, platform.Platform{}, "env", "GOROOT", "GOVERSION")
	root, version, _ = strings.Cut(strings.TrimSpace(string(out)), "\n")
	return root, version, err
}

func (p Program) command(ctx context.Context, on platform.Platform, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = p.Dir, Environment(on)
	said := compilation{compiled: p.Compiled}
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("running go %s for %s: %w\n%s", args[0], on, err, said.problems())
	}
	return out, nil
}

// Environment is the environment of the go command for a platform. Where the caller's could change what is built, it is set. A set
// variable that is empty would leave the file of "go env -w" its say.
func Environment(on platform.Platform) []string {
	return append(os.Environ(), "GOOS="+on.OS, "GOARCH="+on.Arch, "CGO_ENABLED=0", "GOFLAGS=-trimpath -buildvcs=false", "GOAMD64=v1", "GOARM64=v8.0",
		"GOFIPS140=off", "GOWORK=off")
}
