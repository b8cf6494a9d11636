package cycle

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"

	"orrery/core/parity/agree"
	"orrery/core/parity/cases"
	"orrery/core/parity/virtual"
)

var caseFile = flag.String("case", "", "the file with the case that TestReplay plays")

func TestMain(m *testing.M) {
	virtual.Prepare()
	metrics.Register()
	utilruntime.ErrorHandlers = nil
	recorder = metrics.NewMetricsAsyncRecorder(1000, 24*time.Hour, nil)
	os.Exit(m.Run())
}

// recorder is what all of upstream's frameworks share.
var recorder *metrics.MetricAsyncRecorder

// tally counts what the cases came across, so that one can see what they cover.
type tally map[string]int

func (n tally) count(format string, args ...any) { n[fmt.Sprintf(format, args...)]++ }

// everyCase runs a comparison over the cases that were asked for.
func everyCase(t *testing.T, otherwise int, compare func(*testing.T, *cases.Case, tally) string) {
	seen := tally{}
	agree.Comparison[*cases.Case]{
		Draw:    cases.Generate,
		Differ:  func(c *cases.Case) string { return compare(t, c, seen) },
		CutDown: cutDown,
		Print:   func(c *cases.Case) string { return replayable(t, c) },
	}.Check(t, otherwise)
	t.Logf("what they came across: %s", seen.words())
}

// cutDown makes a case small, and keeps what the two differ about.
func cutDown(c *cases.Case, differ func(*cases.Case) string) *cases.Case {
	about := func(c *cases.Case) string {
		subject, _, _ := strings.Cut(differ(c), ":")
		return subject
	}
	subject := about(c)
	return cases.Shrink(c, 3000, func(smaller *cases.Case) bool { return about(smaller) == subject })
}

// replayable is a case as text, and the command that plays it.
func replayable(t *testing.T, c *cases.Case) string {
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
	c, err := cases.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	for name, compare := range map[string]func(*testing.T, *cases.Case, tally) string{"answers": compareAnswers, "decisions": compareDecisions} {
		if mismatch := compare(t, c, tally{}); mismatch != "" {
			t.Errorf("%s: %s", name, mismatch)
		}
	}
}
