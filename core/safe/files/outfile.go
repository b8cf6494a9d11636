package files

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// File is an output file.
type File struct {
	file    *os.File
	path    string // as the caller has it, for errors
	target  string // path with its links resolved
	replace bool   // an existing target
	private bool   // only the owner may read it
	failed  error  // the first error of Write

	temporary string // the name until Commit; empty for a device or a pipe
	// closeToRename is for Windows, which renames no file that is open.
	closeToRename bool
}

func newFile(path string, replace bool) *File {
	return &File{path: path, target: path, replace: replace, closeToRename: runtime.GOOS == "windows"}
}

// Create opens the file of a path. It refuses an existing regular file, with an error that wraps [fs.ErrExist], unless
// replace says that it may go.
func Create(path string, replace bool) (*File, error) {
	f := newFile(path, replace)
	if err := f.open(); err != nil {
		return nil, f.named(err)
	}
	return f, nil
}

// CreatePrivate opens the file of a path as Create does. Only its owner may read it, even if others could read the file that it replaces.
func CreatePrivate(path string, replace bool) (*File, error) {
	f := newFile(path, replace)
	f.private = true
	if err := f.open(); err != nil {
		return nil, f.named(err)
	}
	return f, nil
}

// CreateTemp opens a new file in the directory for temporary files. Only its owner may read it, and no other user can guess
// the part of its name between prefix and suffix.
func CreateTemp(prefix, suffix string) (*File, error) {
	path := filepath.Join(os.TempDir(), prefix+rand.Text()+suffix)
	f := newFile(path, false)
	if err := f.openTemporary(0o600); err != nil {
		return nil, f.named(err)
	}
	return f, nil
}

func (f *File) open() error {
	info, err := os.Stat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if to, err := os.Readlink(f.path); err == nil {
			return fmt.Errorf("it is a link to %q, which does not exist", to)
		}
		return f.openTemporary(f.mode(0o644))
	case err != nil:
		return err
	case info.IsDir():
		return errors.New("it is a directory: name a file in it")
	case !info.Mode().IsRegular():
		f.file, err = os.OpenFile(f.path, os.O_WRONLY, 0)
		return err
	case !f.replace:
		return fs.ErrExist
	}
	if f.target, err = filepath.EvalSymlinks(f.path); err != nil {
		return err
	}
	if err := f.openTemporary(info.Mode().Perm() & 0o600); err != nil {
		return err
	}
	keepOwner(f.file, info)
	if err := f.file.Chmod(f.mode(info.Mode().Perm())); err != nil {
		return errors.Join(err, f.Close())
	}
	return nil
}

// mode returns the mode of the file, of which others have no part if it is private.
func (f *File) mode(usual fs.FileMode) fs.FileMode {
	if f.private {
		return 0o600
	}
	return usual
}

// openTemporary makes the temporary file. O_EXCL follows no link.
func (f *File) openTemporary(mode fs.FileMode) error {
	unfinished.Lock()
	defer unfinished.Unlock()
	name := filepath.Join(filepath.Dir(f.target), ".orrery-"+rand.Text())
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	f.file, f.temporary, unfinished.names[name] = file, name, true
	return nil
}

// Name returns the name that Commit gives the file.
func (f *File) Name() string { return f.target }

func (f *File) Write(p []byte) (int, error) {
	n, err := f.file.Write(p)
	if err = f.named(err); f.failed == nil {
		f.failed = err
	}
	return n, err
}

// Commit gives the file its name, unless a write failed. The file can still be written to.
func (f *File) Commit() error {
	if f.failed != nil || f.temporary == "" {
		return f.failed
	}
	if err := f.file.Sync(); err != nil { // before what it replaces is gone
		return f.named(err)
	}
	return f.named(f.rename())
}

func (f *File) rename() error {
	unfinished.Lock()
	defer unfinished.Unlock()
	if !unfinished.names[f.temporary] {
		return errors.New("the program is ending")
	}
	if !f.replace { // a rename would replace what was put there in the meantime
		placeholder, err := os.OpenFile(f.target, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return err
		}
		_ = placeholder.Close()
	}
	if f.closeToRename {
		if err := f.file.Close(); err != nil {
			return err
		}
	}
	if err := os.Rename(f.temporary, f.target); err != nil {
		if !f.replace {
			_ = os.Remove(f.target)
		}
		return err
	}
	delete(unfinished.names, f.temporary)
	f.temporary = ""
	return f.reopen()
}

// reopen opens a file at its end that was closed for its renaming.
func (f *File) reopen() (err error) {
	if f.closeToRename {
		f.file, err = os.OpenFile(f.target, os.O_WRONLY|os.O_APPEND, 0)
	}
	return err
}

// WriteAll writes the contents of a file, commits and closes it.
func (f *File) WriteAll(contents []byte) error {
	defer f.Close()
	if _, err := f.Write(contents); err != nil {
		return err
	}
	if err := f.Commit(); err != nil {
		return err
	}
	return f.Close()
}

// Close closes the file and, unless it is committed, removes it.
func (f *File) Close() error {
	err := f.file.Close()
	if f.temporary != "" {
		removeUnfinished(f.temporary)
		f.temporary = ""
	}
	return f.named(err)
}

// named returns an error that names the file as the caller does.
func (f *File) named(err error) error {
	var ofFile *fs.PathError
	var ofRename *os.LinkError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrExist):
		err = fs.ErrExist
	case errors.As(err, &ofFile):
		err = ofFile.Err
	case errors.As(err, &ofRename):
		err = ofRename.Err
	}
	return fmt.Errorf("writing %q: %w", f.path, err)
}
