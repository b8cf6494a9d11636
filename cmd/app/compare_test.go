package app

import (
	"reflect"
	"slices"
	"testing"

	"github.com/spf13/cobra"

	"orrery/core/answers/compare"
	"orrery/core/testing/race"
	"orrery/core/trace"
	"orrery/demo"
)

// Compared with a recording's own configuration, the same configuration gives the same figures.
func TestCompare_EqualConfigurationsGiveEqualFigures(t *testing.T) {
	race.Alone(t)
	for _, name := range builtIn() {
		t.Run(name, func(t *testing.T) {
			all, _, err := configurationsOf(&cobra.Command{}, []string{"default"}, nil, nil, headerOfBuiltIn(t, name))
			if err != nil {
				t.Fatal(err)
			}
			recorded, given := all[0], all[1]
			if was, is := recorded.Config.Features.Changed(), given.Config.Features.Changed(); !slices.Equal(was, is) {
				t.Fatalf("recorded under the gates %v, and compared with a configuration under %v", was, is)
			}
			if name != "node-drain" && name != "memory-pressure" {
				return // the others take seconds
			}
			file, err := demo.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			c, err := compare.Traces(file, all, compare.Options{})
			if err != nil {
				t.Fatal(err)
			}
			c.Results[0].Name = c.Results[1].Name
			if !reflect.DeepEqual(c.Results[0], c.Results[1]) {
				t.Errorf("as recorded:\n%+v\ndefault:\n%+v", c.Results[0], c.Results[1])
			}
		})
	}
}

func headerOfBuiltIn(t *testing.T, name string) trace.Header {
	t.Helper()
	file, err := demo.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	header, _, err := headerOf(file)
	if err != nil {
		t.Fatal(err)
	}
	return header
}
