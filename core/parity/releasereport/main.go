package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"orrery/core/parity/kubesource"
	"orrery/core/scheduler/release"
)

func main() {
	older := flag.String("old", release.Newest.String(), "the older `release`, such as 1.37 or 1.37.2")
	newer := flag.String("new", "", "the newer `release`, such as 1.38 or 1.38.0-beta.0")
	files := flag.Int("files", 40, "how many `files` are listed; 0 lists all")
	flag.Parse()
	if err := run(*older, *newer, *files); err != nil {
		fmt.Fprintln(os.Stderr, "releasereport:", err)
		os.Exit(2)
	}
}

func run(older, newer string, files int) error {
	if newer == "" || flag.NArg() > 0 {
		return errors.New("say which releases: make release-report OLD=1.37 NEW=1.38")
	}
	was, err := patchOf(older)
	if err != nil {
		return err
	}
	is, err := patchOf(newer)
	if err != nil {
		return err
	}
	r, err := compare(was, is)
	if err != nil {
		return err
	}
	_, err = os.Stdout.WriteString(r.text(files))
	return err
}

// patchOf returns the patch that stands for a release: the one that core/parity compares with, or the newest that is served.
func patchOf(text string) (string, error) {
	text = strings.TrimPrefix(text, "v")
	if strings.Count(text, ".") != 1 {
		return text, nil
	}
	if r, err := release.Parse(text); err == nil {
		return r.Patch(), nil
	}
	out, err := exec.Command("go", "list", "-m", "-versions", "k8s.io/kubernetes").Output()
	if err != nil {
		return "", fmt.Errorf("asking which versions of k8s.io/kubernetes are served: %w", err)
	}
	if patch, ok := newest(strings.Fields(string(out)), text); ok {
		return patch, nil
	}
	return "", fmt.Errorf("the module proxy serves no version of Kubernetes %+q", text)
}

// newest returns the last of the versions of a minor release, which are in order.
func newest(versions []string, minor string) (patch string, ok bool) {
	for _, v := range versions {
		if strings.HasPrefix(v, "v"+minor+".") {
			patch, ok = strings.TrimPrefix(v, "v"), true
		}
	}
	return patch, ok
}

// compare reads both sources.
func compare(older, newer string) (*report, error) {
	r := &report{older: older, newer: newer}
	for _, part := range []func() error{
		func() error { return r.compareGates() },
		func() (err error) { r.read, err = both(older, newer, kubesource.GatesRead); return err },
		func() (err error) { r.plugins, err = both(older, newer, kubesource.DefaultPlugins); return err },
		func() (err error) { r.metrics, err = both(older, newer, kubesource.Metrics); return err },
		func() (err error) { r.fields, err = both(older, newer, kubesource.Fields); return err },
		func() (err error) { r.files, err = kubesource.Files(older, newer); return err },
	} {
		if err := part(); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// lists are what two releases have.
type lists struct{ was, is []string }

func both(older, newer string, read func(patch string) ([]string, error)) (l lists, err error) {
	if l.was, err = read(older); err != nil {
		return l, err
	}
	l.is, err = read(newer)
	return l, err
}
