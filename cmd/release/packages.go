package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path"
	"strings"

	"orrery/cmd/release/archive"
	"orrery/cmd/release/chart"
	"orrery/cmd/release/linux"
)

// packages makes the packages of Linux: deb and rpm.
func (r *release) packages(to staged, all []executable, common contents) error {
	for _, e := range all {
		if e.OS != "linux" {
			continue
		}
		p := linux.Package{
			Name: orrery, Version: r.version, Arch: e.Arch, Summary: summary, Home: r.home, License: common.license(), Maintainer: "The maintainers of Orrery", At: r.at,
		}
		for _, kind := range []struct {
			name        string
			write       func(io.Writer) error
			completions map[string]string // where shells look for them
		}{
			{p.DebName(), func(to io.Writer) error { return p.Deb(to) }, map[string]string{"_orrery": "usr/share/zsh/vendor-completions/_orrery"}},
			{p.RPMName(), func(to io.Writer) error { return p.RPM(to) }, map[string]string{"_orrery": "usr/share/zsh/site-functions/_orrery"}},
		} {
			kind.completions["orrery.bash"] = "usr/share/bash-completion/completions/orrery"
			kind.completions["orrery.fish"] = "usr/share/fish/vendor_completions.d/orrery.fish"
			var err error
			if p.Files, err = installed(e, common, kind.completions); err != nil {
				return err
			}
			var packed bytes.Buffer
			if err := kind.write(&packed); err != nil {
				return err
			}
			if err := to.write(kind.name, packed.Bytes()); err != nil {
				return err
			}
			r.say(fmt.Sprintf("%s: %s", kind.name, megabytes(int64(packed.Len()))))
		}
	}
	return nil
}

// installed returns where a package puts the program and what comes with it.
func installed(e executable, common contents, completions map[string]string) ([]linux.File, error) {
	const docs = "usr/share/doc/orrery/"
	files := []linux.File{
		{Path: "usr/bin/orrery", Mode: 0o755, Content: e.content},
		{Path: "usr/bin/kubectl-orrery", Link: orrery},
		{Path: "usr/bin/kubectl_complete-orrery", Link: orrery},
		{Path: docs + "copyright", Mode: 0o644, Content: common.named(licenseFile).Content},
		{Path: docs + licensesFile, Mode: 0o644, Content: e.terms().Content},
		{Path: docs + readmeFile, Mode: 0o644, Content: common.named(readmeFile).Content},
	}
	for _, f := range common {
		switch name := path.Base(f.Name); {
		case strings.HasPrefix(f.Name, completionsFolder) && completions[name] != "":
			files = append(files, linux.File{Path: completions[name], Mode: f.Mode, Content: f.Content})
		case strings.HasPrefix(f.Name, manualFolder):
			var small bytes.Buffer
			err := archive.Gzip(&small, func(to io.Writer) error {
				_, err := to.Write(f.Content)
				return err
			})
			if err != nil {
				return nil, fmt.Errorf("packing %s: %w", f.Name, err)
			}
			files = append(files, linux.File{Path: "usr/share/man/man1/" + name + ".gz", Mode: f.Mode, Content: small.Bytes()})
		}
	}
	return files, nil
}

// deployments makes what runs it in a cluster: the Helm chart, as a file and for a registry, and the folders for kustomize.
func (r *release) deployments(to staged) error {
	source := os.DirFS(r.source)
	c, err := chart.Pack(source, r.version, r.at)
	if err != nil {
		return err
	}
	if err := to.write(c.FileName(), c.Packed); err != nil {
		return err
	}
	license, err := r.sourceFile(licenseFile)
	if err != nil {
		return err
	}
	c.Annotations = r.annotations(c.Version, license)
	var registry, folders bytes.Buffer
	digest, err := c.OCI(&registry)
	if err != nil {
		return err
	}
	if err := to.write(strings.Join([]string{orrery, r.version, "chart.tar"}, "_"), registry.Bytes()); err != nil {
		return err
	}
	name := strings.Join([]string{orrery, r.version, "kustomize"}, "_")
	bases, err := chart.Kustomizations(source, r.version)
	if err != nil {
		return err
	}
	if err := archive.TarGz(&folders, name, bases, r.at); err != nil {
		return err
	}
	r.say(c.FileName() + ", for registries " + digest)
	return to.write(name+".tar.gz", folders.Bytes())
}
