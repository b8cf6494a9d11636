package linux

import (
	"fmt"
	"io"
	"io/fs"

	"github.com/google/rpmpack"
)

// processors are rpm's words for Go's.
var processors = map[string]string{"amd64": "x86_64", "arm64": "aarch64"}

// RPMName is the file name of the package for Fedora and its like.
func (p Package) RPMName() string {
	return p.Name + "-" + p.number() + "-1." + processors[p.Arch] + ".rpm"
}

// RPM writes the package for Fedora and its like.
func (p Package) RPM(to io.Writer) error {
	packed, err := rpmpack.NewRPM(rpmpack.RPMMetaData{
		Name: p.Name, Version: p.number(), Release: "1", Arch: processors[p.Arch], OS: "linux", Summary: p.Summary, Description: p.Summary, URL: p.Home,
		Licence: p.License, Packager: p.Maintainer, BuildHost: "localhost", BuildTime: p.At, Compressor: "gzip:9", Epoch: rpmpack.NoEpoch,
	})
	if err != nil {
		return fmt.Errorf("making %s: %w", p.RPMName(), err)
	}
	at := uint32(p.At.Unix())
	for _, f := range p.sorted() {
		one := rpmpack.RPMFile{Name: "/" + f.Path, Body: f.Content, Mode: uint(f.Mode.Perm()), Owner: "root", Group: "root", MTime: at}
		if f.Link != "" {
			one.Mode, one.Body = uint(0o120000|fs.ModePerm), []byte(f.Link)
		}
		packed.AddFile(one)
	}
	return packed.Write(to)
}
