package scenario_test

import (
	"errors"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orrery/demo/scenario"
	"orrery/demo/scenario/strict"
)

func TestParse_WarnsOfIgnoredKubeletFields(t *testing.T) {
	s, err := scenario.Parse("story.yaml", []byte(`title: Kubelets
length: 1m
cluster:
  nodes: [{name: n, cpu: 4, memory: 8Gi}]
  kubelet: {maxPods: 20, evictionHard: {containerfs.available: 1%}, featureGates: {NodeSwap: true}}
`))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"cluster.kubelet.featureGates.NodeSwap has no effect: the simulated kubelets read what concerns eviction and reserved resources",
		"cluster.kubelet.maxPods has no effect: the simulated kubelets read what concerns eviction and reserved resources",
		"cluster.kubelet: found containerfs.available for hard eviction. ignoring",
	}
	if diff := cmp.Diff(want, s.Warnings()); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

var update = flag.Bool("update", false, "rewrite the answers in testdata/errors.txt")

// testdata/errors.txt has scenarios with a mistake, each under a line that begins with "# " and says which, followed by
// the answer, in lines that begin with "> ". What every scenario needs and a case does not write itself is put in front
// of it on one line, which is its line 1.
func TestParse_ErrorsNameLineAndField(t *testing.T) {
	text, err := os.ReadFile("testdata/errors.txt")
	if err != nil {
		t.Fatal(err)
	}
	var now strings.Builder
	for _, c := range strings.SplitAfter(string(text), "\n\n") {
		now.WriteString(errorTable(t, strings.TrimRight(c, "\n")) + "\n\n")
	}
	got := strings.TrimRight(now.String(), "\n") + "\n"
	if *update {
		if err := os.WriteFile("testdata/errors.txt", []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(text), got); diff != "" {
		t.Errorf("other answers (-want +got); run with -update if they are right:\n%s", diff)
	}
}

// errorTable is a case with the answer it gets.
func errorTable(t *testing.T, text string) string {
	t.Helper()
	var name string
	var lines []string
	for line := range strings.Lines(text + "\n") {
		switch {
		case strings.HasPrefix(line, "# "):
			name = line
		case !strings.HasPrefix(line, "> "):
			lines = append(lines, line)
		}
	}
	written := strings.Join(lines, "")
	answer := "fine"
	if _, err := scenario.Parse("story.yaml", []byte(withRequired(written))); err != nil {
		answer = err.Error()
		var e *strict.Error
		if !errors.As(err, &e) {
			t.Errorf("%s the error is a %T", name, err)
		}
	}
	return name + written + "> " + answer
}

func TestParse_MissingField(t *testing.T) {
	for text, want := range map[string]string{
		"title: T\nlength: 1m": "story.yaml:1: cluster.nodes: a cluster needs nodes",
		"title: T\nlength: 1m\ncluster:\n  nodes:\n    - name: n": "story.yaml:5: cluster.nodes[0].cpu: a node needs cpu and memory",
		"length: 1m": "story.yaml:1: title: a scenario needs a title",
		"title: T":   "story.yaml:1: length: a scenario lasts for a second at least",
	} {
		if _, err := scenario.Parse("story.yaml", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q is answered with %v, want %s", text, err, want)
		}
	}
}

// withRequired puts in front of a scenario what it needs and does not say.
func withRequired(text string) string {
	var front []string
	for _, field := range []string{"title: T", "length: 1m", "cluster: {nodes: [{name: n, count: 3, zone: z, cpu: 4, memory: 8Gi}]}"} {
		if key, _, _ := strings.Cut(field, ":"); !strings.Contains(text, key+":") {
			front = append(front, field)
		}
	}
	if len(front) == 0 {
		return "\n" + text
	}
	return strings.Join(front, "\n") + "\n" + text
}
