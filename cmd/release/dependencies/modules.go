package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// module is a module that is used.
type module struct {
	path, version string
	licences      []string
	// linked says that a part of it is in the programs, on any system; else only tests and tools use it.
	linked bool
}

// systems are those whose programs are looked into. The list is the same wherever it is made.
var systems = []string{"linux", "darwin", "windows"}

// listed is what go list says of a package.
type listed struct {
	Module *struct {
		Path, Version, Dir string
		Main               bool
		Replace            *struct{ Path, Version, Dir string }
	}
}

// modules returns the modules that the packages of the repository in a folder use.
func modules(root string) ([]module, error) {
	found := map[string]module{}
	for _, system := range systems {
		if err := addModules(found, root, system, true, "./cmd/orrery", "./cmd/example"); err != nil {
			return nil, err
		}
	}
	for _, used := range []struct {
		module   string
		packages []string
	}{{".", []string{"-test", "./..."}}, {".", []string{"tool"}}, {"cmd/release", []string{"-test", "./..."}}} {
		if err := addModules(found, filepath.Join(root, used.module), systems[0], false, used.packages...); err != nil {
			return nil, err
		}
	}
	return slices.SortedFunc(maps.Values(found), func(a, b module) int { return cmp.Compare(a.path, b.path) }), nil
}

// addModules adds those of some packages on one system.
func addModules(found map[string]module, root, system string, linked bool, packages ...string) error {
	list := exec.Command("go", append([]string{"list", "-deps", "-json=Module"}, packages...)...)
	list.Dir, list.Env = root, append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0", "GOFLAGS=-mod=readonly")
	out, err := list.Output()
	if err != nil {
		said := ""
		if ended := (*exec.ExitError)(nil); errors.As(err, &ended) {
			said = string(ended.Stderr)
		}
		return fmt.Errorf("running %s: %w\n%s", list, err, said)
	}
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("reading the answer of %s: %w", list, err)
		}
		if p.Module == nil || p.Module.Main || found[p.Module.Path].path != "" {
			continue
		}
		m := module{path: p.Module.Path, version: p.Module.Version, linked: linked}
		if p.Module.Replace != nil {
			return fmt.Errorf("%s is replaced by %s: name that in cmd/release/dependencies", m.path, p.Module.Replace.Path)
		}
		if m.licences, err = licencesOf(m.path, p.Module.Dir); err != nil {
			return err
		}
		found[m.path] = m
	}
}
