package store_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/scheduler/store"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// state makes a pod from "name/uid@version", with " ended" where it has run to its end. The version may be missing.
func state(s string) *v1.Pod {
	s, ended := strings.CutSuffix(s, " ended")
	s, version, _ := strings.Cut(s, "@")
	name, uid, _ := strings.Cut(s, "/")
	pod := mk.Pod(name).UID(uid).Obj()
	pod.ResourceVersion = version
	if ended {
		pod.Status.Phase = v1.PodSucceeded
	}
	return pod
}

// event makes an event from its Op and a state: "added web/1@5".
func event(s string) world.Changed {
	word, rest, _ := strings.Cut(s, " ")
	for _, op := range []world.Op{world.Added, world.Modified, world.Deleted} {
		if op.String() == word {
			return world.Changed{Op: op, Object: state(rest)}
		}
	}
	panic("no operation " + word)
}

func show(o world.Object) string {
	s := o.GetName() + "/" + string(o.GetUID())
	if o.GetResourceVersion() != "" {
		s += "@" + o.GetResourceVersion()
	}
	return s
}

func showDeltas(deltas []store.Delta) []string {
	var shown []string
	for _, d := range deltas {
		switch d.Op {
		case world.Added:
			shown = append(shown, "added "+show(d.New))
		case world.Modified:
			shown = append(shown, fmt.Sprintf("modified %s to %s", show(d.Old), show(d.New)))
		case world.Deleted:
			shown = append(shown, "deleted "+show(d.Old))
		}
	}
	return shown
}

func held(s *store.Store, kind world.Kind) []string {
	var shown []string
	for o := range s.Objects(kind) {
		shown = append(shown, show(o))
	}
	return shown
}

func TestApply_EventMeaning(t *testing.T) {
	tests := []struct {
		name   string
		events []string
		want   []string // every delta of every event
		held   []string
	}{
		{
			name:   "an object lives and goes",
			events: []string{"added web/1@1", "modified web/1@2", "deleted web/1@3"},
			want:   []string{"added web/1@1", "modified web/1@1 to web/1@2", "deleted web/1@2"},
		},
		{
			name:   "a modified object that is not known is an added one",
			events: []string{"modified web/1@5"},
			want:   []string{"added web/1@5"},
			held:   []string{"web/1@5"},
		},
		{
			name:   "an added object that is known is a modified one",
			events: []string{"added web/1@5", "added web/1@6"},
			want:   []string{"added web/1@5", "modified web/1@5 to web/1@6"},
			held:   []string{"web/1@6"},
		},
		{
			name:   "what is repeated means nothing",
			events: []string{"added web/1@5", "added web/1@5", "modified web/1@5"},
			want:   []string{"added web/1@5"},
			held:   []string{"web/1@5"},
		},
		{
			name:   "what is late means nothing, and versions are numbers",
			events: []string{"added web/1@10", "modified web/1@9"},
			want:   []string{"added web/1@10"},
			held:   []string{"web/1@10"},
		},
		{
			name:   "versions that are not numbers tell only whether they are the same",
			events: []string{"added web/1@b", "modified web/1@b", "modified web/1@a"},
			want:   []string{"added web/1@b", "modified web/1@b to web/1@a"},
			held:   []string{"web/1@a"},
		},
		{
			name:   "an object without a version is believed",
			events: []string{"added web/1", "modified web/1"},
			want:   []string{"added web/1", "modified web/1 to web/1"},
			held:   []string{"web/1"},
		},
		{
			name:   "another object takes the name over: one goes, one comes",
			events: []string{"added web/1@1", "modified web/2@5"},
			want:   []string{"added web/1@1", "deleted web/1@1", "added web/2@5"},
			held:   []string{"web/2@5"},
		},
		{
			name:   "the deletion of the one before comes late",
			events: []string{"added web/1@1", "added web/2@5", "deleted web/1@4"},
			want:   []string{"added web/1@1", "deleted web/1@1", "added web/2@5"},
			held:   []string{"web/2@5"},
		},
		{
			name:   "a state of the one before comes late",
			events: []string{"added web/2@5", "modified web/1@3"},
			want:   []string{"added web/2@5"},
			held:   []string{"web/2@5"},
		},
		{
			name:   "the deletion of a namesake that came and went unseen is one of what is held",
			events: []string{"added web/1@1", "deleted web/2@9"},
			want:   []string{"added web/1@1", "deleted web/1@1"},
		},
		{
			name:   "a deletion that cannot be dated is about its own object only",
			events: []string{"added web/1", "deleted web/2"},
			want:   []string{"added web/1"},
			held:   []string{"web/1"},
		},
		{
			name:   "a deletion carries the last known state, which may be an old one",
			events: []string{"added web/1@5", "deleted web/1@2"},
			want:   []string{"added web/1@5", "deleted web/1@5"},
		},
		{
			name:   "what is not known cannot be deleted",
			events: []string{"deleted web/1@5"},
		},
		{
			name:   "what is deleted does not come back by a late message",
			events: []string{"added web/1@1", "deleted web/1@5", "modified web/1@4", "added web/1@5"},
			want:   []string{"added web/1@1", "deleted web/1@1"},
		},
		{
			name:   "nor when the deletion overtook everything else",
			events: []string{"deleted web/1@5", "added web/1@1"},
		},
		{
			name:   "a deletion with an old state is dated by what was held",
			events: []string{"added web/1@5", "deleted web/1@2", "modified web/1@4"},
			want:   []string{"added web/1@5", "deleted web/1@5"},
		},
		{
			name:   "a new object under the name of a deleted one comes",
			events: []string{"added web/1@1", "deleted web/1@5", "added web/2@6"},
			want:   []string{"added web/1@1", "deleted web/1@1", "added web/2@6"},
			held:   []string{"web/2@6"},
		},
		{
			name:   "a pod that ends is deleted, once",
			events: []string{"added web/1@1", "modified web/1@2 ended", "modified web/1@3 ended", "deleted web/1@4"},
			want:   []string{"added web/1@1", "deleted web/1@1"},
		},
		{
			name:   "a pod that has ended never comes",
			events: []string{"added web/1@1 ended", "modified web/1@2 ended"},
		},
		{
			name:   "a pod that has ended does not come back by a late message",
			events: []string{"added web/1@1", "modified web/1@3 ended", "modified web/1@2"},
			want:   []string{"added web/1@1", "deleted web/1@1"},
		},
		{
			name:   "the end of the pod before comes late",
			events: []string{"added web/2@5", "modified web/1@3 ended"},
			want:   []string{"added web/2@5"},
			held:   []string{"web/2@5"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := store.New()
			var got []string
			for _, e := range tt.events {
				deltas, err := s.Apply(event(e))
				if err != nil {
					t.Fatalf("%s: %v", e, err)
				}
				got = append(got, showDeltas(deltas)...)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("deltas (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.held, held(s, world.Pod)); diff != "" {
				t.Errorf("held (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReplace_Deltas(t *testing.T) {
	tests := []struct {
		name   string
		events []string
		list   []string
		want   []string
		held   []string
	}{
		{
			name: "a first list adds in its own order",
			list: []string{"web/1@5", "api/2@3"},
			want: []string{"added web/1@5", "added api/2@3"},
			held: []string{"api/2@3", "web/1@5"},
		},
		{
			name:   "after a lost watch: gone in the order of names, then the rest in the order of the list",
			events: []string{"added d/1@1", "added b/2@2", "added c/3@3", "added a/4@4"},
			list:   []string{"new/5@9", "c/3@8", "a/4@4"},
			want:   []string{"deleted b/2@2", "deleted d/1@1", "added new/5@9", "modified c/3@3 to c/3@8"},
			held:   []string{"a/4@4", "c/3@8", "new/5@9"},
		},
		{
			name:   "a list is the truth even where it is older",
			events: []string{"added a/1@9"},
			list:   []string{"a/1@7"},
			want:   []string{"modified a/1@9 to a/1@7"},
			held:   []string{"a/1@7"},
		},
		{
			name:   "a list brings back what was thought deleted",
			events: []string{"added a/1@1", "deleted a/1@5"},
			list:   []string{"a/1@4"},
			want:   []string{"added a/1@4"},
			held:   []string{"a/1@4"},
		},
		{
			name:   "a namesake is one that goes and one that comes",
			events: []string{"added a/1@1"},
			list:   []string{"a/2@2"},
			want:   []string{"deleted a/1@1", "added a/2@2"},
			held:   []string{"a/2@2"},
		},
		{
			name:   "a pod listed as ended is gone",
			events: []string{"added a/1@1"},
			list:   []string{"a/1@3 ended", "b/2@2 ended"},
			want:   []string{"deleted a/1@1"},
		},
		{
			name:   "an empty list empties",
			events: []string{"added a/1@1"},
			want:   []string{"deleted a/1@1"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := store.New()
			for _, e := range tt.events {
				if _, err := s.Apply(event(e)); err != nil {
					t.Fatal(err)
				}
			}
			list := world.Listed{Kind: world.Pod}
			for _, object := range tt.list {
				list.Objects = append(list.Objects, state(object))
			}
			deltas, errs := s.Replace(list)
			if len(errs) > 0 {
				t.Fatalf("errors: %v", errs)
			}
			if diff := cmp.Diff(tt.want, showDeltas(deltas)); diff != "" {
				t.Errorf("deltas (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.held, held(s, world.Pod)); diff != "" {
				t.Errorf("held (-want +got):\n%s", diff)
			}
			if again, _ := s.Replace(list); len(again) > 0 {
				t.Errorf("the same list once more says %v, want nothing", showDeltas(again))
			}
		})
	}
}

// What comes after a list has happened after it, whatever was known before: the API server may have been restored from a backup.
func TestReplace_EarlierDeletionsDoNotCount(t *testing.T) {
	for _, tc := range []struct {
		name   string
		before []string
		after  string
	}{
		{"removed by the list", []string{"added a/1@5"}, "added a/1@5"},
		{"removed by the list, another pod under an older version", []string{"added a/1@5"}, "added a/2@4"},
		{"deleted before the list", []string{"added a/1@5", "deleted a/1@6"}, "added a/2@4"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := store.New()
			for _, e := range tc.before {
				if _, err := s.Apply(event(e)); err != nil {
					t.Fatal(err)
				}
			}
			s.Replace(world.Listed{Kind: world.Pod})
			deltas, err := s.Apply(event(tc.after))
			if diff := cmp.Diff([]string{tc.after}, showDeltas(deltas)); diff != "" || err != nil {
				t.Errorf("%v, deltas (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestReplace_IsolatesRejected(t *testing.T) {
	s := store.New()
	if _, err := s.Apply(event("added bad/1@1")); err != nil {
		t.Fatal(err)
	}
	bad := state("bad/1@2")
	bad.UID = ""
	deltas, errs := s.Replace(world.Listed{Kind: world.Pod, Objects: []world.Object{
		bad, nil, mk.Node("n").Obj(), state("good/2@3"),
	}})
	if diff := cmp.Diff([]string{"added good/2@3"}, showDeltas(deltas)); diff != "" {
		t.Errorf("deltas (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"bad/1@1", "good/2@3"}, held(s, world.Pod)); diff != "" {
		t.Errorf("the refused pod's earlier state is kept (-want +got):\n%s", diff)
	}
	want := []string{
		`refusing Pod "default/bad": metadata.uid is missing`,
		"a list of Pod came with an object missing",
		"a list of Pod came with an object of type *v1.Node",
	}
	var got []string
	for _, err := range errs {
		got = append(got, err.Error())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
}

func TestNew_KeepsOnlyGivenKinds(t *testing.T) {
	s := store.New(world.Node, world.Kind("Comet"))
	for _, o := range []world.Object{
		mk.Pod("p").Obj(),
		&v1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "unknown to the world"}},
	} {
		if deltas, err := s.Apply(world.Changed{Object: o}); err != nil || len(deltas) > 0 {
			t.Errorf("%T: got %v, %v; want it to be ignored", o, deltas, err)
		}
	}
	if deltas, errs := s.Replace(world.Listed{Kind: world.Pod, Objects: []world.Object{mk.Pod("p").Obj()}}); len(deltas)+len(errs) > 0 {
		t.Errorf("a list of pods: got %v, %v; want it to be ignored", deltas, errs)
	}
	if deltas, err := s.Apply(world.Changed{Object: mk.Node("n").Obj()}); err != nil || len(deltas) != 1 {
		t.Errorf("a node: got %v, %v; want it to be added", deltas, err)
	}
	if s.Pod("default", "p") != nil || s.Len(world.Pod) != 0 || s.Node("n") == nil || s.Len(world.Node) != 1 {
		t.Error("want the node to be held, and the pod not")
	}
	if got := held(s, world.Pod); got != nil {
		t.Errorf("pods = %v, want none", got)
	}
}

func TestTombstones_Bounded(t *testing.T) {
	s := store.New()
	apply := func(e string) int {
		t.Helper()
		deltas, err := s.Apply(event(e))
		if err != nil {
			t.Fatal(err)
		}
		return len(deltas)
	}
	apply("deleted old/x@500")
	for i := range 1024 {
		apply(fmt.Sprintf("deleted pod-%d/x@500", i))
	}
	if apply("modified old/x@499") != 0 {
		t.Error("1,024 deletions later a late message brought an object back")
	}
	for i := range 1024 {
		apply(fmt.Sprintf("deleted pod-%d/y@501", i+1024))
	}
	if apply("modified old/x@499") != 1 {
		t.Error("after 2,048 deletions the first is still remembered, so nothing bounds the memory they take")
	}
}

func TestStore_LookupEachKind(t *testing.T) {
	s := store.New()
	for _, kind := range world.Kinds() {
		o, err := world.New(kind)
		if err != nil {
			t.Fatal(err)
		}
		o.SetName("it")
		o.SetUID(types.UID(kind))
		namespace := ""
		if _, err := s.Apply(world.Changed{Object: o}); err != nil {
			namespace = "ns"
			o.SetNamespace(namespace)
			if _, err := s.Apply(world.Changed{Object: o}); err != nil {
				t.Errorf("%s: refused with and without a namespace: %v", kind, err)
			}
		}
		if got := s.Object(kind, namespace, "it"); got != o {
			t.Errorf("%s: found %v, want what was applied", kind, got)
		}
		if got := s.Object(kind, namespace, "other"); got != nil {
			t.Errorf("%s: found %v under a name that no object has", kind, got)
		}
	}
}
