package scenario_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"orrery/core/evict/lifecycle"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// conflictingServer is a server on which somebody else is always a little faster, so many times.
type conflictingServer struct {
	*memory.Cluster
	left int
}

func (c *conflictingServer) Update(o world.Object) (world.Object, error) {
	if c.left > 0 {
		c.left--
		return nil, apierrors.NewConflict(schema.GroupResource{Resource: "nodes"}, o.GetName(), nil)
	}
	return c.Cluster.Update(o)
}

// runScript has a story happen on a server that is not the director's own, and tells what was said and done when.
func runScript(t *testing.T, text string, conflicts int) (told []string, err error) {
	t.Helper()
	s := parsed(t, text)
	c := &conflictingServer{memory.New(memory.Options{
		Start: s.Start, NodeLifecycle: lifecycle.InCluster(lifecycle.Options{Start: s.Start, Immediate: true}),
	}), conflicts}
	at := func() string { return c.Now().Sub(s.Start).Truncate(time.Second).String() }
	d := s.NewScriptRunner(c, s.Start, func(line string) { told = append(told, fmt.Sprintf("%s %s", at(), line)) })
	if err := d.CreateInitial(); err != nil {
		t.Fatal(err)
	}
	for end := s.Start.Add(s.Length); c.Now().Before(end) && err == nil; {
		wake, due := d.NextWake()
		if !due || wake.After(end) {
			wake = end
		}
		if in, ok := c.Next(wake); ok {
			if changed, ok := in.Event.(world.Changed); ok {
				told = append(told, fmt.Sprintf("%s %s %s %s", at(), changed.Op, world.KindOf(changed.Object), changed.Object.GetName()))
			}
			err = d.Apply(in)
			continue
		}
		err = d.Tick(c.Now())
	}
	return told, err
}

func TestScriptRunner_AnyServer(t *testing.T) {
	told, err := runScript(t, `
length: 20s
steps:
  - {at: 3s, every: 2s, times: 2, mark: again}
  - {at: 8s, mark: drained, drain: {nodes: "n-[12]", pause: 4s, uncordon: true}}
  - {at: 10s, add: [{name: late, cpu: 4, memory: 8Gi}]}`, 2)
	if err != nil {
		t.Fatal(err)
	}
	var notable []string
	for _, line := range told {
		if !strings.HasPrefix(line, "0s ") {
			notable = append(notable, line)
		}
	}
	want := []string{
		"3s again", "5s again", "8s drained", "8s n-1 is empty", "8s modified Node n-1", "8s modified Node n-1", "10s added Node late", "10s modified Node late",
		"10s modified Node late", "12s modified Node n-1", "12s n-2 is empty", "12s modified Node n-2", "12s modified Node n-1", "12s modified Node n-2",
		"16s modified Node n-2", "16s modified Node n-2",
	}
	if diff := cmp.Diff(want, notable); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestScriptRunner_GivesUpAfterConflicts(t *testing.T) {
	_, err := runScript(t, "steps:\n  - {at: 3s, cordon: n-1}", 1000)
	if err == nil || !strings.HasPrefix(err.Error(), "story.yaml:5: steps[0].cordon: ") {
		t.Errorf("it ends with %v", err)
	}
}
