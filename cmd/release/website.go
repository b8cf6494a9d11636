package main

import (
	"fmt"
	"os"
	"path/filepath"

	"orrery/cmd/release/site"
)

// site makes the documentation of the version as a static site, beside those of others.
func (r *release) site() error {
	version := imageTag(r.version)
	if !isTag.MatchString(version) {
		return usageError{fmt.Sprintf("-version %q: it is a version like v1.2.3: make site VERSION=v1.2.3", r.version)}
	}
	folder := filepath.Join(r.out, "site")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	if err := (&site.Site{Source: os.DirFS(r.source), Version: version}).Write(folder); err != nil {
		return err
	}
	r.say("wrote " + filepath.Join(folder, version, "index.html"))
	return nil
}
