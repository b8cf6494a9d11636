package archive_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"testing"
	"time"

	"orrery/cmd/release/archive"
)

var (
	at    = time.Unix(1_700_000_000, 0)
	files = []archive.File{
		{Name: "orrery", Mode: 0o755, Content: bytes.Repeat([]byte("orrery\n"), 1000)},
		{Name: "completions/_orrery", Mode: 0o644, Content: []byte("#compdef")},
		{Name: "empty", Mode: 0o600},
	}
	want = []string{
		"top/orrery -rwxr-xr-x 2023-11-14T22:13:20Z 7000",
		"top/completions/_orrery -rw-r--r-- 2023-11-14T22:13:20Z 8",
		"top/empty -rw------- 2023-11-14T22:13:20Z 0",
	}
)

func entry(info fs.FileInfo, name string, content []byte) string {
	return fmt.Sprintf("%s %v %s %d", name, info.Mode(), info.ModTime().UTC().Format(time.RFC3339), len(content))
}

func TestTarGz_HasFiles(t *testing.T) {
	var b bytes.Buffer
	if err := archive.TarGz(&b, "top", files, at); err != nil {
		t.Fatal(err)
	}
	plain, err := gzip.NewReader(&b)
	if err != nil {
		t.Fatal(err)
	}
	if !plain.ModTime.IsZero() || plain.Name != "" {
		t.Errorf("the compression tells of %q at %s", plain.Name, plain.ModTime)
	}
	var got []string
	for packed := tar.NewReader(plain); ; {
		h, err := packed.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(packed)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, entry(h.FileInfo(), h.Name, content))
		if h.Uid != 0 || h.Gid != 0 || h.Uname != "" || h.Gname != "" || h.Typeflag != tar.TypeReg {
			t.Errorf("%s: %+v", h.Name, h)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("it has %q, want %q", got, want)
	}
}

func TestZip_HasFiles(t *testing.T) {
	var b bytes.Buffer
	if err := archive.Zip(&b, "top", files, at); err != nil {
		t.Fatal(err)
	}
	packed, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range packed.File {
		from, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(from)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, entry(f.FileInfo(), f.Name, content))
	}
	if !slices.Equal(got, want) {
		t.Errorf("it has %q, want %q", got, want)
	}
}

func TestArchives_AreTheSameInOtherTimeZone(t *testing.T) {
	for name, pack := range map[string]func(io.Writer, string, []archive.File, time.Time) error{"tar.gz": archive.TarGz, "zip": archive.Zip} {
		var here, there bytes.Buffer
		if err := errors.Join(pack(&here, "top", files, at.UTC()), pack(&there, "top", files, at.In(time.FixedZone("there", 7*3600)))); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(here.Bytes(), there.Bytes()) {
			t.Errorf("%s: the archives differ", name)
		}
	}
}

func TestArchives_SayWhatCannotBePacked(t *testing.T) {
	full := writerFunc(func([]byte) (int, error) { return 0, errors.New("the disk is full") })
	for name, pack := range map[string]func(io.Writer, string, []archive.File, time.Time) error{"tar.gz": archive.TarGz, "zip": archive.Zip} {
		if err := pack(full, "top", files, at); err == nil {
			t.Errorf("%s: a full disk is not told", name)
		}
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
