package scenario_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	resourcealphav1 "k8s.io/api/resource/v1alpha3"
	"k8s.io/utils/ptr"

	"orrery/core/evict"
	"orrery/core/evict/observer"
	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/trace/play"
	"orrery/core/world"
)

// Every story is a scenario, and what becomes of its pods and their claims.
func TestStories(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no stories", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.ToSlash(file), ".txtar"), func(t *testing.T) {
			story, err := txtar.ParseFile(file)
			if err != nil || len(story.Files) != 2 {
				t.Fatalf("want the two files scenario.yaml and happens: %v", err)
			}
			got := happens(t, string(story.Files[0].Data))
			if *update {
				story.Files[1].Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(story), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(story.Files[1].Data), got); diff != "" {
				t.Errorf("what happens (-want +got):\n%s", diff)
			}
			wantReplayed(t, string(story.Files[0].Data))
		})
	}
}

// happens plays a scenario and tells of its pods, claims and rules, to the second.
func happens(t *testing.T, text string) string {
	t.Helper()
	s := &storyTeller{said: map[string]string{}, claims: map[string]*resourcev1.ResourceClaim{}, evictions: observer.New(observer.Options{})}
	_, err := parsed(t, text).Play(func(e *engine.Engine, o engine.Options) (drive.Observer, error) {
		s.began, s.engine = o.Start, e
		return s, nil
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.engine.Check(); err != nil {
		t.Errorf("at the end: %v", err)
	}
	return s.text.String()
}

// wantReplayed records a scenario and replays it.
func wantReplayed(t *testing.T, text string) {
	t.Helper()
	var file bytes.Buffer
	if err := parsed(t, text).Record(&file, nil); err != nil {
		t.Fatal(err)
	}
	wantSameDecisions(t, &file)
}

// wantSameDecisions replays a recording.
func wantSameDecisions(t *testing.T, file io.Reader) {
	t.Helper()
	if _, report, err := play.Replay(file, play.Options{}); err != nil || !report.OK() || report.Refused > 0 {
		t.Errorf("replayed: %+v, %v", report, err)
	}
}

// storyTeller writes a line whenever what there is to say of an object has changed.
type storyTeller struct {
	began  time.Time
	now    time.Time
	engine *engine.Engine
	text   strings.Builder
	said   map[string]string
	claims map[string]*resourcev1.ResourceClaim
	// evictions is the record of evictions; kills is how many containers were killed on it.
	evictions *observer.Observer
	kills     int
}

// Mark tells what the API server refuses.
func (s *storyTeller) Mark(text string) {
	fmt.Fprintf(&s.text, "%4.0fs  %s\n", s.now.Sub(s.began).Seconds(), text)
}

func (s *storyTeller) Stepped(*engine.Decision) {}
func (s *storyTeller) Emitted(world.Effect)     {}

func (s *storyTeller) Applied(in world.Input, _ error) {
	s.now = in.At
	switch e := in.Event.(type) {
	case world.Listed:
		for _, o := range e.Objects {
			s.learn(in.At, world.Added, o)
		}
	case world.Changed:
		s.learn(in.At, e.Op, e.Object)
	}
	s.evictions.Apply(in)
	s.tellKills()
}

// tellKills tells what the record says of containers that were killed as memory ran out.
func (s *storyTeller) tellKills() {
	all := s.evictions.Record().Ended()
	all = slices.DeleteFunc(slices.Clone(all), func(e evict.Eviction) bool { return e.Cause != evict.OutOfMemory })
	for _, e := range all[s.kills:] {
		at := func(t time.Time) float64 { return t.Sub(s.began).Seconds() }
		fmt.Fprintf(&s.text, "%4.0fs  pod %s at %.0fs: %s (%s)\n", at(s.now), e.Pod.Name, at(e.Ended), e.Reason, e.Initiator)
	}
	s.kills = len(all)
}

func (s *storyTeller) learn(at time.Time, op world.Op, o world.Object) {
	var now string
	switch o := o.(type) {
	case *v1.Pod:
		now = s.pod(o)
	case *v1.Node:
		now = s.node(o)
	case *resourcev1.ResourceClaim:
		if s.claims[o.Name] = o; op == world.Deleted {
			delete(s.claims, o.Name)
		}
		now = "is free"
		if o.Status.Allocation != nil {
			now = "has " + allocated(o)
		}
		if o.DeletionTimestamp != nil {
			now += ", and is being deleted"
		}
	case *resourcealphav1.DeviceTaintRule:
		now = "is there"
		for _, c := range o.Status.Conditions {
			now = fmt.Sprintf("%s=%s %s: %s", c.Type, c.Status, c.Reason, c.Message)
		}
	default:
		return
	}
	if op == world.Deleted {
		now = "is deleted"
	}
	name := fmt.Sprintf("%s %s", strings.ToLower(string(world.KindOf(o))), o.GetName())
	if now != "" && s.said[name] != now {
		s.said[name] = now
		fmt.Fprintf(&s.text, "%4.0fs  %s %s\n", at.Sub(s.began).Seconds(), name, now)
	}
}

// node says under which pressure a node is, and how that keeps pods away; nothing of one that never was.
func (s *storyTeller) node(n *v1.Node) string {
	var words []string
	for _, c := range n.Status.Conditions {
		if c.Type != v1.NodeReady && c.Status == v1.ConditionTrue {
			words = append(words, string(c.Type))
		}
	}
	for _, t := range n.Spec.Taints {
		if strings.HasSuffix(t.Key, "-pressure") {
			words = append(words, t.ToString())
		}
	}
	if _, was := s.said["node "+n.Name]; len(words) == 0 && was {
		return "reports no pressure"
	}
	return strings.Join(words, ", ")
}

// pod says where a pod is, or why it is pending.
func (s *storyTeller) pod(p *v1.Pod) string {
	switch {
	case p.DeletionTimestamp != nil:
		return "is being deleted"
	case p.Status.Phase == v1.PodFailed && p.Status.Reason == "" && len(p.Status.ContainerStatuses) > 0:
		return "fails: " + p.Status.ContainerStatuses[0].State.Terminated.Reason
	case p.Status.Phase == v1.PodFailed:
		return "fails: " + p.Status.Reason + " " + p.Status.Message
	case p.Status.Phase == v1.PodSucceeded:
		return "has ended"
	case p.Status.Phase == v1.PodRunning:
		return containerState(p) + " on " + p.Spec.NodeName
	case p.Spec.NodeName != "":
		return "is on " + p.Spec.NodeName
	}
	for _, c := range p.Status.Conditions {
		if c.Type == v1.PodScheduled && c.Status == v1.ConditionFalse {
			return "is pending: " + c.Message
		}
	}
	if p.Status.NominatedNodeName != "" {
		return "waits, with a place on " + p.Status.NominatedNodeName
	}
	return "waits"
}

// containerState says whether a pod's first container runs.
func containerState(p *v1.Pod) string {
	s := p.Status.ContainerStatuses[0]
	switch {
	case s.State.Waiting != nil:
		return "has no container, " + s.State.Waiting.Reason + ","
	case s.State.Terminated != nil:
		return "has no container, " + s.State.Terminated.Reason + ","
	case s.RestartCount > 0:
		return fmt.Sprintf("runs again (%d)", s.RestartCount)
	}
	return "runs"
}

// allocated lists the devices of a claim, and what it uses of those that it shares.
func allocated(c *resourcev1.ResourceClaim) string {
	var all []string
	for _, d := range c.Status.Allocation.Devices.Results {
		word := fmt.Sprintf("%s=%s/%s", d.Request, d.Pool, d.Device)
		if ptr.Deref(d.AdminAccess, false) {
			word += " for administration"
		}
		for name, amount := range d.ConsumedCapacity {
			word += fmt.Sprintf(" %s of its %s", amount.String(), name)
		}
		all = append(all, word)
	}
	if s := c.Status.Allocation.NodeSelector; s != nil && len(s.NodeSelectorTerms[0].MatchFields) > 0 {
		all = append(all, "on "+s.NodeSelectorTerms[0].MatchFields[0].Values[0])
	}
	for _, r := range c.Status.ReservedFor {
		all = append(all, "for "+r.Name)
	}
	return strings.Join(all, ", ")
}
