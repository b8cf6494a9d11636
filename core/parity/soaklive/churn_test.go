package main

import (
	"math/rand/v2"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

func pod(name, app, node string, phase v1.PodPhase) *v1.Pod {
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name), Labels: map[string]string{"app": app}},
		Spec:       v1.PodSpec{NodeName: node}, Status: v1.PodStatus{Phase: phase},
	}
}

func newPods(alive int) *churn {
	return &churn{options: options{alive: alive}, rng: rand.New(rand.NewPCG(1, 0)), pods: map[types.UID]*livePod{}}
}

func TestChurn_NoticesWhatIsLost(t *testing.T) {
	type event struct {
		of  watch.EventType
		pod *v1.Pod
	}
	waits, bound := pod("a", "plain", "", v1.PodPending), pod("a", "plain", "n1", v1.PodPending)
	runs, moved := pod("a", "plain", "n1", v1.PodRunning), pod("a", "plain", "n2", v1.PodRunning)
	tests := map[string]struct {
		events  []event
		wantErr string
	}{
		"bound once":         {[]event{{watch.Added, waits}, {watch.Modified, bound}, {watch.Modified, runs}}, ""},
		"bound twice":        {[]event{{watch.Added, waits}, {watch.Modified, bound}, {watch.Modified, moved}}, "was bound to n1 and then to n2"},
		"bound without room": {[]event{{watch.Added, pod("a", "unfit", "n1", v1.PodPending)}}, "requests more than n1 has"},
		"deleted by another": {[]event{{watch.Added, waits}, {watch.Deleted, waits}}, "was deleted by another"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c := newPods(10)
			for _, e := range test.events {
				c.observe(e.of, e.pod)
			}
			if err := c.failure(); (err != nil) != (test.wantErr != "") || err != nil && !strings.Contains(err.Error(), test.wantErr) {
				t.Errorf("it says %v instead of %q", err, test.wantErr)
			}
		})
	}
}

func TestChurn_RunsPodWhenItIsBound(t *testing.T) {
	c := newPods(10)
	for i, step := range []struct {
		pod *v1.Pod
		run bool
	}{{pod("a", "plain", "", v1.PodPending), false}, {pod("a", "plain", "n1", v1.PodPending), true}, {pod("a", "plain", "n1", v1.PodRunning), false}} {
		if run := c.observe(watch.Modified, step.pod); run != step.run {
			t.Errorf("step %d: runs the pod: %t", i, run)
		}
	}
	if got, want := c.counts(), (counts{created: 1, bound: 1}); got != want {
		t.Errorf("it counts %v instead of %v", got, want)
	}
}

func TestChurn_WaitsForWhatFits(t *testing.T) {
	c := newPods(10)
	for _, p := range []*v1.Pod{
		pod("waits", "plain", "", v1.PodPending), pod("starts", "plain", "n1", v1.PodPending), pod("runs", "plain", "n1", v1.PodRunning), pod("large", "unfit", "", v1.PodPending),
	} {
		c.observe(watch.Added, p)
	}
	if got := strings.Join(c.waiting(), ", "); len(c.waiting()) != 2 || !strings.Contains(got, "waits is not bound") || !strings.Contains(got, "starts does not run on n1") {
		t.Errorf("it waits for %s", got)
	}
}

func TestChurn_DeletesTheOldestThatRuns(t *testing.T) {
	c := newPods(1)
	deleteNext := func() string {
		if _, p := c.oldest(); p != nil {
			return p.name
		}
		return ""
	}
	c.observe(watch.Added, pod("first", "unfit", "", v1.PodPending))
	if name := deleteNext(); name != "" {
		t.Errorf("it deletes %s of one pod", name)
	}
	c.observe(watch.Added, pod("second", "plain", "", v1.PodPending))
	c.observe(watch.Added, pod("third", "plain", "", v1.PodPending))
	if name := deleteNext(); name != "first" {
		t.Errorf("it deletes %q instead of the one that fits nowhere", name)
	}
	if name := deleteNext(); name != "" {
		t.Errorf("it deletes %s, which does not run", name)
	}
	c.observe(watch.Modified, pod("second", "plain", "n1", v1.PodRunning))
	if name := deleteNext(); name != "second" {
		t.Errorf("it deletes %q instead of the oldest that runs", name)
	}
}

func TestChurn_DrawsSamePodsFromSameSeed(t *testing.T) {
	a, b, unfit := newPods(1), newPods(1), 0
	for range 2000 {
		one, other := a.draw(), b.draw()
		if one.Name != other.Name || one.Spec.Containers[0].Resources.Requests.Cpu().Cmp(*other.Spec.Containers[0].Resources.Requests.Cpu()) != 0 {
			t.Fatalf("it draws %s and %s", one.Name, other.Name)
		}
		if one.Labels["app"] == "unfit" {
			unfit++
		}
	}
	if unfit == 0 || unfit > 200 {
		t.Errorf("%d of 2000 pods fit nowhere", unfit)
	}
}
