package app

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// However often the signal comes, few files are left, the newest, and no others are touched; one that is too large is refused.
func TestSaveFlight_BoundsFiles(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	others := []string{"orrery-notes.orrery", "orrery-20260302T091230-short.orrery", "other-20260302T091230-" + strings.Repeat("A", 26) + ".orrery"}
	for _, name := range others {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	old := filepath.Join(dir, "orrery-20010302T091230-"+strings.Repeat("A", 26)+".orrery")
	if err := os.WriteFile(old, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	last := ""
	for range 4 * maxFlights {
		file, err := saveFlight(func(to io.Writer) error {
			_, err := io.WriteString(to, "a trace")
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		last = file
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != maxFlights+len(others) {
		t.Errorf("%d files are left, want %d and %d others: %v", len(entries), maxFlights, len(others), err)
	}
	if _, err := os.Stat(last); err != nil {
		t.Errorf("the last one: %v", err)
	}
	if _, err := os.Stat(old); err == nil {
		t.Error("the oldest is left")
	}
	_, err := saveFlight(func(to io.Writer) error {
		part, err := make([]byte, 1<<20), error(nil)
		for err == nil {
			_, err = to.Write(part)
		}
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "more than 64 MiB") {
		t.Errorf("an endless one: %v", err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) > maxFlights+len(others) {
		t.Errorf("an endless one leaves %d files", len(entries))
	}
}

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
