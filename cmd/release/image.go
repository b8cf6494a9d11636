package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"orrery/cmd/release/archive"
	"orrery/cmd/release/image"
	"orrery/cmd/release/licenses"
)

// imageTag returns the tag that "orrery manifests" has for a version.
func imageTag(version string) string {
	if !strings.HasPrefix(version, "v") {
		return "devel"
	}
	return version
}

// image makes the image's file, in place of an earlier one.
func (r *release) image(ctx context.Context) error {
	work, done, err := r.workspace()
	if err != nil {
		return err
	}
	defer done()
	license, err := r.sourceFile("LICENSE")
	if err != nil {
		return err
	}
	var contents []image.Content
	for _, on := range r.platforms {
		e, err := r.build(ctx, on, work)
		if err != nil {
			return err
		}
		contents = append(contents, image.Content{Platform: on, Program: e.content, Licenses: []archive.File{license, e.terms()}})
		r.say(fmt.Sprintf("built %s for %s: %s", orrery, on, megabytes(int64(len(e.content)))))
	}
	tag := imageTag(r.version)
	m := image.Image{Name: orrery, Tag: tag, At: r.at, Labels: map[string]string{
		"org.opencontainers.image.title":       orrery,
		"org.opencontainers.image.description": "A Kubernetes scheduler you can watch",
		"org.opencontainers.image.version":     tag,
		"org.opencontainers.image.licenses":    strings.Join(licenses.IDs(license.Content), " AND "),
		"org.opencontainers.image.created":     r.at.Format("2006-01-02T15:04:05Z"),
	}}
	var packed bytes.Buffer
	digest, err := m.Write(&packed, contents)
	if err != nil {
		return err
	}
	staged, final := filepath.Join(work, "image.tar"), filepath.Join(r.out, orrery+"_"+tag+"_image.tar")
	if err := os.WriteFile(staged, packed.Bytes(), 0o644); err != nil {
		return err
	}
	if err := os.Rename(staged, final); err != nil {
		return err
	}
	r.say(fmt.Sprintf("wrote %s: %s:%s, %s, %s", final, orrery, tag, megabytes(int64(packed.Len())), digest))
	return nil
}
