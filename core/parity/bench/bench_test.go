package main

import (
	"io"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
)

// Runs every row once with few pods, to find rows that cannot be measured.
func TestMeasure_EveryRowOnBothSides(t *testing.T) {
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			for side := range sides {
				s, err := measure(side, testCase{row: r, nodes: 120}, 20)
				if err != nil {
					t.Fatal(err)
				}
				if s.took <= 0 || s.allocs == 0 || s.podsPerSecond() <= 0 {
					t.Errorf("%s measured nothing: %+v", side, s)
				}
			}
		})
	}
}

// idle is a scheduler that leaves one pod pending.
type idle struct{}

func (idle) schedule(b batch) ([]time.Duration, error) {
	return make([]time.Duration, b.placeable), nil
}
func (idle) pending([]*v1.Pod) int    { return 1 }
func (idle) answering() time.Duration { return 0 }
func (idle) close()                   {}

func TestMeasure_FailsWhenTooFewPodsAreBound(t *testing.T) {
	_, measured := testCase{row: rows[0], nodes: 3}.batches(5)
	err := scheduleChecked(idle{}, measured, nil)
	if want := "4 of 5 pods are on a node after 5 decisions, and 5 should be"; err == nil || err.Error() != want {
		t.Errorf("got error %v, want %q", err, want)
	}
}

func TestParse_RejectsInvalidFlags(t *testing.T) {
	for _, c := range []struct {
		name, want string
		args       []string
	}{
		{"a row that is not a regexp", "reading -row", []string{"-row", "("}},
		{"a side that does not exist", "there is no side", []string{"-side", "left"}},
		{"a table of one side", "needs both sides", []string{"-side", "orrery", "-out", "x.md"}},
		{"a row that matches nothing", "no row matches", []string{"-row", "nothing like that"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := run(c.args, io.Discard); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got error %v, want one with %q", err, c.want)
			}
		})
	}
}

func TestDocument_NamesWorstRow(t *testing.T) {
	table := []line{{name: "slow", ratio: 0.5}, {name: "fast", ratio: 30}, {name: "fair", ratio: 4}}
	o, err := parse([]string{"-runs", "7", "-date", "2026-01-02"})
	if err != nil {
		t.Fatal(err)
	}
	got := string(document(o, table))
	for _, want := range []string{
		"between 0.5 (slow) and 30.0 (fast), with a median of 4.0", "Measured on 2026-01-02", "median of 7 runs",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the document lacks %q", want)
		}
	}
}
