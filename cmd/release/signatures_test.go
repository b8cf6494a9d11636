package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// keyFile is a new key, made as docs/release.md says.
func keyFile(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("openssl"); err != nil {
		t.Skip("there is no openssl: what users do to verify a release is not tried")
	}
	dir := t.TempDir()
	shell(t, dir, documented(t, "openssl genpkey"))
	return filepath.Join(dir, "orrery.key")
}

// documented returns the block of docs/release.md that has a text.
func documented(t *testing.T, has string) string {
	t.Helper()
	page, err := os.ReadFile("../../docs/release.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range regexp.MustCompile("(?ms)^```\n(.*?)^```$").FindAllStringSubmatch(string(page), -1) {
		if strings.Contains(block[1], has) {
			return block[1]
		}
	}
	t.Fatalf("docs/release.md has no commands with %q", has)
	return ""
}

func shell(t *testing.T, dir, commands string) string {
	t.Helper()
	out, err := tryShell(dir, commands)
	if err != nil {
		t.Fatalf("%v in\n%s\n%s", err, commands, out)
	}
	return out
}

func tryShell(dir, commands string) (string, error) {
	run := exec.Command("bash", "-euo", "pipefail", "-c", commands)
	run.Dir = dir
	out, err := run.CombinedOutput()
	return string(out), err
}

func TestSignatures_AreVerifiedAsDocumented(t *testing.T) {
	r, said := tinyRelease(t, here, windows)
	r.key = keyFile(t)
	if err := r.archives(t.Context()); err != nil {
		t.Fatal(err)
	}
	if text := strings.Join(*said, "\n"); strings.Contains(text, "nothing is signed") {
		t.Errorf("it said %s", text)
	}
	dir := filepath.Join(r.out, "v1.2.3")
	sums, statement := documented(t, "-signature SHA256SUMS.sig"), documented(t, "DSSEv1")
	if out := shell(t, dir, sums); !strings.Contains(out, "Verified OK") || strings.Contains(out, "FAILED") {
		t.Errorf("the sums are not verified: %s", out)
	}
	if out := shell(t, dir, statement); !strings.Contains(out, "Verified OK") {
		t.Errorf("the provenance is not verified: %s", out)
	}
	payload, err := os.ReadFile(filepath.Join(dir, "statement"))
	for name := range folder(t, dir) {
		isSubject := bytes.Contains(payload, []byte(`"name":"`+name+`"`))
		made := name == notesFile || strings.HasPrefix(name, orrery) && name != publicFile && !strings.HasSuffix(name, statedSuffix)
		if err != nil || isSubject != made {
			t.Errorf("%s is a subject: %t, %v", name, isSubject, err)
		}
	}
	for _, broken := range []struct{ file, commands string }{{"orrery_v1.2.3_windows_amd64.zip", sums}, {sumsFile, sums}, {"orrery_v1.2.3" + statedSuffix, statement}} {
		file := filepath.Join(dir, broken.file)
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		changed := bytes.Clone(content)
		changed[len(changed)/4] ^= 1
		write(t, dir, broken.file, string(changed))
		if out, err := tryShell(dir, broken.commands); err == nil {
			t.Errorf("with another %s all is well: %s", broken.file, out)
		}
		write(t, dir, broken.file, string(content))
	}
}

func TestSignatures_OfTheImage(t *testing.T) {
	r, _ := tinyRelease(t, here)
	r.key = keyFile(t)
	if err := r.image(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := names(folder(t, r.out)); len(got) != 2 || got[0] != "orrery_v1.2.3_image"+statedSuffix {
		t.Fatalf("it made %q", got)
	}
	key, err := r.signingKey()
	if err != nil {
		t.Fatal(err)
	}
	write(t, r.out, publicFile, string(key.Public()))
	commands := strings.NewReplacer("orrery_v1.2.3.intoto.jsonl", "orrery_v1.2.3_image.intoto.jsonl").Replace(documented(t, "DSSEv1"))
	if out := shell(t, r.out, commands); !strings.Contains(out, "Verified OK") {
		t.Errorf("the provenance is not verified: %s", out)
	}
	payload := string(folder(t, r.out)["statement"])
	index := shell(t, r.out, "tar -xOf orrery_v1.2.3_image.tar index.json")
	digest := regexp.MustCompile(`"digest":\s*"sha256:([0-9a-f]{64})"`).FindStringSubmatch(index)
	if digest == nil || !strings.Contains(payload, `{"name":"orrery","digest":{"sha256":"`+digest[1]+`"}}`) || !strings.Contains(payload, `{"name":"orrery/`+here.String()+`",`) {
		t.Errorf("the statement is not of the image %v: %s", digest, payload)
	}
}

func TestSignatures_NeedAKey(t *testing.T) {
	for name, content := range map[string]string{"a text": "secret", "missing": ""} {
		r, _ := tinyRelease(t, here)
		r.key = filepath.Join(t.TempDir(), "key")
		if content != "" {
			write(t, filepath.Dir(r.key), "key", content)
		}
		if err := r.archives(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "reading the key to sign with") {
			t.Errorf("%s: error %v", name, err)
		}
		if entries, _ := os.ReadDir(r.out); len(entries) != 0 {
			t.Errorf("%s: it left %v", name, entries)
		}
	}
}
