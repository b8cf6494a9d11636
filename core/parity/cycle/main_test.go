package cycle

import (
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-logr/logr"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/metrics"

	"orrery/core/parity/asked"
	"orrery/core/parity/cases"
)

var caseFile = flag.String("case", "", "the file with the case that TestReplay plays")

func TestMain(m *testing.M) {
	flag.Parse()
	metrics.Register()
	klog.SetLogger(logr.Discard())
	log.SetOutput(io.Discard)
	utilruntime.ErrorHandlers = nil
	// The runtime starts a goroutine with the first signal asked for. It must not be born in virtual time.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGUSR2)
	recorder = metrics.NewMetricsAsyncRecorder(1000, 24*time.Hour, nil)
	os.Exit(m.Run())
}

// recorder is what all of upstream's frameworks share.
var recorder *metrics.MetricAsyncRecorder

// tally counts what the cases came across, so that one can see what they cover.
type tally map[string]int

func (n tally) count(format string, args ...any) { n[fmt.Sprintf(format, args...)]++ }

// everyCase runs a comparison over the cases that were asked for. It ends with the first that differs, cut down.
func everyCase(t *testing.T, otherwise int, compare func(*testing.T, *cases.Case, tally) string) {
	count, seed := asked.Number(t, "ORRERY_CASES", otherwise), asked.Number(t, "ORRERY_SEED", 1)
	first := asked.Number(t, "ORRERY_FIRST", 0)
	seen := tally{}
	for i := first; i < first+count; i++ {
		if i%2000 == 0 && i > 0 {
			t.Logf("%d cases of seed %d", i, seed)
		}
		c := cases.Generate(uint64(seed), i)
		if mismatch := compare(t, c, seen); mismatch != "" {
			report(t, c, mismatch, compare)
			return
		}
	}
	t.Logf("%d cases of seed %d, from case %d on, and no difference but the intended ones: %s", count, seed, first, seen.words())
}

// report cuts a case down and prints it.
func report(t *testing.T, c *cases.Case, mismatch string, compare func(*testing.T, *cases.Case, tally) string) {
	t.Helper()
	about, _, _ := strings.Cut(mismatch, ":")
	small := cases.Shrink(c, 3000, func(smaller *cases.Case) bool {
		again, _, _ := strings.Cut(compare(t, smaller, tally{}), ":")
		return again == about
	})
	again := compare(t, small, tally{})
	if again == "" {
		small, again = c, "not every time: "+mismatch
	}
	file := fmt.Sprintf("%s/case-%d-%d.yaml", os.TempDir(), c.Seed, c.Number)
	text := small.YAML()
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Log(err)
	}
	t.Errorf("case %d of seed %d: %s\nReplay it with: go test ./cycle -run Replay -case %s\n%s", c.Number, c.Seed, again, file, text)
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
