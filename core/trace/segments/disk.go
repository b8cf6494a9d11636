package segments

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// disk is a directory that is written to. Any call may fail, and may not return.
type disk interface {
	// open locks the directory, for this process alone, and returns what is in it.
	open() ([]Segment, map[string]indexEntry, error)
	// probe fails if so many bytes cannot be written.
	probe(bytes int64) error
	// create makes a file, which has the name of a partial segment until finish.
	create(name string) (file, error)
	finish(name string) error
	remove(name string) error
	writeIndex(entries []indexEntry) error
	close()
}

// file is a segment that is being written.
type file interface {
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
}

// ErrInUse is the error of a directory into which another process records.
var ErrInUse = errors.New("another process records into this directory: give each its own")

func (d *directory) open() (_ []Segment, _ map[string]indexEntry, err error) {
	if err := os.MkdirAll(d.path, directoryMode); err != nil {
		return nil, nil, err
	}
	if d.root, err = os.OpenRoot(d.path); err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			d.close()
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
	return all, readIndex(d.root), nil
}

func (d *directory) close() {
	for _, f := range []io.Closer{d.lock, d.root} {
		_ = f.Close() // nothing was written to either
	}
}

// probe writes zeros: of a full disk the free blocks may be seen by others only, and a quota only when it is reached.
func (d *directory) probe(bytes int64) error {
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

func (d *directory) create(name string) (file, error) {
	return d.root.OpenFile(name+partialEnding, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
}

func (d *directory) finish(name string) error { return d.root.Rename(name+partialEnding, name) }

func (d *directory) remove(name string) error {
	if err := d.root.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func (d *directory) writeIndex(entries []indexEntry) error {
	if err := d.remove(newIndexName); err != nil {
		return err
	}
	f, err := d.root.OpenFile(newIndexName, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return err
	}
	_, err = f.Write(marshalIndex(entries))
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return d.root.Rename(newIndexName, indexName)
}
