package unsupported_test

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/config"
	"orrery/core/mk"
	"orrery/core/plugins/plugintest"
	"orrery/core/plugins/unsupported"
)

func gangScheduling(t *testing.T, gates ...string) *unsupported.Gang {
	t.Helper()
	set := map[string]bool{}
	for _, gate := range gates {
		set[gate] = true
	}
	features, err := config.ParseFeatures(set)
	if err != nil {
		t.Fatal(err)
	}
	p, err := unsupported.NewGangScheduling(t.Context(), config.DefaultArgs(unsupported.GangScheduling, features), nil, features)
	if err != nil || p.Name() != unsupported.GangScheduling {
		t.Fatalf("%v is named %s", err, p.Name())
	}
	return p.(*unsupported.Gang)
}

var on = []string{"GangScheduling", "GenericWorkload"}

func member() *v1.Pod {
	pod := mk.Pod("p").Obj()
	pod.Spec.WorkloadRef = &v1.WorkloadReference{Name: "w", PodGroup: "g"}
	return pod
}

func TestGangScheduling_RejectedPods(t *testing.T) {
	for name, tc := range map[string]struct {
		pod   *v1.Pod
		gates []string
		want  string
	}{
		"a member of a gang":                    {member(), on, "UnschedulableAndUnresolvable: Orrery cannot place a pod that uses a gang (spec.workloadRef) yet"},
		"a pod without a gang":                  {mk.Pod("p").Obj(), on, "Success"},
		"a member of a gang, with the gate off": {member(), nil, "Success"},
	} {
		t.Run(name, func(t *testing.T) {
			gang := gangScheduling(t, tc.gates...)
			if got := plugintest.StatusText(gang.PreEnqueue(t.Context(), tc.pod)); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
			if status, wait := gang.Permit(t.Context(), nil, tc.pod, "n"); !status.IsSuccess() || wait != 0 {
				t.Errorf("Permit returned %s and waits %v", plugintest.StatusText(status), wait)
			}
			if status := gang.Reserve(t.Context(), nil, tc.pod, "n"); !status.IsSuccess() {
				t.Errorf("Reserve returned %s", plugintest.StatusText(status))
			}
		})
	}
}

func TestQueueingHints_OnlyOwnPodUpdate(t *testing.T) {
	gang := gangScheduling(t, on...)
	for name, tc := range map[string]struct {
		after *v1.Pod
		want  string
	}{
		"the pod leaves its gang": {mk.Pod("p").Obj(), "Queue"},
		"the pod is still in it":  {member(), "QueueSkip"},
		"another pod is updated":  {mk.Pod("q").Obj(), "QueueSkip"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := plugintest.Hint(t, gang, fwk.Pod, fwk.UpdatePodLabel, member(), member(), tc.after); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
