package gangscheduling_test

import (
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/objects/workloads"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/gangs"
	"orrery/core/scheduler/plugins/gangscheduling"
	"orrery/core/scheduler/store"
	"orrery/core/testing/mk"
	"orrery/core/testing/plugintest"
	"orrery/core/world"
)

func memberOf(group string) *v1.Pod {
	return mk.Pod("p").InGroup("train", group).Obj()
}

func workload(name string, minCount int32) *workloads.Workload {
	return mk.Workload(name, mk.Gang("workers", minCount), mk.BasicGroup("helpers"))
}

func TestPreEnqueue_Reasons(t *testing.T) {
	for name, tc := range map[string]struct {
		pod      *v1.Pod
		workload *workloads.Workload
		gates    []string
		want     string
	}{
		"a pod of no group":                   {mk.Pod("p").Obj(), nil, nil, ""},
		"its workload is not there":           {memberOf("workers"), workload("other", 1), nil, `UnschedulableAndUnresolvable: waiting for pods's workload "train" to appear in scheduling queue`},
		"its workload has no such group":      {memberOf("drivers"), workload("train", 1), nil, `UnschedulableAndUnresolvable: pod group "drivers" doesn't exist for a workload "train"`},
		"its group is no gang":                {memberOf("helpers"), workload("train", 1), nil, ""},
		"it is the only one of two":           {memberOf("workers"), workload("train", 2), nil, "UnschedulableAndUnresolvable: waiting for minCount pods from a gang to appear in scheduling queue"},
		"it is the only one, and one will do": {memberOf("workers"), workload("train", 1), nil, ""},
		"the gates are off":                   {memberOf("workers"), nil, []string{"GangScheduling=false"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			features, err := config.ParseFeatureFlag(append([]string{"GenericWorkload=true", "GangScheduling=true"}, tc.gates...)...)
			if err != nil {
				t.Fatal(err)
			}
			f := newFixture(t, features)
			if f.apply(t, tc.pod); tc.workload != nil {
				f.apply(t, tc.workload)
			}
			if got := plugintest.RejectionText(f.plugin.PreEnqueue(t.Context(), tc.pod)); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// A workload may go while its pods are scheduled.
func TestPermit_Errors(t *testing.T) {
	features, err := config.ParseFeatureFlag("GenericWorkload=true", "GangScheduling=true")
	if err != nil {
		t.Fatal(err)
	}
	f := newFixture(t, features)
	f.apply(t, workload("train", 1))
	for pod, want := range map[*v1.Pod]string{
		memberOf("drivers"): `Error: pod group "drivers" doesn't exist for a workload "train"`,
		memberOf("helpers"): "",
		memberOf("workers"): "Error: pod default/p is not known in its pod group",
		mk.Pod("p").Obj():   "",
	} {
		status, wait := f.plugin.Permit(t.Context(), nil, pod, "n")
		if got := plugintest.RejectionText(status); got != want || wait != 0 {
			t.Errorf("%v: got %q and %v, want %q", gangs.KeyOf(pod), got, wait, want)
		}
	}
	lost := memberOf("workers")
	workloads.SetRef(&lost.ObjectMeta, workloads.Reference{Name: "lost", PodGroup: gangs.KeyOf(lost).Group})
	status, _ := f.plugin.Permit(t.Context(), nil, lost, "n")
	if got, want := plugintest.RejectionText(status), `Error: failed to get workload default/lost: workload.scheduling.k8s.io "lost" not found`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// fixture is a plugin with a cluster.
type fixture struct {
	plugin *gangscheduling.GangScheduling
	store  *store.Store
	gangs  *gangs.State
}

// handle is what the plugin gets from a profile.
type handle struct {
	plugintest.Handle
	gangs *gangs.State
}

func (h handle) Gangs() *gangs.State { return h.gangs }

func (handle) Now() time.Time { return time.Time{} }

func newFixture(t *testing.T, features config.Features) *fixture {
	t.Helper()
	held := store.New()
	f := &fixture{store: held, gangs: gangs.New(held)}
	made, err := gangscheduling.New(t.Context(), nil, handle{plugintest.Handle{Objects: held.Informers()}, f.gangs}, features)
	if err != nil {
		t.Fatal(err)
	}
	f.plugin = made.(*gangscheduling.GangScheduling)
	return f
}

func (f *fixture) apply(t *testing.T, o world.Object) {
	t.Helper()
	deltas, err := f.store.Apply(world.Changed{Op: world.Added, Object: o})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range deltas {
		f.gangs.Changed(d)
	}
}

func TestQueueingHints(t *testing.T) {
	plugin := &gangscheduling.GangScheduling{}
	elsewhere := memberOf("workers")
	elsewhere.Namespace = "other"
	replica := memberOf("workers")
	mk.Replica(replica, "1")
	for name, tc := range map[string]struct {
		resource fwk.EventResource
		added    any
		want     string
	}{
		"another pod of the group":        {fwk.Pod, memberOf("workers"), "Queue"},
		"a pod of another group":          {fwk.Pod, memberOf("helpers"), "QueueSkip"},
		"a pod of another replica":        {fwk.Pod, replica, "QueueSkip"},
		"a pod in another namespace":      {fwk.Pod, elsewhere, "QueueSkip"},
		"a pod of no group":               {fwk.Pod, mk.Pod("q").Obj(), "QueueSkip"},
		"its workload":                    {workloads.Resource, workload("train", 1), "Queue"},
		"another workload":                {workloads.Resource, workload("other", 1), "QueueSkip"},
		"what is no workload is an error": {workloads.Resource, mk.Pod("q").Obj(), "Queue: reading the new object of an event: it is a *v1.Pod where a *workloads.Workload was expected"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := plugintest.Hint(t, plugin, tc.resource, fwk.Add, memberOf("workers"), nil, tc.added); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
