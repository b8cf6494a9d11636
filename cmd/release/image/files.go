package image

import (
	"archive/tar"
	"io"
	"io/fs"
	"os"
	"path"
	"time"
)

// layer writes the files of an image, which belong to root: the program, its licenses, and a directory for temporary files.
func (m Image) layer(to io.Writer, c Content) error {
	files := tar.NewWriter(to)
	add := func(kind byte, name string, mode fs.FileMode, content []byte) error {
		header := &tar.Header{Typeflag: kind, Name: name, Size: int64(len(content)), Mode: int64(mode), ModTime: m.At, Format: tar.FormatUSTAR}
		if err := files.WriteHeader(header); err != nil {
			return err
		}
		_, err := files.Write(content)
		return err
	}
	if err := add(tar.TypeDir, "licenses/", 0o755, nil); err != nil {
		return err
	}
	for _, f := range c.Licenses {
		if err := add(tar.TypeReg, path.Join("licenses", f.Name), f.Mode, f.Content); err != nil {
			return err
		}
	}
	if err := add(tar.TypeReg, m.Name, 0o755, c.Program); err != nil {
		return err
	}
	const anybody = 0o1777
	if err := add(tar.TypeDir, "tmp/", anybody, nil); err != nil {
		return err
	}
	return files.Close()
}

// pack writes the files of a directory as a tar file, in the order of their names.
func pack(to io.Writer, dir string, at time.Time) error {
	packed, files := tar.NewWriter(to), os.DirFS(dir)
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		header := &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: info.Size(), Mode: 0o644, ModTime: at, Format: tar.FormatUSTAR}
		if err := packed.WriteHeader(header); err != nil {
			return err
		}
		f, err := files.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = io.Copy(packed, f)
		return err
	})
	if err != nil {
		return err
	}
	return packed.Close()
}
