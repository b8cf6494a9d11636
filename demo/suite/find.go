package suite

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"orrery/core/safe/files"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/release"
	"orrery/core/trace/play"
	"orrery/demo"
	"orrery/demo/scenario"
	"orrery/demo/scenario/expect"
	"orrery/demo/scenario/strict"
)

// Subject is a scenario or a recording that is tested.
type Subject struct {
	// Name is how it was found, File the file with its expectations.
	Name, File   string
	Expectations []expect.Expectation

	scenario *scenario.Scenario // nil of a recording
	open     func() (io.ReadCloser, error)
	folder   string
}

// expectationsFile is what ends the name of a file with the expectations of the recording beside it.
const expectationsFile = ".expect.yaml"

// maxSubjects bounds a suite.
//
//orrery:limit tests; files of a suite; refused
const maxSubjects = 10_000

// Find returns what is tested: of a folder, everything in it with expectations; of a file or a built-in story, itself.
func Find(paths []string, plugins framework.Registry) ([]*Subject, error) {
	var all []*Subject
	for _, path := range paths {
		found, err := find(path, plugins)
		if err != nil {
			return nil, err
		}
		if all = append(all, found...); len(all) > maxSubjects {
			return nil, fmt.Errorf("there are more than %d files with expectations: test fewer at once", maxSubjects)
		}
	}
	return all, nil
}

func find(path string, plugins framework.Registry) ([]*Subject, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !strings.ContainsRune(path, filepath.Separator):
		s, err := demo.Scenario(path)
		if err != nil {
			return nil, fmt.Errorf("testing %q: there is no such file, and %w", printable.Line(path, 200), err)
		}
		return one(ofScenario(path, path, s, plugins), nil)
	case err != nil:
		return nil, fmt.Errorf("testing %q: %w", printable.Line(path, 200), err)
	case !info.IsDir():
		return one(file(path, plugins))
	}
	var all []*Subject
	err = filepath.WalkDir(path, func(at string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		beside := strings.HasSuffix(at, expectationsFile)
		if beside {
			at = strings.TrimSuffix(at, expectationsFile) + ".orrery"
		}
		if ext := filepath.Ext(at); !beside && ext != ".yaml" && ext != ".yml" || !beside && !mayExpect(at) {
			return nil
		}
		s, err := file(at, plugins)
		if err == nil && len(s.Expectations) > 0 {
			all = append(all, s)
		}
		return err
	})
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("testing %s: nothing in this folder has expectations: no scenario with expect, and no recording with a file *%s beside it", printable.Line(path, 200), expectationsFile)
	}
	return all, err
}

// mayExpect reports whether a file looks like a scenario with expectations: folders have other YAML, too.
func mayExpect(path string) bool {
	data, err := files.Read(path, strict.MaxBytes)
	return err == nil && (bytes.HasPrefix(data, []byte("expect:")) || bytes.Contains(data, []byte("\nexpect:")))
}

// one is a subject by itself, which has to expect something.
func one(s *Subject, err error) ([]*Subject, error) {
	if err != nil {
		return nil, err
	}
	if len(s.Expectations) == 0 {
		return nil, fmt.Errorf("testing %s: it expects nothing: write expect in the scenario, or in a file *%s beside the recording", printable.Line(s.Name, 200), expectationsFile)
	}
	return []*Subject{s}, nil
}

func file(path string, plugins framework.Registry) (*Subject, error) {
	if ext := filepath.Ext(path); ext == ".yaml" || ext == ".yml" {
		s, err := scenario.ReadFile(path)
		if err != nil {
			return nil, err
		}
		return ofScenario(path, path, s, plugins), nil
	}
	beside := strings.TrimSuffix(path, filepath.Ext(path)) + expectationsFile
	data, err := files.Read(beside, strict.MaxBytes)
	if err != nil {
		return nil, fmt.Errorf("testing %s: reading what is expected of it: %w", printable.Line(path, 200), err)
	}
	expectations, err := parse(beside, data)
	if err != nil {
		return nil, err
	}
	return &Subject{
		Name: path, File: beside, Expectations: expectations, folder: filepath.Dir(path),
		open: func() (io.ReadCloser, error) { return os.Open(path) },
	}, nil
}

// parse reads the expectations of a recording.
func parse(name string, data []byte) ([]expect.Expectation, error) {
	var of struct {
		strict.Position
		Expect []expect.Expectation `yaml:"expect"`
	}
	if err := strict.Decode(name, data, &of); err != nil {
		return nil, err
	}
	for i := range of.Expect {
		if err := of.Expect[i].Validate(0); err != nil {
			return nil, err
		}
	}
	return of.Expect, nil
}

func ofScenario(name, file string, s *scenario.Scenario, plugins framework.Registry) *Subject {
	return &Subject{Name: name, File: file, Expectations: s.Expectations(), scenario: s.WithPlugins(plugins), folder: filepath.Dir(file)}
}

// variant is how a subject is run: under a seed and as a release. Of a recording the seed is nil, and the release may be.
type variant struct {
	seed *uint64
	as   *release.Release
	// own says that it is as the scenario or the recording is written, named that the release was asked for.
	own, named bool
}

// variants are those of a subject for seeds from its own on, and for releases; without any it is its own.
func (s *Subject) variants(seeds int, releases []release.Release) []variant {
	var all []variant
	if s.scenario == nil {
		if len(releases) == 0 {
			return []variant{{own: true}}
		}
		for _, r := range releases {
			all = append(all, variant{as: &r, named: true})
		}
		return all
	}
	own := s.scenario.Configuration().Features.Release()
	named := len(releases) > 0
	if !named {
		releases = []release.Release{own}
	}
	for _, r := range releases {
		for n := range max(seeds, 1) {
			seed := s.scenario.Seed() + uint64(n)
			all = append(all, variant{&seed, &r, n == 0 && r.String() == own.String(), named})
		}
	}
	return all
}

// observe runs a subject.
func (s *Subject) observe(v variant, o play.Options) (*expect.Run, error) {
	if s.scenario == nil {
		from, err := s.open()
		if err != nil {
			return nil, err
		}
		defer from.Close() //nolint:errcheck // nothing was written
		o.Kubernetes = v.as
		return expect.Observe(from, o)
	}
	run := s.scenario.WithSeed(*v.seed)
	c := run.Configuration()
	features, _ := c.Features.In(*v.as)
	c, err := c.In(features)
	if err != nil {
		return nil, err
	}
	run = run.WithConfiguration(c)
	followed := expect.Follow(run.Start, run.Length, func(to io.Writer) error { return run.Record(to, nil) }, o)
	_, err = run.Play(func(*engine.Engine, engine.Options) (drive.Observer, error) { return followed, nil }, nil)
	return followed, err
}

// recording opens another recording, in the folder of the subject: links that lead out of it are not followed.
func (s *Subject) recording(name string, o play.Options) (*expect.Run, error) {
	if from, err := demo.Open(name); err == nil {
		return expect.Observe(from, o)
	}
	root, err := os.OpenRoot(s.folder)
	if err != nil {
		return nil, err
	}
	defer root.Close() //nolint:errcheck // nothing was written
	from, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer from.Close() //nolint:errcheck // nothing was written
	return expect.Observe(from, o)
}
