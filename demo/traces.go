package demo

import (
	"bytes"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	"orrery/demo/scenario"
)

//go:embed traces/*.orrery
var traces embed.FS

//go:embed scenarios/*.yaml
var scenarios embed.FS

// stories are the recordings in the recommended order, each with where it makes its point.
var stories = []struct {
	name    string
	opening Opening
}{
	{"morning-rush", Opening{At: 44 * time.Second, Speed: 1}},
	{"priority-storm", Opening{At: 17 * time.Second, Speed: 1, View: "evictions"}},
	{"zone-failure", Opening{At: 61 * time.Second, Speed: 1}},
	{"node-drain", Opening{At: 39 * time.Second, Speed: 1, View: "evictions"}},
	{"memory-pressure", Opening{At: 40100 * time.Millisecond, Speed: 1, View: "pressure", Node: "worker-a-03"}},
	{"leader-failover", Opening{At: 14 * time.Second, Speed: 2, View: "leader"}},
	{"stateful-rollout", Opening{At: 52 * time.Second, Speed: 1, View: "storage"}},
	{"gpu-day", Opening{At: 14 * time.Second, Speed: 1, View: "devices"}},
	{"gang-deadlock", Opening{At: 4*time.Minute + 50*time.Second, Speed: 1, View: "groups"}},
	{"upgrade", Opening{At: 46 * time.Second, Speed: 1}},
}

// Opening is how a recording is opened to be watched: a few seconds before its climax, from where it can be rewound.
type Opening struct {
	// At is the time after the start.
	At    time.Duration
	Speed float64
	// View is the pane that makes its point, empty for the overview, and Node the node that the pane is about.
	View, Node string
}

// Trace is an embedded recording.
type Trace struct {
	Name string
	// Title and Story are for people: a line, and a paragraph.
	Title, Description string
	Length             time.Duration
	Opening            Opening
	// Size is the recording's size in bytes.
	Size int64
}

// Traces lists the recordings. The first is the default.
func Traces() []Trace { return slices.Clone(list()) }

var list = sync.OnceValue(func() []Trace {
	all := make([]Trace, 0, len(stories))
	for _, story := range stories {
		name := story.name
		s, err := Scenario(name)
		if err != nil {
			panic(fmt.Sprintf("an embedded scenario: %v", err)) // the tests load all of them
		}
		file, err := fs.Stat(traces, traceFile(name))
		if err != nil {
			panic(fmt.Sprintf("an embedded recording: %v", err))
		}
		all = append(all, Trace{Name: name, Title: s.Title, Description: s.Description, Length: s.Length, Opening: story.opening, Size: file.Size()})
	}
	return all
})

// Open opens a recording by its name.
func Open(name string) (io.Reader, error) {
	data, err := traces.ReadFile(traceFile(name))
	if err != nil {
		return nil, unknown(name)
	}
	return bytes.NewReader(data), nil
}

// Scenario returns the scenario of a recording.
func Scenario(name string) (*scenario.Scenario, error) {
	data, err := Source(name)
	if err != nil {
		return nil, err
	}
	return scenario.Parse(name+".yaml", data)
}

// Source returns the text of a recording's scenario, which can serve as a template.
func Source(name string) ([]byte, error) {
	data, err := scenarios.ReadFile("scenarios/" + name + ".yaml")
	if err != nil {
		return nil, unknown(name)
	}
	return data, nil
}

func traceFile(name string) string { return "traces/" + name + ".orrery" }

func unknown(name string) error {
	names := make([]string, len(stories))
	for i, story := range stories {
		names[i] = story.name
	}
	return fmt.Errorf("there is no recording %q: there are %s", name, strings.Join(names, ", "))
}
