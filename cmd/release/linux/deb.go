package linux

import (
	"archive/tar"
	"bytes"
	"crypto/md5"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"orrery/cmd/release/archive"
)

// DebName is the file name of the package for Debian.
func (p Package) DebName() string { return p.Name + "_" + p.number() + "_" + p.Arch + ".deb" }

// Deb writes the package for Debian: an ar file of two archives, as deb(5) says.
func (p Package) Deb(to io.Writer) error {
	control, err := p.tar(p.control())
	if err != nil {
		return err
	}
	data, err := p.tar(p.sorted())
	if err != nil {
		return err
	}
	var b bytes.Buffer
	b.WriteString("!<arch>\n")
	for _, member := range []struct {
		name    string
		content []byte
	}{{"debian-binary", []byte("2.0\n")}, {"control.tar.gz", control}, {"data.tar.gz", data}} {
		fmt.Fprintf(&b, "%-16s%-12d%-6d%-6d%-8o%-10d`\n", member.name, p.At.Unix(), 0, 0, 0o100644, len(member.content))
		b.Write(member.content)
		if b.Len()%2 == 1 {
			b.WriteByte('\n')
		}
	}
	_, err = to.Write(b.Bytes())
	return err
}

// control returns the files that tell about the package.
func (p Package) control() []File {
	var sums strings.Builder
	size := 0
	for _, f := range p.sorted() {
		size += len(f.Content)
		if f.Link == "" {
			fmt.Fprintf(&sums, "%x  %s\n", md5.Sum(f.Content), f.Path) // dpkg --verify knows no other sum
		}
	}
	text := fmt.Sprintf("Package: %s\nVersion: %s\nArchitecture: %s\nMaintainer: %s\nInstalled-Size: %d\nSection: admin\nPriority: optional\nHomepage: %s\nDescription: %s\n",
		p.Name, p.number(), p.Arch, p.Maintainer, (size+1023)/1024, p.Home, p.Summary)
	return []File{{Path: "control", Mode: 0o644, Content: []byte(text)}, {Path: "md5sums", Mode: 0o644, Content: []byte(sums.String())}}
}

// tar packs files and their folders, which belong to root.
func (p Package) tar(files []File) ([]byte, error) {
	var packed bytes.Buffer
	err := archive.Gzip(&packed, func(to io.Writer) error {
		w := tar.NewWriter(to)
		add := func(kind byte, name, link string, mode fs.FileMode, content []byte) error {
			h := &tar.Header{Typeflag: kind, Name: "./" + name, Linkname: link, Size: int64(len(content)), Mode: int64(mode.Perm()), Uname: "root", Gname: "root", ModTime: p.At, Format: tar.FormatGNU}
			if err := w.WriteHeader(h); err != nil {
				return fmt.Errorf("packing %s: %w", name, err)
			}
			_, err := w.Write(content)
			return err
		}
		for _, dir := range folders(files) {
			if err := add(tar.TypeDir, dir+"/", "", 0o755, nil); err != nil {
				return err
			}
		}
		for _, f := range files {
			kind := byte(tar.TypeReg)
			if f.Link != "" {
				kind = tar.TypeSymlink
			}
			if err := add(kind, f.Path, f.Link, f.Mode, f.Content); err != nil {
				return err
			}
		}
		return w.Close()
	})
	return packed.Bytes(), err
}
