package main

import (
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

func TestTable_RatioIsMedianOfRounds(t *testing.T) {
	run := func(took, cpu time.Duration) sample {
		return sample{pods: 1001, took: took, cpu: cpu, until: time.Second, memory: 100 << 20}
	}
	b := bench{options: options{rounds: 3}, runs: map[string][]sample{
		upstream:     {run(10*time.Second, 3003*time.Millisecond), run(5*time.Second, 2002*time.Millisecond), run(8*time.Second, 2002*time.Millisecond)},
		orrery:       {run(5*time.Second, 1001*time.Millisecond), run(5*time.Second, 1001*time.Millisecond), run(2*time.Second, 1001*time.Millisecond)},
		binder:       {run(4*time.Second, 1001*time.Millisecond), run(4*time.Second, 1001*time.Millisecond), run(4*time.Second, 1001*time.Millisecond)},
		binderEvents: {run(5*time.Second, 1001*time.Millisecond), run(5*time.Second, 1001*time.Millisecond), run(5*time.Second, 1001*time.Millisecond)},
	}}
	table := b.table()
	for _, want := range []string{
		"| upstream, run 1 | 100 | 3.00 ms | 100 MiB | 1.0 s | 0 |",
		"| orrery, run 3 | 500 | 1.00 ms | 100 MiB | 1.0 s | 0 |",
		"| **upstream, median** | 125 | 2.00 ms | 100 MiB | 1.0 s | |",
		"| **orrery to upstream, median of rounds** | **2.00** | **0.50** | **1.00** | **1.00** | |",
		"| **orrery to binder, median of rounds** | **0.80** | **1.00** | **1.00** | **1.00** | |",
	} {
		if !strings.Contains(table, want+"\n") {
			t.Errorf("the table has no row %q:\n%s", want, table)
		}
	}
}

func TestTable_OneSideHasNoRatio(t *testing.T) {
	b := bench{options: options{rounds: 1, side: orrery}, runs: map[string][]sample{orrery: {{pods: 2, took: time.Second}}}}
	if table := b.table(); strings.Contains(table, upstream) || strings.Contains(table, "ratio") {
		t.Errorf("the table:\n%s", table)
	}
}

func TestBindings_Check(t *testing.T) {
	bound := func(pod, node string) watch.Event {
		return watch.Event{Type: watch.Modified, Object: &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: pod}, Spec: v1.PodSpec{NodeName: node}}}
	}
	crowd := func() (events []watch.Event) {
		for i := range 111 {
			events = append(events, bound(strings.Repeat("x", i+1), "a"))
		}
		return events
	}
	for name, c := range map[string]struct {
		events  []watch.Event
		pods    int
		wantErr string
	}{
		"a pod without a node is not bound":           {[]watch.Event{bound("p", "")}, 0, ""},
		"a pod is counted once":                       {[]watch.Event{bound("p", "a"), bound("p", "a")}, 1, ""},
		"a pod that changes its node was bound twice": {[]watch.Event{bound("p", "a"), bound("p", "b")}, 1, "pod p was bound to a and then to b"},
		"a node has more pods than it allows":         {crowd(), 111, "node a has more than 110 pods"},
		"an error of the watch is reported":           {[]watch.Event{{Type: watch.Error, Object: &metav1.Status{Message: "too old"}}}, 0, "too old"},
	} {
		t.Run(name, func(t *testing.T) {
			b := bindings{node: map[string]string{}}
			var err error
			for _, event := range c.events {
				if err == nil {
					err = b.note(event)
				}
			}
			if err == nil {
				err = b.fit()
			}
			if len(b.node) != c.pods {
				t.Errorf("%d pods are bound, want %d", len(b.node), c.pods)
			}
			if (err == nil) != (c.wantErr == "") || (err != nil && !strings.Contains(err.Error(), c.wantErr)) {
				t.Errorf("error %v, want %q", err, c.wantErr)
			}
		})
	}
}

func TestParse_RejectsInvalidFlags(t *testing.T) {
	for line, wantErr := range map[string]string{
		"-side both":                "there is no contender",
		"-side orrery -out some.md": "all contenders",
		"-pods 1":                   "two pods",
		"-rounds 0":                 "a round",
	} {
		if _, err := parse(strings.Fields(line)); err == nil || !strings.Contains(err.Error(), wantErr) {
			t.Errorf("%s: %v, want an error with %q", line, err, wantErr)
		}
	}
}
