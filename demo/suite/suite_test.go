package suite

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"orrery/core/scheduler/release"
	"orrery/demo"
)

// TestRun_StoriesAreAsExpected tests every built-in story by what it expects itself.
func TestRun_StoriesAreAsExpected(t *testing.T) {
	for _, story := range demo.Traces() {
		t.Run(story.Name, func(t *testing.T) {
			subjects, err := Find([]string{story.Name}, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range Run(subjects, Options{Parallel: 1, Program: "orrery"}) {
				if r.Err != nil {
					t.Fatal(r.Err)
				}
				for _, x := range r.Results {
					if x.Failure != nil {
						t.Errorf("line %d, %s: %s; %s", x.LineNumber(), x.Expectation, x.Failure.Message, x.Command)
					}
				}
			}
		})
	}
}

// TestRun_ComparesRecordings tests a recording by a file beside it, and a scenario with recordings.
func TestRun_ComparesRecordings(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var recorded bytes.Buffer
	if err := written(t, shop)[0].scenario.Record(&recorded, nil); err != nil {
		t.Fatal(err)
	}
	main := write("main.orrery", recorded.String())
	write("main.expect.yaml", "expect:\n- {app: shop, placed: {within: 2s}}\n- {app: shop, placed: {within: 1ms}}\n- {same-as: main.orrery}\n- {agrees-with: kubernetes 1.37}\n")
	cut, _, _ := strings.Cut(shop, "expect:\n")
	same := cut + "expect:\n- {same-as: main.orrery}\n- {not-worse-than: {recording: main.orrery, by: 5%}}\n"
	write("same.yaml", same)
	write("worse.yaml", strings.Replace(strings.Replace(same, "cpu: 4,", "cpu: 2,", 1), "same-as: main.orrery", "not-worse-than: main.orrery", 1))
	write("other.txt", "not a scenario")
	write("nothing.yaml", cut)

	subjects, err := Find([]string{dir}, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	progress := 0
	for _, r := range Run(subjects, Options{Parallel: 3, Seeds: 1, Progress: func(done, of int) { progress = max(progress, 100*done/of) }}) {
		if r.Err != nil {
			t.Fatal(r.Err)
		}
		for _, x := range r.Results {
			word := "passed"
			if x.Failure != nil {
				word = x.Failure.Message
			}
			got[filepath.Base(r.Name)] = append(got[filepath.Base(r.Name)], word)
		}
	}
	if m := got["main.orrery"]; len(m) != 4 || m[0] != "passed" || !strings.Contains(m[1], "no node within 1ms") || m[2] != "passed" || m[3] != "passed" {
		t.Errorf("main.orrery: %q", m)
	}
	if m := got["same.yaml"]; !slices.Equal(m, []string{"passed", "passed"}) {
		t.Errorf("same.yaml: %q", m)
	}
	if m := got["worse.yaml"]; len(m) != 2 || !strings.Contains(m[0], "in main.orrery") {
		t.Errorf("worse.yaml: %q", m)
	}
	if len(got) != 3 || progress != 100 {
		t.Errorf("%v are tested, to %d%%", got, progress)
	}
	other := strings.Replace(same, "seed: 3", "seed: 4", 1)
	write("same.yaml", other)
	if subjects, err = Find([]string{filepath.Join(dir, "same.yaml")}, nil); err != nil {
		t.Fatal(err)
	}
	if r := Run(subjects, Options{Parallel: 1})[0].Results[0]; r.Failure == nil || !strings.HasPrefix(r.Failure.Message, "decision ") {
		t.Errorf("another seed is the same: %+v", r.Failure)
	}
	_ = main
}

func TestSubject_Variants(t *testing.T) {
	s := written(t, shop)[0]
	var names []string
	for _, v := range s.variants(2, []release.Release{release.V135, release.V137}) {
		r := Ran{Subject: s, Seed: v.seed, Release: v.as}
		name := r.Variant()
		if v.own {
			name += ", own"
		}
		names = append(names, name)
	}
	want := []string{"seed 3, Kubernetes 1.35, own", "seed 4, Kubernetes 1.35", "seed 3, Kubernetes 1.37", "seed 4, Kubernetes 1.37"}
	if !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}

func TestFind_Refuses(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	head, _, _ := strings.Cut(shop, "expect:\n")
	for _, row := range []struct{ path, says string }{
		{"nosuch", `there is no such file`},
		{filepath.Join(dir, "nosuch.yaml"), "no such file"},
		{write("nothing.yaml", head), "it expects nothing"},
		{write("a.orrery", "x"), "reading what is expected of it"},
		{write("two.yaml", head+"expect:\n- {app: shop, placed: true, pending: none}\n"), "two.yaml:23: expect[0]: it expects 2 things"},
		{write("none.yaml", head+"expect:\n- {app: shop}\n"), "say what is expected"},
		{write("late.yaml", head+"expect:\n- {at: 2m, placed: true}\n"), "it comes after 1m0s"},
		{write("when.yaml", head+"expect:\n- {at: 2s, preempts: none}\n"), "is about the whole run"},
		{write("field.yaml", head+"expect:\n- {placed: {withn: 2s}}\n"), `unknown field "withn"`},
		{write("figure.yaml", head+"expect:\n- {p99: {of: waiting, below: 3}}\n"), "this is no duration"},
		{write("of.yaml", head+"expect:\n- {p99: {of: sleep, below: 3s}}\n"), "it is waiting or attempts"},
		{write("release.yaml", head+"expect:\n- {agrees-with: kubernetes 1.2}\n"), "it is a release"},
		{write("by.yaml", head+"expect:\n- {not-worse-than: {recording: a, by: 5}}\n"), "it is a share in percent"},
		{write("pattern.yaml", head+"expect:\n- {pods: \"[\", placed: true}\n"), "is no pattern"},
	} {
		if _, err := Find([]string{row.path}, nil); err == nil || !strings.Contains(err.Error(), row.says) {
			t.Errorf("%s: %v, want an error with %q", row.path, err, row.says)
		}
	}
	if _, err := Find([]string{t.TempDir()}, nil); err == nil || !strings.Contains(err.Error(), "nothing in this folder has expectations") {
		t.Errorf("an empty folder: %v", err)
	}
}
