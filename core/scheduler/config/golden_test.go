package config_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"orrery/core/scheduler/config"
)

var update = flag.Bool("update", false, "write what comes out into testdata instead of comparing it")

// goldenCase is one file of testdata: a configuration, the gates it is read under, and what comes of it.
type goldenCase struct {
	archive  *txtar.Archive
	features config.Features
	config   []byte
}

func readGolden(t testing.TB, path string) goldenCase {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s := goldenCase{archive: archive}
	for _, f := range archive.Files {
		switch f.Name {
		case "feature-gates":
			if s.features, err = config.ParseFeatureFlag(string(bytes.TrimSpace(f.Data))); err != nil {
				t.Fatal(err)
			}
		case "config":
			s.config = f.Data
		}
	}
	return s
}

// outcome is the name and the text of the last section: the completed configuration, or why there is none.
func (s goldenCase) outcome(t *testing.T) (name, text string) {
	t.Helper()
	c, err := config.LoadNamed("scheduler.yaml", s.config, s.features)
	if err != nil {
		return "error", err.Error() + "\n"
	}
	out, err := c.YAMLWithSecrets()
	if err != nil {
		t.Fatal(err)
	}
	return "completed", string(out)
}

func goldenFiles(t testing.TB) []string {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no stories in testdata: %v", err)
	}
	return paths
}

func TestLoad_Golden(t *testing.T) {
	for _, path := range goldenFiles(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			s := readGolden(t, path)
			name, got := s.outcome(t)
			last := &s.archive.Files[len(s.archive.Files)-1]
			if *update {
				if last.Name == "config" {
					s.archive.Files = append(s.archive.Files, txtar.File{})
					last = &s.archive.Files[len(s.archive.Files)-1]
				}
				*last = txtar.File{Name: name, Data: []byte(got)}
				if err := os.WriteFile(path, txtar.Format(s.archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if last.Name != name {
				t.Fatalf("the file tells of %q, but the outcome is %q:\n%s", last.Name, name, got)
			}
			if diff := cmp.Diff(string(last.Data), got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
