package segments

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Disk is a directory that is written to. Any call may fail, and may not return.
type Disk interface {
	// Open locks the directory, for this process alone, and returns its segments, oldest first, and the index that is in it.
	Open() (segments []Segment, index []byte, err error)
	// Probe fails if so many bytes cannot be written.
	Probe(bytes int64) error
	// Create makes a file that is no segment until Finish: Discard removes it, and so does the next Open, after a crash.
	Create(name string) (File, error)
	Finish(name string) error
	Discard(name string) error
	// Remove removes a segment.
	Remove(name string) error
	WriteIndex(index []byte) error
	Close()
}

// File is a segment that is being written.
type File interface {
	io.Writer
	Sync() error
	Close() error
}

const (
	lockName     = ".orrery-lock"
	probeName    = ".orrery-probe"
	newIndexName = ".orrery-index"
	// Names, configurations and labels of a cluster are for its operators.
	directoryMode, fileMode = 0o750, 0o640
)

// directory is the disk of the operating system.
type directory struct {
	path string
	root *os.Root // nil until it is open
	lock *os.File
	// foreignIndex says that the index's name is another file's.
	foreignIndex bool
}

// ErrInUse is the error of a directory into which another process records.
var ErrInUse = errors.New("another process records into this directory: give each its own")

func (d *directory) Open() (_ []Segment, _ []byte, err error) {
	if err := os.MkdirAll(d.path, directoryMode); err != nil {
		return nil, nil, err
	}
	if d.root, err = os.OpenRoot(d.path); err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			d.Close()
		}
	}()
	if d.lock, err = d.root.OpenFile(lockName, os.O_RDWR|os.O_CREATE, fileMode); err != nil {
		return nil, nil, err
	}
	if err := lockFile(d.lock); err != nil {
		return nil, nil, err
	}
	all, partial, err := list(d.root)
	if err != nil {
		return nil, nil, err
	}
	for _, name := range append(partial, probeName) { // what a crash left
		if err := d.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, nil, err
		}
	}
	d.foreignIndex = hasForeignIndex(d.root)
	return all, readIndex(d.root), nil
}

func (d *directory) Close() {
	for _, f := range []io.Closer{d.lock, d.root} {
		_ = f.Close() // nothing was written to either
	}
}

// probe writes zeros: of a full disk the free blocks may be seen by others only, and a quota only when it is reached.
func (d *directory) Probe(bytes int64) error {
	f, err := d.root.OpenFile(probeName, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, fileMode)
	if err != nil {
		return err
	}
	_, err = io.CopyN(f, zeros{}, bytes)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close(), d.root.Remove(probeName))
}

type zeros struct{}

func (zeros) Read(into []byte) (int, error) {
	clear(into)
	return len(into), nil
}

func (d *directory) Create(name string) (File, error) {
	f, err := d.root.OpenFile(name+partialEnding, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return nil, err
	}
	return &listedFile{File: f, in: d, name: name}, nil
}

// listedFile is a file in a directory. Writing to one that was removed succeeds, and leaves nothing.
type listedFile struct {
	*os.File
	in   *directory
	name string
}

// Sync fails if the directory does not have the file.
func (f *listedFile) Sync() error {
	if err := f.File.Sync(); err != nil {
		return err
	}
	_, err := f.in.root.Lstat(f.name)
	if errors.Is(err, fs.ErrNotExist) {
		_, err = f.in.root.Lstat(f.name + partialEnding)
	}
	if err != nil {
		return fmt.Errorf("the segment that is being recorded was removed: %w", err)
	}
	return nil
}

func (d *directory) Finish(name string) error { return d.root.Rename(name+partialEnding, name) }

func (d *directory) Discard(name string) error { return d.Remove(name + partialEnding) }

func (d *directory) Remove(name string) error {
	if err := d.root.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func (d *directory) WriteIndex(index []byte) error {
	if d.foreignIndex {
		return errForeignIndex
	}
	if err := d.Remove(newIndexName); err != nil {
		return err
	}
	f, err := d.root.OpenFile(newIndexName, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return err
	}
	_, err = f.Write(index)
	if err == nil {
		err = f.Sync() // a crash leaves the whole index, or the one before
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return d.root.Rename(newIndexName, indexName)
}
