package memory_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/evict/lifecycle"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

var dawn = time.Date(2026, 3, 1, 6, 0, 0, 0, time.UTC)

// scene is a cluster and its scheduler's inputs so far.
type scene struct {
	*memory.Cluster
	t       *testing.T
	told    []world.Input
	effects world.EffectID
}

func newScene(t *testing.T, o memory.Options) *scene {
	t.Helper()
	o.Start, o.NodeLifecycle = dawn, lifecycle.InCluster(lifecycle.Options{Start: dawn, Immediate: true})
	return &scene{Cluster: memory.New(o), t: t}
}

// podsAndNodes watches only these two kinds, so that a tape shows nothing else.
var podsAndNodes = []world.Kind{world.Node, world.Pod}

func create[T world.Object](s *scene, o T) T {
	s.t.Helper()
	made, err := s.Create(o)
	if err != nil {
		s.t.Fatalf("creating %T %s: %v", o, o.GetName(), err)
	}
	return made.(T)
}

// do hands an effect over and returns its number.
func (s *scene) do(act world.Action) world.EffectID {
	s.effects++
	s.Do(world.Effect{ID: s.effects, At: s.Now(), Action: act})
	return s.effects
}

// bind emits the binding of a pod of the default namespace.
func (s *scene) bind(pod, node string) world.EffectID {
	return s.do(world.Bind{Pod: world.PodRefOf(s.Pod("default", pod)), Node: node})
}

// pass lets time pass and gives the tape of it.
func (s *scene) pass(d time.Duration) string {
	told := s.Advance(d)
	s.told = append(s.told, told...)
	return tape(told)
}

// wants compares the scheduler's inputs in some time with the wanted ones.
func (s *scene) wants(d time.Duration, want string) {
	s.t.Helper()
	if diff := cmp.Diff(lines(want), lines(s.pass(d))); diff != "" {
		s.t.Errorf("the scheduler was told (-want +got):\n%s", diff)
	}
}

func lines(text string) []string {
	var all []string
	for _, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			all = append(all, strings.Join(strings.Fields(line), " "))
		}
	}
	return all
}

func tape(told []world.Input) string {
	var b strings.Builder
	for _, in := range told {
		fmt.Fprintf(&b, "%v ", in.At.Sub(dawn))
		switch e := in.Event.(type) {
		case world.Changed:
			fmt.Fprintf(&b, "%s %s\n", e.Op, portrait(e.Object))
		case world.Listed:
			names := make([]string, len(e.Objects))
			for i, o := range e.Objects {
				names[i] = o.GetName()
			}
			fmt.Fprintf(&b, "listed %s: %s\n", e.Kind, strings.Join(names, " "))
		case world.EffectDone:
			if e.Outcome.OK() {
				fmt.Fprintf(&b, "effect %d ended well\n", e.Effect)
				continue
			}
			fmt.Fprintf(&b, "effect %d failed: %s: %s\n", e.Effect, e.Outcome.Reason, e.Outcome.Message)
		}
	}
	return b.String()
}

// portrait shows of an object what the tests are about.
func portrait(o world.Object) string {
	switch o := o.(type) {
	case *v1.Pod:
		return podPortrait(o)
	case *v1.Node:
		words := []string{"node", o.Name}
		for _, t := range o.Spec.Taints {
			words = append(words, strings.TrimPrefix(t.Key, "node.kubernetes.io/")+":"+string(t.Effect))
		}
		for _, c := range o.Status.Conditions {
			words = append(words, fmt.Sprintf("%s=%s", c.Type, c.Status))
		}
		return strings.Join(words, " ")
	}
	if words := storagePortrait(o); words != "" {
		return words
	}
	if words := devicePortrait(o); words != "" {
		return words
	}
	return fmt.Sprintf("%s %s", world.KindOf(o), o.GetName())
}

func podPortrait(p *v1.Pod) string {
	words := []string{"pod", p.Name, string(p.Status.Phase)}
	if p.Spec.NodeName != "" {
		words = append(words, "on "+p.Spec.NodeName)
	}
	if p.Status.NominatedNodeName != "" {
		words = append(words, "nominated "+p.Status.NominatedNodeName)
	}
	if p.Status.Reason != "" {
		words = append(words, "because "+p.Status.Reason)
	}
	for _, c := range p.Status.Conditions {
		switch c.Type {
		case v1.PodInitialized, v1.ContainersReady:
			continue
		}
		word := fmt.Sprintf("%s=%s", c.Type, c.Status)
		if c.Reason != "" {
			word += "/" + c.Reason
		}
		words = append(words, word)
	}
	if p.DeletionTimestamp != nil {
		words = append(words, fmt.Sprintf("deleting in %ds", *p.DeletionGracePeriodSeconds))
	}
	return strings.Join(words, " ")
}

func node(name string) *v1.Node { return mk.Node(name).CPU("4").Memory("8Gi").Obj() }

func graceOf(seconds int64) metav1.DeleteOptions {
	return metav1.DeleteOptions{GracePeriodSeconds: &seconds}
}

func ptr[T any](v T) *T { return &v }

func replaceUID(text string, uid types.UID) string {
	return strings.ReplaceAll(text, "meta: UID", "meta: "+string(uid))
}

func (s *scene) mustDelete(kind world.Kind, name string) {
	s.t.Helper()
	if err := s.Delete(kind, "default", name, metav1.DeleteOptions{}); err != nil {
		s.t.Fatalf("deleting %s %s: %v", kind, name, err)
	}
}

func (s *scene) mustDeleteCluster(kind world.Kind, name string) {
	s.t.Helper()
	if err := s.Delete(kind, "", name, metav1.DeleteOptions{}); err != nil {
		s.t.Fatalf("deleting %s %s: %v", kind, name, err)
	}
}

func asStatus(err error, target *apierrors.APIStatus) bool { return errors.As(err, target) }
func contains(text, part string) bool                      { return strings.Contains(text, part) }
