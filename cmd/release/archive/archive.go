// Package archive packs files into a tar.gz or a zip file. The same files give the same bytes: entries are in the order given and have
// no owner, and their times are passed in.
package archive

import (
	"archive/tar"
	"archive/zip"
	"fmt"
	"io"
	"io/fs"
	"path"
	"time"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
)

// File is a file to pack.
type File struct {
	Name    string // with slashes
	Mode    fs.FileMode
	Content []byte
}

// TarGz writes files in a folder as a tar.gz.
func TarGz(to io.Writer, folder string, files []File, at time.Time) error {
	return Gzip(to, func(to io.Writer) error {
		packed := tar.NewWriter(to)
		for _, f := range files {
			header := &tar.Header{
				Typeflag: tar.TypeReg, Name: path.Join(folder, f.Name), Size: int64(len(f.Content)), Mode: int64(f.Mode.Perm()), ModTime: at, Format: tar.FormatUSTAR,
			}
			if err := packed.WriteHeader(header); err != nil {
				return fmt.Errorf("packing %s: %w", f.Name, err)
			}
			if _, err := packed.Write(f.Content); err != nil {
				return fmt.Errorf("packing %s: %w", f.Name, err)
			}
		}
		return packed.Close()
	})
}

// Gzip compresses what is written, as small as it gets.
func Gzip(to io.Writer, write func(io.Writer) error) error {
	small, err := gzip.NewWriterLevel(to, gzip.BestCompression)
	if err != nil {
		return err
	}
	small.ModTime = time.Unix(0, 0) // which stands for none
	if err := write(small); err != nil {
		return err
	}
	return small.Close()
}

// Zip writes files in a folder as a zip file.
func Zip(to io.Writer, folder string, files []File, at time.Time) error {
	packed := zip.NewWriter(to)
	packed.RegisterCompressor(zip.Deflate, func(to io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(to, flate.BestCompression)
	})
	for _, f := range files {
		header := &zip.FileHeader{Name: path.Join(folder, f.Name), Method: zip.Deflate, Modified: at.UTC()}
		header.SetMode(f.Mode.Perm())
		one, err := packed.CreateHeader(header)
		if err != nil {
			return fmt.Errorf("packing %s: %w", f.Name, err)
		}
		if _, err := one.Write(f.Content); err != nil {
			return fmt.Errorf("packing %s: %w", f.Name, err)
		}
	}
	return packed.Close()
}
