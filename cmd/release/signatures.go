package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"orrery/cmd/release/archive"
	"orrery/cmd/release/attest"
	"orrery/cmd/release/licenses"
)

const (
	sumsFile      = "SHA256SUMS"
	signatureFile = sumsFile + ".sig"
	publicFile    = orrery + ".pub"
	statedSuffix  = ".intoto.jsonl"
)

// statements are what is stated of files, to be signed.
type statements []attest.Statement

// signingKey reads the key, nil if none is given.
func (r *release) signingKey() (*attest.Key, error) {
	if r.key == "" {
		return nil, nil
	}
	text, err := os.ReadFile(r.key)
	if err != nil {
		return nil, fmt.Errorf("reading the key to sign with: %w", err)
	}
	key, err := attest.ReadKey(text)
	if err != nil {
		return nil, fmt.Errorf("reading the key to sign with from %s: %w", r.key, err)
	}
	return key, nil
}

// attest states how all files of a release were made, and writes their sums; with a key it signs both.
func (r *release) attest(ctx context.Context, f staged, key *attest.Key, stated statements) error {
	if key != nil {
		made, err := f.files()
		if err != nil {
			return err
		}
		var subjects []attest.Subject
		for _, one := range made {
			subjects = append(subjects, attest.SHA256(one.name, one.sum))
		}
		lines, err := r.envelopes(ctx, key, "archives", subjects, stated)
		if err != nil {
			return err
		}
		if err := f.write(orrery+"_"+r.version+statedSuffix, lines); err != nil {
			return err
		}
		if err := f.write(publicFile, key.Public()); err != nil {
			return err
		}
	}
	sums, err := f.sums()
	if err != nil {
		return err
	}
	if err := f.write(sumsFile, sums); err != nil {
		return err
	}
	if key == nil {
		r.say("nothing is signed: name a key by SIGNING_KEY=FILE")
		return nil
	}
	signature, err := key.Sign(sums)
	if err != nil {
		return err
	}
	return f.write(signatureFile, signature)
}

// envelopes returns a line for how subjects were made, and one for each other statement.
func (r *release) envelopes(ctx context.Context, key *attest.Key, target string, subjects []attest.Subject, stated statements) ([]byte, error) {
	_, goVersion, err := r.program().Toolchain(ctx)
	if err != nil {
		return nil, err
	}
	how := attest.Build{
		Source: r.home, Commit: r.commit(ctx), Target: target, Given: map[string]string{"version": r.version}, Go: goVersion, Date: strconv.FormatInt(r.at.Unix(), 10),
	}
	if target == "archives" {
		how.Given["url"] = r.url
	}
	var lines bytes.Buffer
	for _, s := range append(statements{attest.Provenance(subjects, how)}, stated...) {
		line, err := key.Envelope(s)
		if err != nil {
			return nil, err
		}
		lines.Write(line)
	}
	return lines.Bytes(), nil
}

// commit is the source's commit, empty where there is no git.
func (r *release) commit(ctx context.Context) string {
	ask := exec.CommandContext(ctx, "git", "rev-parse", "HEAD")
	ask.Dir = r.source
	out, err := ask.Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// annotations are those of what is in registries.
func (r *release) annotations(version string, license archive.File) map[string]string {
	return map[string]string{
		"org.opencontainers.image.title":         orrery,
		"org.opencontainers.image.description":   summary,
		"org.opencontainers.image.version":       version,
		"org.opencontainers.image.licenses":      strings.Join(licenses.IDs(license.Content), " AND "),
		"org.opencontainers.image.source":        r.home,
		"org.opencontainers.image.documentation": r.home + "/docs/index.md",
		"org.opencontainers.image.created":       r.at.Format("2006-01-02T15:04:05Z"),
	}
}
