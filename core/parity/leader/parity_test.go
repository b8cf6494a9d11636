package leader

import (
	"io"
	"log"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"

	"orrery/core/leader"
)

func TestMain(m *testing.M) {
	klog.SetLogger(logr.Discard())
	log.SetOutput(io.Discard)
	os.Exit(m.Run())
}

func TestCandidatesDoAsClientGoDoes(t *testing.T) {
	for _, d := range Differences {
		t.Log("by design: " + d)
	}
	cases, seed := setting(t, "ORRERY_CASES", 1000), setting(t, "ORRERY_SEED", 1)
	seen := tally{verbs: map[leader.Verb]int{}, notices: map[leader.NoticeKind]int{}}
	for i := range cases {
		s := newScript(uint64(seed + i))
		electors, err := compare(t, s)
		if err != nil {
			small := shrink(s, func(s script) bool { _, err := compare(t, s); return err != nil })
			_, again := compare(t, small)
			t.Fatalf("seed %d: %v\n\ncut down: %v\n%v", seed+i, err, again, small)
		}
		seen.add(electors)
	}
	t.Logf("%d histories agree, seeds %d to %d, %v of virtual time: %d electors, calls %v, unanswered %d, failed %d, in stopped processes %d, notices %v",
		cases, seed, seed+cases-1, seen.time.Round(time.Second), seen.electors, seen.verbs, seen.unanswered, seen.failed, seen.stopped, seen.notices)
}

func compare(t *testing.T, s script) ([]*elector, error) {
	electors := play(t, &s)
	for _, e := range electors {
		if err := agree(e); err != nil {
			return electors, err
		}
	}
	return electors, nil
}

// tally counts what the histories came across.
type tally struct {
	electors, unanswered, failed, stopped int
	verbs                                 map[leader.Verb]int
	notices                               map[leader.NoticeKind]int
	time                                  time.Duration
}

func (n *tally) add(electors []*elector) {
	for _, e := range electors {
		n.electors++
		n.time += e.script.length / time.Duration(len(electors))
		for _, x := range e.calls {
			n.verbs[x.verb]++
			if !x.answered {
				n.unanswered++
			} else if x.err != nil {
				n.failed++
			}
			if !x.stopped.IsZero() {
				n.stopped++
			}
		}
		for _, notice := range e.notices {
			n.notices[notice.Kind]++
		}
	}
}

// setting reads a number from the environment.
func setting(t *testing.T, name string, otherwise int) int {
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s=%q is no number: %v", name, text, err)
	}
	return n
}
