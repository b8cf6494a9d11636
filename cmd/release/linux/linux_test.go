package linux

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cavaliergopher/cpio"
)

func tiny() Package {
	return Package{
		Name: "orrery", Version: "v1.2.3-rc.1", Arch: "amd64", Summary: "A Kubernetes scheduler you can watch", Home: "https://example.com/orrery", License: "Apache-2.0",
		Maintainer: "The maintainers of Orrery", At: time.Unix(1_700_000_000, 0), Files: []File{
			{Path: "usr/share/man/man1/orrery.1.gz", Mode: 0o644, Content: []byte("manual")},
			{Path: "usr/bin/orrery", Mode: 0o755, Content: []byte("program")},
			{Path: "usr/bin/kubectl-orrery", Link: "orrery"},
		},
	}
}

// written writes a package twice into files, and returns one of them.
func written(t *testing.T, name string, write func(io.Writer) error) string {
	t.Helper()
	var first, second bytes.Buffer
	if err := errors.Join(write(&first), write(&second)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Errorf("two of %s differ", name)
	}
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, first.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// says runs a package manager's program, and skips the rest of the test where it is not there.
func says(t *testing.T, program string, args ...string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("there is no %s: what it reads is not checked", program)
	}
	out, err := exec.Command(path, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v: %s", program, args, err, out)
	}
	return string(out)
}

func TestDeb_IsReadByDpkg(t *testing.T) {
	p := tiny()
	if got := p.DebName(); got != "orrery_1.2.3~rc.1_amd64.deb" {
		t.Errorf("it is called %s", got)
	}
	file := written(t, p.DebName(), p.Deb)
	root := t.TempDir()
	says(t, "dpkg-deb", "--extract", file, root)
	if got, err := os.ReadFile(filepath.Join(root, "usr/bin/kubectl-orrery")); err != nil || string(got) != "program" {
		t.Errorf("the link leads to %q, %v", got, err)
	}
	if info, err := os.Stat(filepath.Join(root, "usr/bin/orrery")); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("the program is %v, %v", info, err)
	}
	for field, want := range map[string]string{"Version": "1.2.3~rc.1", "Architecture": "amd64", "Homepage": "https://example.com/orrery", "Installed-Size": "1"} {
		if got := strings.TrimSpace(says(t, "dpkg-deb", "--field", file, field)); got != want {
			t.Errorf("its %s is %q, want %q", field, got, want)
		}
	}
}

func TestRPM_HasTheFiles(t *testing.T) {
	p := tiny()
	if got := p.RPMName(); got != "orrery-1.2.3~rc.1-1.x86_64.rpm" {
		t.Errorf("it is called %s", got)
	}
	file := written(t, p.RPMName(), p.RPM)
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	payload, err := gzip.NewReader(bytes.NewReader(content[bytes.LastIndex(content, []byte{0x1f, 0x8b, 8}):]))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for files := cpio.NewReader(payload); ; {
		h, err := files.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, h.Name)
	}
	if want := []string{"/usr/bin/kubectl-orrery", "/usr/bin/orrery", "/usr/share/man/man1/orrery.1.gz"}; !slices.Equal(names, want) {
		t.Errorf("it has %q, want %q", names, want)
	}
	if got := says(t, "rpm", "-qp", "--qf", "%{NAME} %{VERSION} %{ARCH} %{LICENSE} %{URL}", file); got != "orrery 1.2.3~rc.1 x86_64 Apache-2.0 https://example.com/orrery" {
		t.Errorf("rpm reads %q", got)
	}
	says(t, "rpm", "-K", "--nosignature", file)
}
