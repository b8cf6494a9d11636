package files_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"orrery/core/safe/files"
)

func TestRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("12345"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		most int64
		want string
	}{
		{file, 5, "12345"},
		{file, 4, `"` + file + `" has more than 4 bytes, which is the most that is read`},
		{os.DevNull, 0, ""},
		{"/dev/zero", 1000, `"/dev/zero" has more than 1000 bytes`},
	} {
		got, err := files.Read(c.name, c.most)
		if err != nil {
			if !errors.Is(err, files.ErrTooLarge) {
				t.Error("the error is not ErrTooLarge")
			}
			got = []byte(err.Error())
		}
		if !strings.HasPrefix(string(got), c.want) {
			t.Errorf("reading %d bytes of %s gives %q, want %q", c.most, c.name, got, c.want)
		}
	}
	if _, err := files.Read(file+"x", 5); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file gives %v", err)
	}
}
