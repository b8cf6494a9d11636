package scenario_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/trace"
	"orrery/core/trace/play"
	"orrery/core/world"
	"orrery/demo/scenario"
)

// parsed is a scenario of a minute, unless it says otherwise.
func parsed(t *testing.T, text string) *scenario.Scenario {
	t.Helper()
	s, err := scenario.Parse("story.yaml", []byte(withRequired(text)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// textObserver remembers what a scheduler was told, in the words that tests look for.
type textObserver struct {
	began  time.Time
	lines  []string
	status map[string]string // of pods, by name: the node, or why there is none
	engine *engine.Engine
}

func (l *textObserver) Applied(in world.Input, err error) {
	at := fmt.Sprintf("%ds ", in.At.Sub(l.began)/time.Second)
	if err != nil {
		l.lines = append(l.lines, at+"problem "+err.Error())
	}
	if listed, ok := in.Event.(world.Listed); ok && listed.Kind == world.Pod {
		l.lines = append(l.lines, fmt.Sprintf("%slist of %d pods", at, len(listed.Objects)))
	}
	changed, ok := in.Event.(world.Changed)
	if !ok {
		return
	}
	switch o := changed.Object.(type) {
	case *v1.Pod:
		l.lines = append(l.lines, at+changed.Op.String()+" "+o.Name)
		if l.status[o.Name] = o.Spec.NodeName; changed.Op == world.Deleted {
			delete(l.status, o.Name)
		}
	case *v1.Node:
		word := changed.Op.String()
		if o.Spec.Unschedulable {
			word += " cordoned"
		}
		for _, taint := range o.Spec.Taints {
			word += " " + taint.ToString()
		}
		l.lines = append(l.lines, at+word+" "+o.Name)
	}
}

func (l *textObserver) Stepped(*engine.Decision) {}

func (l *textObserver) Emitted(world.Effect) {}

func (l *textObserver) Mark(text string) { l.lines = append(l.lines, "mark "+text) }

// observedText plays a scenario and tells what the scheduler was told.
func observedText(t *testing.T, text string) *textObserver {
	t.Helper()
	l := &textObserver{status: map[string]string{}}
	_, err := parsed(t, text).Play(func(e *engine.Engine, o engine.Options) (drive.Observer, error) {
		l.began, l.engine = o.Start, e
		return l, nil
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.engine.Check(); err != nil {
		t.Errorf("at the end: %v", err)
	}
	return l
}

// count is how many things were said that look like that.
func (l *textObserver) count(pattern string) int {
	n, re := 0, regexp.MustCompile("^(?:"+pattern+")$")
	for _, line := range l.lines {
		if re.MatchString(line) {
			n++
		}
	}
	return n
}

func TestPlay_ActionsHappenOnTime(t *testing.T) {
	const shop = "workloads:\n  - {deployment: shop, replicas: 4, cpu: 500m, memory: 1Gi}\n"
	for _, tt := range []struct {
		name, text string
		want       map[string]int // what is said how often
	}{
		{
			"a workload is there from the beginning, and is scaled", shop + `
steps:
  - {at: 10s, mark: "more", scale: {shop: +3}}
  - {at: 20s, every: 2s, times: 3, scale: {shop: -1}}`,
			map[string]int{`0s added shop-.*`: 4, `10s added shop-.*`: 3, `2\ds deleted shop-.*`: 3, "mark more": 1},
		},
		{
			"a workload that the story creates is not there before", `
workloads:
  - {job: report, replicas: 6, parallelism: 2, runtime: 3s}
steps:
  - {at: 10s, create: report}`,
			map[string]int{`\ds added report-.*`: 0, `10s added report-.*`: 2, `\d\ds added report-.*`: 6},
		},
		{
			"workloads are deleted, bare pods too", shop + `
  - {pod: tool, replicas: 2}
steps:
  - {at: 10s, delete: [shop, tool]}`,
			map[string]int{`1\ds deleted (shop|tool)-.*`: 6},
		},
		{
			"a deployment is rolled over", shop + `
steps:
  - {at: 10s, restart: shop}`,
			map[string]int{`\d\ds added shop-.*`: 4, `\d\ds deleted shop-.*`: 4},
		},
		{
			"gates are taken off, so many at a time", `
workloads:
  - {pod: train, replicas: 3, schedulingGates: quota}
steps:
  - {at: 10s, ungate: {train: 2}}`,
			map[string]int{`0s list of 3 pods`: 1, `1\ds modified train-[01]`: 6, `.*modified train-2`: 0},
		},
		{
			"nodes come, and are ready when their kubelet says so", `
steps:
  - {at: 10s, add: [{name: extra, count: 2, cpu: 4, memory: 8Gi}]}
  - {at: 40s, remove: extra-1}`,
			map[string]int{`10s added node.kubernetes.io/not-ready:NoSchedule extra-.`: 2, `1\ds modified extra-.`: 2, `40s deleted extra-1`: 1},
		},
		{
			"nodes are cordoned and uncordoned", `
steps:
  - {at: 10s, cordon: [n-1, n-2]}
  - {at: 20s, uncordon: zone=z}`,
			map[string]int{`10s modified cordoned.* n-[12]`: 4, `20s modified n-[12]`: 2, `.*n-3`: 0},
		},
		{
			"nodes are tainted, and pods that do not tolerate it leave", shop + `
  - {pod: tough, tolerations: [maintenance], nodeSelector: {kubernetes.io/hostname: n-1}}
steps:
  - {at: 10s, taint: {nodes: n-*, taints: ["maintenance=soon:NoExecute"]}}
  - {at: 20s, untaint: {nodes: "*", taints: [maintenance:NoExecute]}}`,
			map[string]int{`10s modified maintenance=soon:NoExecute n-.`: 3, `1\ds deleted shop-.*`: 4, `.*deleted tough`: 0, `20s modified n-.`: 3},
		},
		{
			"nodes are drained, one by one, and come back", shop + `
steps:
  - {at: 10s, drain: {nodes: "n-[12]", pause: 5s, uncordon: true}}`,
			map[string]int{`1\ds modified cordoned n-[12]`: 2, `mark n-. is empty`: 2, `.*modified n-[12]`: 2},
		},
		{
			"a budget holds an eviction off", `
workloads:
  - {deployment: shop, replicas: 4, disruptionBudget: {maxUnavailable: 1}, startup: 10s}
steps:
  - {at: 20s, evict: {shop: 3}}`,
			map[string]int{`2\ds deleted shop-.*`: 1},
		},
		{
			"a node is lost, found to be unreachable, and comes back", `
length: 2m
steps:
  - {at: 7s, disconnect: n-1}
  - {at: 80s, reconnect: n-1}`,
			map[string]int{`60s modified node.kubernetes.io/unreachable:NoSchedule n-1`: 1, `65s .*:NoExecute n-1`: 1, `8\ds modified n-1`: 1},
		},
		{
			"everything is listed anew after the API server was down, and what the story wants waits for it", shop + `
steps:
  - {at: 10s, apiserver: {down: 5s}}
  - {at: 11s, scale: {shop: +1}}`,
			map[string]int{`15s list of [45] pods`: 1, `1[0-4]s added .*`: 0},
		},
		{
			"calls are refused, and tried again", shop + `
steps:
  - {at: 10s, apiserver: {reject: {bind: 2}, delay: {for: 5s, by: 100ms..200ms}, breakWatches: [{kind: Node, for: 2s}]}, scale: {shop: +2}}`,
			map[string]int{`10s added shop-.*`: 2},
		},
		{
			"an object is written in full", `
objects:
  - apiVersion: v1
    kind: Pod
    metadata: {name: full, namespace: tools}
    spec: {containers: [{name: main, resources: {requests: {cpu: 250m}}}]}`,
			map[string]int{`0s modified full`: 2},
		},
		{
			"a scheduler is started beside a cluster that runs", "warmup: 20s\n" + shop,
			map[string]int{`0s list of 4 pods`: 1, `.*added .*`: 0},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := observedText(t, tt.text)
			for pattern, n := range tt.want {
				if got := l.count(pattern); got != n {
					t.Errorf("%q is said %d times, want %d, in:\n%s", pattern, got, n, strings.Join(l.lines, "\n"))
				}
			}
			for name, node := range l.status {
				if node == "" && !strings.HasPrefix(name, "train-2") {
					t.Errorf("%s has no node at the end", name)
				}
			}
		})
	}
}

const three = `
seed: 4
scheduler: {replicas: 3, lease: {leaseDuration: 6s, renewDeadline: 4s, retryPeriod: 1s}}
workloads:
  - {job: work, replicas: 120, parallelism: 4, cpu: 500m, runtime: 2s}
steps:
`

func TestRecord_ReplicaLeadingAtEnd(t *testing.T) {
	for _, tt := range []struct {
		name, story string
		changes     int
	}{
		{"nothing happens", "  - {at: 5s, mark: hello}", 0},
		{"the leader is killed", "  - {at: 10s, kill: leader}", 1},
		{"two leaders are killed", "  - {at: 10s, kill: leader}\n  - {at: 30s, kill: leader}", 2},
		{"the leader is stopped, and comes back too late", "  - {at: 10s, pause: {leader: 15s}}", 1},
		{"the leader is cut off", "  - {at: 10s, partition: {leader: 20s}}", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var file bytes.Buffer
			if err := parsed(t, three+tt.story).Record(&file, nil); err != nil {
				t.Fatal(err)
			}
			e, report, err := play.Replay(bytes.NewReader(file.Bytes()), play.Options{})
			if err != nil || !report.OK() || report.Refused > 0 {
				t.Fatalf("replayed: %+v, %v", report, err)
			}
			r, err := trace.NewReader(&file)
			if err != nil {
				t.Fatal(err)
			}
			holders := map[string]bool{}
			var last time.Duration
			for record := range r.All() {
				if m, ok := record.Body.(trace.Mark); ok && m.Kind == trace.LeaderChange && !strings.HasSuffix(m.Text, `to ""`) {
					holders[m.Text] = true
				}
				if _, ok := record.Body.(trace.Decision); ok {
					last = record.At.Sub(r.Header().Start)
				}
			}
			if len(holders) != tt.changes {
				t.Errorf("the leader changes %d times, want %d: %v", len(holders), tt.changes, holders)
			}
			if last < 50*time.Second {
				t.Errorf("the replica's last decision is at %v: it is not the one that leads at the end", last)
			}
			if err := e.Check(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestRecord_Deterministic(t *testing.T) {
	record := func(s *scenario.Scenario) []byte {
		var file bytes.Buffer
		if err := s.Record(&file, func(time.Duration) {}); err != nil {
			t.Fatal(err)
		}
		return file.Bytes()
	}
	s := parsed(t, three+"  - {at: 10s, kill: leader}")
	first := record(s)
	if !bytes.Equal(first, record(s)) {
		t.Error("recorded twice, it differs")
	}
	if bytes.Equal(first, record(s.WithSeed(5))) {
		t.Error("with another seed it is the same")
	}
	if !bytes.Equal(first, record(s)) {
		t.Error("the scenario was changed by being given another seed")
	}
}

func TestParse_ConfigurationFile(t *testing.T) {
	dir := t.TempDir()
	config := "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles: [{schedulerName: fast}]\n"
	if err := os.WriteFile(filepath.Join(dir, "fast.yaml"), []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	text := withRequired("scheduler: {config: fast.yaml}\nworkloads:\n  - {pod: a, schedulerName: fast}")
	s, err := scenario.Parse(filepath.Join(dir, "story.yaml"), []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := s.Record(&file, nil); err != nil {
		t.Fatal(err)
	}
	e, _, err := play.Replay(&file, play.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n := e.Counters().Bound; n != 1 {
		t.Errorf("%d pods are bound by the profile of the file, want 1", n)
	}
	// A mistake in it is reported with the file's name.
	if err := os.WriteFile(filepath.Join(dir, "fast.yaml"), []byte(config+"parallelism: -1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := scenario.Parse(filepath.Join(dir, "story.yaml"), []byte(text)); err == nil ||
		!strings.Contains(err.Error(), "fast.yaml") || !strings.Contains(err.Error(), "parallelism") {
		t.Errorf("a mistake in the file is answered with %v", err)
	}
}

func TestPlay_RejectedObjectNamesLine(t *testing.T) {
	for name, text := range map[string]string{
		"workloads[0]": "workloads:\n  - {pod: a, labels: {app: b}, priorityClass: system-nothing}",
		"steps[0]":     "workloads:\n  - {pod: a, priorityClass: system-nothing}\nsteps:\n  - {at: 3s, create: a}",
	} {
		_, err := parsed(t, text).Play(func(*engine.Engine, engine.Options) (drive.Observer, error) { return &textObserver{}, nil }, nil)
		if err == nil || !strings.Contains(err.Error(), "story.yaml:") || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
}
