package yamlnode_test

import (
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"orrery/core/safe/yamlnode"
)

func parse(t *testing.T, text string) *yaml.Node {
	t.Helper()
	var n yaml.Node
	if err := yaml.Unmarshal([]byte(text), &n); err != nil {
		t.Fatal(err)
	}
	return n.Content[0]
}

func TestBudget_FollowsAliases(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		budget     yamlnode.Budget
		fits       bool
	}{
		{"as much as there is", "a: [xx, y]", yamlnode.Budget{Values: 5, Text: 4}, true},
		{"a value too many", "a: [xx, y]", yamlnode.Budget{Values: 4, Text: 4}, false},
		{"a byte too many", "a: [xx, y]", yamlnode.Budget{Values: 5, Text: 3}, false},
		{"an alias counts as what it stands for", "a: &x [y, y]\nb: *x", yamlnode.Budget{Values: 8, Text: 6}, false},
		{"an anchor within itself", "a: &x [*x]", yamlnode.Budget{Values: 1000, Text: 1000}, false},
	} {
		if fits := tt.budget.TakeTree(parse(t, tt.text)); fits != tt.fits {
			t.Errorf("%s: fits %v, %+v is left", tt.name, fits, tt.budget)
		}
	}
}

func TestStopped_Line(t *testing.T) {
	for text, want := range map[string]struct {
		line    int
		problem string
	}{
		"a: 1\nb: [":      {2, "did not find"},
		"a: 1\n\nb: \x01": {3, "control characters"},
	} {
		err := yaml.Unmarshal([]byte(text), new(yaml.Node))
		line, problem := yamlnode.Stopped([]byte(text), err)
		if line != want.line || !strings.Contains(problem, want.problem) || strings.HasPrefix(problem, "yaml: ") {
			t.Errorf("%q: line %d, %q, want %d, %q", text, line, problem, want.line, want.problem)
		}
	}
}

func TestChild_PathsAndAliases(t *testing.T) {
	root := parse(t, "list: &l\n- name: a\n- Name: b\nagain: *l\n")
	for path, want := range map[string]string{"list[1].name": "b", "again[0].name": "a", "list[2].name": "", "list.name": "", "other": ""} {
		at := root
		for _, step := range yamlnode.Steps(path) {
			at, _ = yamlnode.Child(at, step, strings.EqualFold)
		}
		got := ""
		if at != nil {
			got = at.Value
		}
		if got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
}
