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

// names are the names of the recordings, in the recommended order.
var names = []string{
	"morning-rush", "priority-storm", "zone-failure", "node-drain", "memory-pressure", "leader-failover",
	"stateful-rollout",
}

// Trace is an embedded recording.
type Trace struct {
	Name string
	// Title and Story are for people: a line, and a paragraph.
	Title, Description string
	Length             time.Duration
	// Size is the recording's size in bytes.
	Size int64
}

// Traces lists the recordings. The first is the default.
func Traces() []Trace { return slices.Clone(list()) }

var list = sync.OnceValue(func() []Trace {
	all := make([]Trace, 0, len(names))
	for _, name := range names {
		s, err := Scenario(name)
		if err != nil {
			panic(fmt.Sprintf("an embedded scenario: %v", err)) // the tests load all of them
		}
		file, err := fs.Stat(traces, traceFile(name))
		if err != nil {
			panic(fmt.Sprintf("an embedded recording: %v", err))
		}
		all = append(all, Trace{Name: name, Title: s.Title, Description: s.Description, Length: s.Length, Size: file.Size()})
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
	return fmt.Errorf("there is no recording %q: there are %s", name, strings.Join(names, ", "))
}
