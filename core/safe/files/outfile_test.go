//go:build unix

package files

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// names returns what is in a directory.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// holds fails unless a directory has these names and no others.
func holds(t *testing.T, dir string, want ...string) {
	t.Helper()
	if got := names(t, dir); !slices.Equal(got, want) {
		t.Errorf("the directory holds %q, want %q", got, want)
	}
}

func content(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func create(t *testing.T, path string, replace bool) *File {
	t.Helper()
	f, err := Create(path, replace)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func write(t *testing.T, to io.Writer, text string) {
	t.Helper()
	if _, err := io.WriteString(to, text); err != nil {
		t.Fatal(err)
	}
}

func existing(t *testing.T, path string, mode fs.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func TestFile_AppearsComplete(t *testing.T) {
	for _, closeToRename := range []bool{false, true} {
		dir := t.TempDir()
		f := create(t, filepath.Join(dir, "new"), false)
		f.closeToRename = closeToRename
		write(t, f, "one ")
		if slices.Contains(names(t, dir), "new") {
			t.Error("the file is there before it is committed")
		}
		for range 2 { // the second one has nothing to do
			if err := f.Commit(); err != nil {
				t.Fatal(err)
			}
			holds(t, dir, "new")
		}
		write(t, f, "two")
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		holds(t, dir, "new")
		if got := content(t, f.Name()); got != "one two" {
			t.Errorf("closed to rename %v: it has %q", closeToRename, got)
		}
	}
}

func TestFile_LeavesNothingWhereItCannotBeRenamed(t *testing.T) {
	for _, closeToRename := range []bool{false, true} {
		dir := t.TempDir()
		f := create(t, filepath.Join(dir, "new"), true)
		f.closeToRename = closeToRename
		write(t, f, "one")
		if err := os.Mkdir(f.Name(), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := f.Commit(); err == nil || !strings.Contains(err.Error(), strconv.Quote(f.Name())) {
			t.Errorf("closed to rename %v: error %v", closeToRename, err)
		}
		_ = f.Close()
		holds(t, dir, "new")
	}
}

func TestFile_KeepsModeOfReplaced(t *testing.T) {
	for _, mode := range []fs.FileMode{0o400, 0o600, 0o644, 0o666, 0o750} {
		dir := t.TempDir()
		path := filepath.Join(dir, "old")
		existing(t, path, mode)
		if err := create(t, path, true).WriteAll([]byte("after")); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != mode || content(t, path) != "after" {
			t.Errorf("a file with mode %v has mode %v now, and %q", mode, info.Mode(), content(t, path))
		}
		holds(t, dir, "old")
	}
}

// A private file is its owner's, even if others could read the one that it replaces.
func TestCreatePrivate_IsForTheOwner(t *testing.T) {
	for _, mode := range []fs.FileMode{0, 0o400, 0o600, 0o644, 0o666, 0o750} {
		path := filepath.Join(t.TempDir(), "config")
		if mode != 0 {
			existing(t, path, mode)
		}
		f, err := CreatePrivate(path, true)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.WriteAll([]byte("after")); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil || info.Mode() != 0o600 || content(t, path) != "after" {
			t.Errorf("in place of a file with mode %v there is %v with %q, %v", mode, info.Mode(), content(t, path), err)
		}
	}
}

func TestFile_KeepsOwnerOfReplaced(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give files away")
	}
	path := filepath.Join(t.TempDir(), "old")
	existing(t, path, 0o600)
	if err := os.Chown(path, 1234, 5678); err != nil {
		t.Fatal(err)
	}
	if err := create(t, path, true).WriteAll(nil); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if stat := info.Sys().(*syscall.Stat_t); stat.Uid != 1234 || stat.Gid != 5678 {
		t.Errorf("the owner is %d:%d", stat.Uid, stat.Gid)
	}
}

func TestFile_WithoutCommitChangesNothing(t *testing.T) {
	dir := t.TempDir()
	existing(t, filepath.Join(dir, "old"), 0o600)
	for _, name := range []string{"old", "new"} {
		f := create(t, filepath.Join(dir, name), true)
		write(t, f, "half of it")
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	holds(t, dir, "old")
	if got := content(t, filepath.Join(dir, "old")); got != "before" {
		t.Errorf("the file has %q", got)
	}
}

func TestFile_PanicRemovesTemporary(t *testing.T) {
	dir := t.TempDir()
	func() {
		defer func() { _ = recover() }()
		f := create(t, filepath.Join(dir, "new"), false)
		defer f.Close()
		panic("halfway")
	}()
	holds(t, dir)
}

func TestFile_FailedWriteIsNotCommitted(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "new")
	f := create(t, path, false)
	opened := f.file
	readOnly, err := os.Open(f.temporary)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	f.file = readOnly
	_, failed := f.Write([]byte("x"))
	if want := `writing "` + path + `": bad file descriptor`; failed == nil || failed.Error() != want {
		t.Errorf("the error is %v, want %s", failed, want)
	}
	f.file = opened
	write(t, f, "y")
	if err := f.Commit(); !errors.Is(err, failed) {
		t.Errorf("committing it says %v", err)
	}
	_ = f.Close()
	holds(t, dir)
}

func TestCreate_Refuses(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	existing(t, at("file"), 0o400)
	link := func(to, name string) {
		if err := os.Symlink(to, at(name)); err != nil {
			t.Fatal(err)
		}
	}
	link("file", "to-file")
	link("nothing", "to-nothing")
	link("loop", "loop")
	before := names(t, dir)
	for name, c := range map[string]struct {
		replace bool
		why     string
	}{
		"file":          {false, "file already exists"},
		"to-file":       {false, "file already exists"},
		"to-nothing":    {true, `it is a link to "nothing", which does not exist`},
		"loop":          {true, "too many levels of symbolic links"},
		".":             {true, "it is a directory: name a file in it"},
		"missing/file":  {true, "no such file or directory"},
		"file/file":     {true, "not a directory"},
		"missing/file/": {true, "no such file or directory"},
	} {
		path := dir + "/" + name
		_, err := Create(path, c.replace)
		if want := `writing "` + path + `": ` + c.why; err == nil || err.Error() != want {
			t.Errorf("%s: the error is %v, want %s", name, err, want)
		}
		if got := errors.Is(err, fs.ErrExist); got != !c.replace {
			t.Errorf("%s: it is told to exist: %t", name, got)
		}
	}
	holds(t, dir, before...)
}

func TestCommit_DoesNotReplaceWhatCameLater(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "new")
	f := create(t, path, false)
	existing(t, path, 0o600)
	if err := f.WriteAll([]byte("after")); !errors.Is(err, fs.ErrExist) || strings.Contains(err.Error(), ".orrery-") {
		t.Errorf("the error is %v", err)
	}
	holds(t, dir, "new")
	if got := content(t, path); got != "before" {
		t.Errorf("it has %q", got)
	}
}

func TestCreate_ResolvesLinks(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	existing(t, filepath.Join(other, "file"), 0o640)
	for from, to := range map[string]string{"link": "second", "second": filepath.Join(other, "file")} {
		if err := os.Symlink(to, filepath.Join(dir, from)); err != nil {
			t.Fatal(err)
		}
	}
	f := create(t, filepath.Join(dir, "link"), true)
	holds(t, dir, "link", "second")
	if err := f.WriteAll([]byte("after")); err != nil {
		t.Fatal(err)
	}
	holds(t, other, "file")
	if to, err := os.Readlink(filepath.Join(dir, "link")); to != "second" || content(t, filepath.Join(other, "file")) != "after" {
		t.Errorf("the link goes to %q, %v", to, err)
	}
}

func TestCreate_WritesToPipeAsItIs(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	read := make(chan string)
	go func() {
		data, _ := os.ReadFile(path)
		read <- string(data)
	}()
	if err := create(t, path, false).WriteAll([]byte("all of it")); err != nil {
		t.Fatal(err)
	}
	if got := <-read; got != "all of it" {
		t.Errorf("the reader got %q", got)
	}
	info, err := os.Lstat(path)
	if err != nil || info.Mode().Type() != fs.ModeNamedPipe {
		t.Errorf("the pipe is %v now, %v", info, err)
	}
	holds(t, dir, "pipe")
}

// TestCreate_WritesToDeviceAsItIs goes through a link: a mistake would replace that and not the device.
func TestCreate_WritesToDeviceAsItIs(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no /dev/full")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "full")
	if err := os.Symlink("/dev/full", path); err != nil {
		t.Fatal(err)
	}
	err := create(t, path, true).WriteAll([]byte("x"))
	if want := `writing "` + path + `": no space left on device`; err == nil || err.Error() != want {
		t.Errorf("the error is %v, want %s", err, want)
	}
	if to, err := os.Readlink(path); to != "/dev/full" {
		t.Errorf("the link goes to %q, %v", to, err)
	}
}

func TestCreateTemp_NameIsNewAndPrivate(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	made := map[string]bool{}
	for range 3 {
		f, err := CreateTemp("stacks-", ".txt")
		if err != nil {
			t.Fatal(err)
		}
		if err := f.WriteAll([]byte("x")); err != nil {
			t.Fatal(err)
		}
		made[f.Name()] = true
		name := filepath.Base(f.Name())
		if !strings.HasPrefix(name, "stacks-") || !strings.HasSuffix(name, ".txt") || len(name) < len("stacks-.txt")+20 {
			t.Errorf("the name is %q", name)
		}
		if info, err := os.Stat(f.Name()); err != nil || info.Mode() != 0o600 {
			t.Errorf("it is %v, %v", info.Mode(), err)
		}
	}
	if len(made) != 3 || len(names(t, dir)) != 3 {
		t.Errorf("three files are %v, and the directory holds %q", made, names(t, dir))
	}
}
