package scenario_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/fuzz"
	"orrery/demo/scenario"
	"orrery/demo/scenario/strict"
)

// FuzzParse reads scenarios, and plays the small ones for a second.
//
//orrery:reads demo/scenario demo/scenario/strict demo/scenario/expect core/safe/yamlnode
func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("../scenarios/*.yaml")
	if err != nil || len(files) == 0 {
		f.Fatal("there are no scenarios to begin with")
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	mistakes, err := os.ReadFile("testdata/errors.txt")
	if err != nil {
		f.Fatal(err)
	}
	for mistake := range strings.SplitSeq(string(mistakes), "\n\n") {
		f.Add([]byte(withRequired(mistake)))
	}
	f.Add([]byte("a: &a [&b [*a, *b], *a]"))
	for _, c := range hostile() {
		if len(c.text) <= fuzz.MaxSeed {
			f.Add([]byte(boundsHead + c.text))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var s *scenario.Scenario
		var err error
		fuzz.Cost(t, len(text), func() { s, err = scenario.Parse("story.yaml", text) })
		if err == nil {
			for _, x := range s.Expectations() {
				_ = x.String()
			}
			playBriefly(t, s, len(text))
			return
		}
		var e *strict.Error
		if !errors.As(err, &e) {
			t.Fatalf("the error is a %T: %v", err, err)
		}
		fuzz.Error(t, err)
		if !strings.HasPrefix(err.Error(), "story.yaml:") {
			t.Errorf("the error names no file: %q", err)
		}
	})
}

func playBriefly(t *testing.T, s *scenario.Scenario, size int) {
	if size > 1000 || s.Length > time.Second {
		return
	}
	_, err := s.Play(func(*engine.Engine, engine.Options) (drive.Observer, error) {
		return &textObserver{status: map[string]string{}}, nil
	}, nil)
	var e *strict.Error
	if err != nil && !errors.As(err, &e) {
		t.Errorf("playing ends with a %T: %v", err, err)
	}
}
