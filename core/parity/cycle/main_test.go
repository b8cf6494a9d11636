package cycle

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"k8s.io/kubernetes/pkg/scheduler/metrics"

	"orrery/core/parity/difftest"
	"orrery/core/parity/program"
)

var caseFile = flag.String("case", "", "the file with the case that TestReplay runs")

func TestMain(m *testing.M) {
	difftest.PrepareSynctest()
	metrics.Register()
	recorder = metrics.NewMetricsAsyncRecorder(1000, 24*time.Hour, nil)
	os.Exit(m.Run())
}

// recorder is shared by all of upstream's frameworks.
var recorder *metrics.MetricAsyncRecorder

// compareCases runs a comparison on the requested cases.
func compareCases(t *testing.T, otherwise int, compare func(*testing.T, *clusterCase, difftest.Coverage) string) {
	seen := difftest.Coverage{}
	difftest.Cases[*clusterCase]{
		Draw:   generateCase,
		Differ: func(c *clusterCase) string { return compare(t, c, seen) },
		Reduce: reduceCase,
		Print:  func(c *clusterCase) string { return replayableText(t, c) },
	}.Check(t, otherwise)
	t.Logf("reached: %s", seen)
}

// reduceCase reduces a case that differs in the same subject, which is the text before the colon.
func reduceCase(c *clusterCase, differ func(*clusterCase) string) *clusterCase {
	about := func(c *clusterCase) string {
		subject, _, _ := strings.Cut(differ(c), ":")
		return subject
	}
	subject := about(c)
	return reduceFields(c, 3000, func(smaller *clusterCase) bool { return about(smaller) == subject })
}

// replayableText returns a case as text with the command that runs it.
func replayableText(t *testing.T, c *clusterCase) string {
	file := fmt.Sprintf("%s/case-%d-%d.yaml", os.TempDir(), c.Seed, c.Number)
	text := c.YAML()
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Log(err)
	}
	return fmt.Sprintf("Replay it with: go test ./cycle -run Replay -case %s\n%s", file, text)
}

func TestReplay(t *testing.T) {
	if *caseFile == "" {
		t.Skip("no -case given")
	}
	text, err := os.ReadFile(*caseFile)
	if err != nil {
		t.Fatal(err)
	}
	c, err := parseCase(text)
	if err != nil {
		t.Fatal(err)
	}
	for name, compare := range map[string]func(*testing.T, *clusterCase, difftest.Coverage) string{"answers": compareAnswers, "decisions": compareDecisions} {
		if mismatch := compare(t, c, difftest.Coverage{}); mismatch != "" {
			t.Errorf("%s: %s", name, mismatch)
		}
	}
	if os.Getenv(program.Switch) == "" {
		return
	}
	for _, r := range oracleReleases(t) {
		if _, mismatch := compareRelease(t, c, r, startOracleOf(t, r), difftest.Coverage{}); mismatch != "" {
			t.Errorf("%s: %s", r, mismatch)
		}
	}
}
