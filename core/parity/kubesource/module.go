package kubesource

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os/exec"
	"path"
	"strings"
)

// Module returns the files of a module of a patch of Kubernetes, from its archive in the module cache. It fetches an archive that is missing, also
// one of a release that needs a newer Go: it is read, and not compiled.
func Module(module, patch string) (fs.FS, error) {
	version := versionOf(module, patch)
	command := exec.Command("go", "mod", "download", "-json", module+"@"+version)
	out, failed := command.Output() // it fails, too, after it has fetched a module that needs a newer Go
	var found struct{ Zip, Error string }
	if err := json.Unmarshal(out, &found); err != nil || found.Zip == "" {
		return nil, fmt.Errorf("fetching %s %s: %w: %s", module, version, failed, found.Error)
	}
	archive, err := zip.OpenReader(found.Zip)
	if err != nil {
		return nil, fmt.Errorf("opening the archive of %s %s: %w", module, version, err)
	}
	return fs.Sub(archive, module+"@"+version)
}

// versionOf returns the version of a module that belongs to a patch of Kubernetes.
func versionOf(module, patch string) string {
	if module == "k8s.io/kubernetes" {
		return "v" + patch
	}
	return "v0" + strings.TrimPrefix(patch, "1") // staging modules are numbered so
}

// parse reads a file as syntax.
func parse(from fs.FS, file string) (*ast.File, error) {
	text, err := fs.ReadFile(from, file)
	if err != nil {
		return nil, err
	}
	return parser.ParseFile(token.NewFileSet(), path.Base(file), text, parser.SkipObjectResolution)
}

// isSource reports whether a file is compiled into a program.
func isSource(file string) bool {
	return strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, "_test.go")
}
