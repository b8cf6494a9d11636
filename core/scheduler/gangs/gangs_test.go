package gangs_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"orrery/core/objects/workloads"
	"orrery/core/scheduler/gangs"
	"orrery/core/scheduler/store"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

var (
	noon    = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	workers = workloads.Reference{Name: "train", PodGroup: "workers"}
	key     = gangs.Key{Namespace: "default", Workload: "train", Group: "workers"}
)

type fixture struct {
	*gangs.State
	store *store.Store
	now   time.Time
}

func newFixture() *fixture {
	held := store.New()
	return &fixture{gangs.New(held), held, noon}
}

func (f *fixture) Now() time.Time { return f.now }

func (f *fixture) fork() *fixture {
	held := f.store.Fork()
	return &fixture{f.State.Fork(held), held, f.now}
}

func (f *fixture) apply(t testing.TB, op world.Op, pod *v1.Pod) {
	t.Helper()
	deltas, err := f.store.Apply(world.Changed{Op: op, Object: pod})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range deltas {
		f.Changed(d)
	}
	if err := f.Check(); err != nil {
		t.Error(err)
	}
}

// counts are how many pods of the workers are at each stage.
func (f *fixture) counts() string {
	g := f.Group(key)
	if g == nil {
		return "none"
	}
	return fmt.Sprintf("%d of %d unscheduled, %d assumed, %d assigned", g.Count(gangs.Unscheduled), g.Len(), g.Count(gangs.Assumed), g.Count(gangs.Assigned))
}

func (f *fixture) want(t testing.TB, want string) {
	t.Helper()
	if got := f.counts(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func member(name string) *v1.Pod {
	pod := mk.Pod(name).Obj()
	workloads.SetRef(&pod.ObjectMeta, workers)
	return pod
}

func bound(name string) *v1.Pod {
	pod := member(name)
	pod.Spec.NodeName = "n"
	return pod
}

func TestState_StagesOfMembers(t *testing.T) {
	f := newFixture()
	a, b := member("a"), member("b")
	f.apply(t, world.Added, mk.Pod("other").Obj())
	f.want(t, "none")
	f.apply(t, world.Added, a)
	f.apply(t, world.Added, b)
	f.apply(t, world.Added, bound("c"))
	f.want(t, "2 of 3 unscheduled, 0 assumed, 1 assigned")
	f.Assume(key, a.UID)
	f.want(t, "1 of 3 unscheduled, 1 assumed, 1 assigned")
	labeled := member("a")
	labeled.Labels = map[string]string{"app": "x"}
	f.apply(t, world.Modified, labeled)
	f.want(t, "1 of 3 unscheduled, 1 assumed, 1 assigned")
	f.Forget(key, a.UID)
	f.Forget(key, bound("c").UID)
	f.want(t, "2 of 3 unscheduled, 0 assumed, 1 assigned")
	f.Assume(key, a.UID)
	f.apply(t, world.Modified, bound("a"))
	f.want(t, "1 of 3 unscheduled, 0 assumed, 2 assigned")
	f.apply(t, world.Modified, a) // an old list
	f.want(t, "2 of 3 unscheduled, 0 assumed, 1 assigned")
	f.apply(t, world.Modified, bound("a"))
	f.want(t, "1 of 3 unscheduled, 0 assumed, 2 assigned")
	f.apply(t, world.Deleted, bound("a"))
	f.Forget(key, a.UID) // its binding fails after that
	f.want(t, "1 of 2 unscheduled, 0 assumed, 1 assigned")
	f.apply(t, world.Deleted, b)
	f.apply(t, world.Deleted, bound("c"))
	f.want(t, "none")
	f.Assume(key, a.UID)
	f.want(t, "none")
}

// A pod that comes again under its name is another one, and a reference may name another group.
func TestState_PodsChangeGroups(t *testing.T) {
	f := newFixture()
	f.apply(t, world.Added, bound("a"))
	again := member("a")
	again.UID = "another"
	f.apply(t, world.Modified, again)
	f.want(t, "1 of 1 unscheduled, 0 assumed, 0 assigned")
	moved := again.DeepCopy()
	workloads.SetRef(&moved.ObjectMeta, workloads.Reference{Name: "train", PodGroup: "workers", PodGroupReplicaKey: "1"})
	f.apply(t, world.Modified, moved)
	f.want(t, "none")
	if diff := cmp.Diff([]gangs.Key{{"default", "train", "workers", "1"}}, f.Keys()); diff != "" {
		t.Errorf("groups (-want +got):\n%s", diff)
	}
}

func TestDeadline_SharedUntilItIsOver(t *testing.T) {
	f := newFixture()
	f.apply(t, world.Added, member("a"))
	for _, row := range []struct{ at, want time.Duration }{
		{0, gangs.Timeout},
		{gangs.Timeout - 1, gangs.Timeout},
		{gangs.Timeout, 2 * gangs.Timeout},
		{gangs.Timeout + time.Minute, 2 * gangs.Timeout},
	} {
		if got := f.Deadline(key, noon.Add(row.at)).Sub(noon); got != row.want {
			t.Errorf("after %v until %v, want %v", row.at, got, row.want)
		}
	}
}

// A fork and its original go their own ways, whatever happens to either, and each is what its pods say.
func TestFork_IsIndependent(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		all := []*fixture{newFixture()}
		for range 40 {
			i := rapid.IntRange(0, len(all)-1).Draw(r, "which")
			before := make([]string, len(all))
			for j, f := range all {
				before[j] = f.counts()
			}
			change(r, t, all[i])
			for j, f := range all {
				if j != i && f.counts() != before[j] {
					r.Fatalf("a change of another one changed %s to %s", before[j], f.counts())
				}
			}
			if len(all) < 4 && rapid.Bool().Draw(r, "fork") {
				all = append(all, all[i].fork())
			}
		}
	})
}

// change does one thing that an engine does.
func change(r *rapid.T, t *testing.T, f *fixture) {
	name := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(r, "pod")
	held := f.store.Pod("default", name)
	switch action := rapid.SampledFrom([]string{"add", "bind", "delete", "assume", "forget", "deadline"}).Draw(r, "action"); {
	case action == "assume":
		f.Assume(key, member(name).UID)
	case action == "forget":
		f.Forget(key, member(name).UID)
	case action == "deadline":
		f.Deadline(key, f.now)
	case held == nil && action != "delete":
		f.apply(t, world.Added, member(name))
	case held != nil && action == "bind" && held.Spec.NodeName == "":
		f.apply(t, world.Modified, bound(name))
	case held != nil && action == "delete":
		f.apply(t, world.Deleted, held)
	}
}

// The field that names a pod's group is another one in each release, and one function knows them.
func TestKeyOf_KnowsEveryRelease(t *testing.T) {
	of137 := mk.Pod("a").InPodGroup("train-0").Obj()
	unnamed := mk.Pod("a").InPodGroup("").Obj()
	for name, tt := range map[string]struct {
		pod   *v1.Pod
		want  gangs.Key
		text  string
		group bool
	}{
		"1.35":           {member("a"), gangs.Key{"default", "train", "workers", ""}, "train/workers", false},
		"1.37":           {of137, gangs.PodGroupKey("default", "train-0"), "train-0", true},
		"without a name": {unnamed, gangs.Key{}, "/", false},
		"none":           {mk.Pod("a").Obj(), gangs.Key{}, "/", false},
	} {
		key := gangs.KeyOf(tt.pod)
		if key != tt.want || key.IsPodGroup() != tt.group || gangs.IsMember(tt.pod) != (key != gangs.Key{}) {
			t.Errorf("%s: the group is %+v, want %+v", name, key, tt.want)
		}
		if key.String() != tt.text && key != (gangs.Key{}) {
			t.Errorf("%s: as text it is %q, want %q", name, key, tt.text)
		}
	}
}

// Pods of a PodGroup are kept as members, apart from those of 1.35.
func TestState_HasMembersOfPodGroups(t *testing.T) {
	f := newFixture()
	pod := mk.Pod("a").InPodGroup("workers").Obj()
	f.apply(t, world.Added, pod)
	f.apply(t, world.Added, member("b"))
	placed := pod.DeepCopy()
	placed.Spec.NodeName = "n"
	f.apply(t, world.Modified, placed)
	if g := f.Group(gangs.PodGroupKey("default", "workers")); g == nil || g.Len() != 1 || g.Count(gangs.Assigned) != 1 {
		t.Errorf("the PodGroup has %+v", g)
	}
	f.want(t, "1 of 1 unscheduled, 0 assumed, 0 assigned")
}
