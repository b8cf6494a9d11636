package config_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"orrery/core/scheduler/config"
	"orrery/core/testing/fuzz"
)

const wrongEverywhere = head + `parallelism: 0
profiles:
- schedulerName: a
  plugins: &lists
    score:
      enabled:
      - name: NodeAffinity
      - name: NodeAffinity
        weight: 3
- schedulerName: b
  plugins: *lists
  pluginConfig:
  - name: NodeAffinity
    args: {addedAfinity: {}}
  - {name: InterPodAffinity,
     args: {
       hardPodAffinityWeight: 101}}
- schedulerName: c
  plugins:
    queueSort:
      enabled:
      - name: Other
    filter:
      enabled:
      - name: EBSLimits
extenders:
- prioritizeVerb: p
`

func TestLines_OfErrors(t *testing.T) {
	_, err := config.Load([]byte(wrongEverywhere), config.Features{})
	var bad *config.Error
	if !errors.As(err, &bad) {
		t.Fatal(err)
	}
	lines := config.LinesOf([]byte(wrongEverywhere))
	want := map[string]int{
		"parallelism":                                            3,
		"profiles[0].plugins.score.enabled[1]":                   10,
		"profiles[1].plugins.score.enabled[1]":                   10,
		"profiles[1].pluginConfig[0].args.addedAfinity":          16,
		"profiles[1].pluginConfig[1].args.hardPodAffinityWeight": 19,
		"profiles[2].plugins.filter.enabled[0]":                  27,
		"profiles[2].plugins.queueSort":                          22,
		"extenders[0].weight":                                    29,
		"profiles[0].plugins.queueSort.Enabled":                  6,
	}
	for _, one := range bad.List {
		if line, known := want[one.Field]; !known || lines.OfError(one) != line {
			t.Errorf("%v is on line %d, want %d", one, lines.OfError(one), line)
		}
		delete(want, one.Field)
	}
	delete(want, "profiles[0].plugins.queueSort.Enabled")
	for path := range want {
		t.Errorf("there is no error at %s", path)
	}
}

func TestLines_Of(t *testing.T) {
	yaml := head + "profiles:\n- schedulerName: a\n  plugins: {score: {enabled: [{name: X},\n    {name: Y}]}}\n"
	for _, tt := range []struct {
		name, data, path string
		want             int
	}{
		{"a field", yaml, "kind", 2},
		{"an item", yaml, "profiles[0]", 4},
		{"a field in an item", yaml, "profiles[0].plugins", 5},
		{"deep in one line", yaml, "profiles[0].plugins.score.enabled[1].name", 6},
		{"another case", yaml, "profiles[0].plugins.score.Enabled", 5},
		{"the nearest there is", yaml, "profiles[0].plugins.filter.enabled", 5},
		{"an item too many", yaml, "profiles[7].schedulerName", 3},
		{"nothing of it", yaml, "extenders[0]", 0},
		{"no path", yaml, "", 0},
		{"JSON", "{\"kind\": 1,\n\"a\": [1,\n2]}", "a[1]", 3},
		{"no YAML", "a: [", "a", 0},
		{"nothing", "", "a", 0},
		{"an alias in itself", "a: &a [*a]", "a[0][0][0]", 0},
		{"too large", "a: 1\n#" + strings.Repeat("x", config.MaxBytes), "a", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := config.LinesOf([]byte(tt.data)).Of(tt.path); got != tt.want {
				t.Errorf("%s is on line %d, want %d", tt.path, got, tt.want)
			}
		})
	}
}

func TestLines_Plugin(t *testing.T) {
	lines := config.LinesOf([]byte(wrongEverywhere))
	for _, tt := range []struct {
		lists, name, path string
		line              int
	}{
		{"profiles[2].plugins", "EBSLimits", "profiles[2].plugins.filter.enabled[0]", 27},
		{"profiles[1].plugins", "NodeAffinity", "profiles[1].plugins.score.enabled[0]", 9},
		{"profiles[1].pluginConfig", "InterPodAffinity", "profiles[1].pluginConfig[1]", 17},
		{"profiles[0].plugins", "EBSLimits", "", 0},
		{"profiles[9].plugins", "EBSLimits", "", 0},
	} {
		if path, line := lines.Plugin(tt.lists, tt.name); path != tt.path || line != tt.line {
			t.Errorf("%s in %s is at %s, line %d; want %s, line %d", tt.name, tt.lists, path, line, tt.path, tt.line)
		}
	}
	if i := lines.Index("profiles", "schedulerName", "c"); i != 2 {
		t.Errorf("the profile c has index %d, want 2", i)
	}
	if i := lines.Index("profiles", "schedulerName", "z"); i != -1 {
		t.Errorf("a profile that is not there has index %d", i)
	}
}

// lineBreak has all that YAML takes for the end of a line.
var lineBreak = regexp.MustCompile("[\r\n\u0085\u2028\u2029]")

// FuzzLines reads the line numbers of a scheduler configuration.
//
//orrery:reads core/scheduler/config core/safe/yamlnode
func FuzzLines(f *testing.F) {
	f.Add([]byte(wrongEverywhere), "profiles[1].plugins.score.enabled[1].name")
	f.Add([]byte("a: &a [*a]"), "a[0][0]")
	f.Add([]byte("{a: [1]}"), "a[-1]..[")
	f.Fuzz(func(t *testing.T, data []byte, path string) {
		var lines config.Lines
		fuzz.Cost(t, len(data), func() { lines = config.LinesOf(data) })
		last := 1 + len(lineBreak.FindAll(data, -1))
		if got := lines.Of(path); got < 0 || got > last {
			t.Errorf("%q is on line %d of %d", path, got, last)
		}
		if _, got := lines.Plugin(path, "x"); got < 0 || got > last {
			t.Errorf("a plugin in %q is on line %d of %d", path, got, last)
		}
	})
}
