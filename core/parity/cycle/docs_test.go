package cycle

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A package that differs from kube-scheduler says so in its documentation, and docs/parity.md tells it to everybody.
func TestEveryPackageThatDiffersIsInTheDocument(t *testing.T) {
	const house = "../../.."
	document, err := os.ReadFile(filepath.Join(house, "docs/parity.md"))
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	err = filepath.WalkDir(filepath.Join(house, "core"), func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(source, []byte("\n// # Differences from kube-scheduler\n")) {
			return err
		}
		found++
		name, err := filepath.Rel(house, filepath.Dir(path))
		for at := name; err == nil && !bytes.Contains(document, []byte("`"+at+"`")); at = filepath.Dir(at) {
			if at == "core" {
				t.Errorf("%s differs from kube-scheduler, but docs/parity.md does not name `%s`", path, name)
				break
			}
		}
		return err
	})
	if err != nil || found == 0 {
		t.Errorf("found %d packages that differ; %v", found, err)
	}
}
