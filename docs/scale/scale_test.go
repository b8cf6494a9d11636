package main

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

// A small cluster is measured, and every kind is in the table and in the figure.
func TestMeasure_EveryKind(t *testing.T) {
	var steps []string
	r, err := measure(size{nodes: 30, pods: 60}, func(step string) { steps = append(steps, step) })
	if err != nil {
		t.Fatal(err)
	}
	page, drawn := document([]result{r, r}, "today"), figure([]result{r, r})
	for i, k := range podKinds {
		if r.decisions[i].median <= 0 {
			t.Errorf("%s took no time", k.name)
		}
		if !strings.Contains(page, "| "+k.name+" |") || !strings.Contains(drawn, ">"+k.name+"<") {
			t.Errorf("%s is not in the table or not in the figure", k.name)
		}
	}
	if want := len(podKinds) + 2; len(steps) != want {
		t.Errorf("%d steps of progress, want %d: %q", len(steps), want, steps)
	}
	for decoder := xml.NewDecoder(strings.NewReader(drawn)); ; {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("the figure is no XML: %v", err)
		}
	}
}

func TestRun_WithoutSizes(t *testing.T) {
	err := run("", "", 10, io.Discard, io.Discard)
	if want := "-nodes 10 leaves out every size: the smallest has 1000"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestGrouped(t *testing.T) {
	for n, want := range map[int]string{7: "7", 1000: "1,000", 1_000_000: "1,000,000", 12_034: "12,034"} {
		if got := grouped(n); got != want {
			t.Errorf("%d is written %s, want %s", n, got, want)
		}
	}
}
