package app

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSaveFlight_WritesPrivateFile(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	made := map[string]bool{}
	for range 2 {
		file, err := saveFlight(func(to io.Writer) error {
			_, err := io.WriteString(to, "a trace")
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		made[file] = true
		info, err := os.Stat(file)
		if err != nil || info.Mode() != 0o600 || info.Size() != int64(len("a trace")) {
			t.Errorf("the file is %v, %v", info, err)
		}
		if name := filepath.Base(file); !strings.HasPrefix(name, "orrery-20") || !strings.HasSuffix(name, ".orrery") {
			t.Errorf("the file is named %q", name)
		}
	}
	if _, err := saveFlight(func(to io.Writer) error {
		_, _ = io.WriteString(to, "half")
		return errors.New("there is no flight")
	}); err == nil {
		t.Error("a failed save is not told")
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 || len(made) != 2 {
		t.Errorf("two saves and a failed one leave %v, %v", entries, err)
	}
}
