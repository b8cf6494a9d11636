package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"orrery/cmd/release/archive"
	"orrery/cmd/release/attest"
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
	key, err := r.signingKey()
	if err != nil {
		return err
	}
	work, done, err := r.workspace()
	if err != nil {
		return err
	}
	defer done()
	license, err := r.sourceFile(licenseFile)
	if err != nil {
		return err
	}
	var contents []image.Content
	var all []executable
	for _, on := range r.platforms {
		e, err := r.build(ctx, on, work)
		if err != nil {
			return err
		}
		all = append(all, e)
		contents = append(contents, image.Content{Platform: on, Program: e.content, Licenses: []archive.File{license, e.terms()}})
		r.say(fmt.Sprintf("built %s for %s: %s", orrery, on, megabytes(int64(len(e.content)))))
	}
	tag := imageTag(r.version)
	m := image.Image{Name: orrery, Tag: tag, At: r.at, Labels: r.annotations(tag, license)}
	var packed bytes.Buffer
	digests, err := m.Write(&packed, contents)
	if err != nil {
		return err
	}
	name := orrery + "_" + tag + "_image"
	if key != nil {
		if err := r.attestImage(ctx, name, key, digests, all, licenses.IDs(license.Content)); err != nil {
			return err
		}
	}
	staged, final := filepath.Join(work, "image.tar"), filepath.Join(r.out, name+".tar")
	if err := os.WriteFile(staged, packed.Bytes(), 0o644); err != nil {
		return err
	}
	if err := os.Rename(staged, final); err != nil {
		return err
	}
	r.say(fmt.Sprintf("wrote %s: %s:%s, %s, %s", final, orrery, tag, megabytes(int64(packed.Len())), digests.Index))
	return nil
}

// attestImage writes how the image was made and what is in it for each platform, signed, beside it.
func (r *release) attestImage(ctx context.Context, name string, key *attest.Key, digests image.Digests, all []executable, ids []string) error {
	subjects := []attest.Subject{ofImage(orrery, digests.Index)}
	var stated statements
	for i, e := range all {
		subject := ofImage(orrery+"/"+e.String(), digests.Platforms[i])
		document, err := r.sbom(e, ids)
		if err != nil {
			return err
		}
		subjects, stated = append(subjects, subject), append(stated, attest.SBOM(subject, document))
	}
	lines, err := r.envelopes(ctx, key, "image", subjects, stated)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.out, name+statedSuffix), lines, 0o644)
}

func ofImage(name, digest string) attest.Subject {
	return attest.SHA256(name, strings.TrimPrefix(digest, "sha256:"))
}
