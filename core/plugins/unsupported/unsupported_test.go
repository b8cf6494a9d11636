package unsupported_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/cache"
	"orrery/core/config"
	"orrery/core/framework"
	"orrery/core/mk"
	"orrery/core/plugins/plugintest"
	"orrery/core/plugins/unsupported"
)

var factories = map[string]func(context.Context, runtime.Object, fwk.Handle, config.Features) (fwk.Plugin, error){
	unsupported.DynamicResources: unsupported.NewDynamicResources,
	unsupported.GangScheduling:   unsupported.NewGangScheduling,
}

func plugin(t *testing.T, name string, gates ...string) fwk.Plugin {
	t.Helper()
	set := map[string]bool{}
	for _, gate := range gates {
		set[gate] = true
	}
	features, err := config.ParseFeatures(set)
	if err != nil {
		t.Fatal(err)
	}
	p, err := factories[name](t.Context(), config.DefaultArgs(name, features), nil, features)
	if err != nil {
		t.Fatal(err)
	}
	if p.Name() != name {
		t.Errorf("%s has the name %s", name, p.Name())
	}
	return p
}

func onNode() fwk.NodeInfo {
	info := cache.NewNodeInfo()
	info.SetNode(mk.Node("n").Obj())
	return info
}

func withClaim() *v1.Pod {
	pod := mk.Pod("p").Obj()
	pod.Spec.ResourceClaims = []v1.PodResourceClaim{{Name: "gpu"}}
	return pod
}

func TestDynamicResources_RejectedPods(t *testing.T) {
	p := plugin(t, unsupported.DynamicResources)
	if got, want := plugintest.Filter(p, withClaim(), onNode()), "UnschedulableAndUnresolvable: Orrery cannot place a pod that uses a resource claim yet"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := plugintest.Filter(p, mk.Pod("p").Obj(), onNode()); got != "Skip" {
		t.Errorf("a pod without claims: got %q, want Skip", got)
	}
	if status := p.(fwk.PreEnqueuePlugin).PreEnqueue(t.Context(), withClaim()); !status.IsSuccess() {
		t.Errorf("PreEnqueue returned %s, want Success: without a scheduling attempt the pod would have no status", plugintest.StatusText(status))
	}
}

// The message of nearly every failed cycle begins with this reason.
func TestDynamicResources_PostFilter(t *testing.T) {
	p := plugin(t, unsupported.DynamicResources).(*unsupported.Claims)
	for name, tc := range map[string]struct {
		pod       *v1.Pod
		preFilter bool
		want      string
	}{
		"a pod without claims":                {mk.Pod("p").Obj(), true, "Unschedulable: no new claims to deallocate"},
		"a pod rejected for its claims":       {withClaim(), true, "Unschedulable: no new claims to deallocate"},
		"a pod rejected by an earlier plugin": {mk.Pod("p").Obj(), false, "Error: not found"},
	} {
		t.Run(name, func(t *testing.T) {
			state := framework.NewCycleState()
			if tc.preFilter {
				p.PreFilter(t.Context(), state, tc.pod, nil)
			}
			result, status := p.PostFilter(t.Context(), state.Clone(), tc.pod, nil)
			if got := plugintest.StatusText(status); got != tc.want || result != nil {
				t.Errorf("got %q and %v, want %q and no result", got, result, tc.want)
			}
		})
	}
}

func TestGangScheduling_RejectedPods(t *testing.T) {
	member := mk.Pod("p").Obj()
	member.Spec.WorkloadRef = &v1.WorkloadReference{Name: "w", PodGroup: "g"}
	for name, tc := range map[string]struct {
		pod   *v1.Pod
		gates []string
		want  string
	}{
		"a member of a gang":                    {member, []string{"GangScheduling", "GenericWorkload"}, "UnschedulableAndUnresolvable: Orrery cannot place a pod that uses a gang (spec.workloadRef) yet"},
		"a pod without a gang":                  {mk.Pod("p").Obj(), []string{"GangScheduling", "GenericWorkload"}, "Success"},
		"a member of a gang, with the gate off": {member, nil, "Success"},
	} {
		t.Run(name, func(t *testing.T) {
			gang := plugin(t, unsupported.GangScheduling, tc.gates...).(*unsupported.Gang)
			if got := plugintest.StatusText(gang.PreEnqueue(t.Context(), tc.pod)); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
			if status, wait := gang.Permit(t.Context(), nil, tc.pod, "n"); !status.IsSuccess() || wait != 0 {
				t.Errorf("Permit returned %s and waits %v", plugintest.StatusText(status), wait)
			}
		})
	}
}

func TestQueueingHints_OnlyOwnPodUpdate(t *testing.T) {
	rejected := withClaim()
	p := plugin(t, unsupported.DynamicResources).(fwk.EnqueueExtensions)
	for name, tc := range map[string]struct {
		after *v1.Pod
		want  string
	}{
		"the pod no longer uses the claim": {mk.Pod("p").Obj(), "Queue"},
		"the pod still uses it":            {withClaim(), "QueueSkip"},
		"another pod is updated":           {mk.Pod("q").Obj(), "QueueSkip"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := plugintest.Hint(t, p, fwk.Pod, fwk.UpdatePodLabel, rejected, rejected, tc.after); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
	if got := plugintest.Hint(t, p, fwk.ResourceClaim, fwk.Add, rejected, nil, nil); got != "not registered" {
		t.Errorf("a new claim: got %q, want not registered: it cannot make the pod schedulable", got)
	}
}

// For all other pods the plugin scores 0, reserves nothing and skips PreBind.
func TestUnsupported_OtherPodsPass(t *testing.T) {
	pod, ctx := mk.Pod("p").Obj(), t.Context()
	p := plugin(t, unsupported.DynamicResources)
	if raw, normalised := plugintest.Scores(t, p, pod, onNode()); raw != nil && (raw[0] != 0 || normalised[0] != 0) {
		t.Errorf("it scores %v, %v", raw, normalised)
	}
	if status := p.(fwk.ReservePlugin).Reserve(ctx, nil, pod, "n"); !status.IsSuccess() {
		t.Errorf("Reserve returned %s", plugintest.StatusText(status))
	}
	p.(fwk.ReservePlugin).Unreserve(ctx, nil, pod, "n")
	if status := p.(fwk.PreBindPlugin).PreBindPreFlight(ctx, nil, pod, "n"); !status.IsSkip() {
		t.Errorf("PreBindPreFlight returned %s, want Skip", plugintest.StatusText(status))
	}
	if status := p.(fwk.PreBindPlugin).PreBind(ctx, nil, pod, "n"); !status.IsSuccess() {
		t.Errorf("PreBind returned %s", plugintest.StatusText(status))
	}
}

func TestSignPod(t *testing.T) {
	pod := mk.Pod("p").Obj()
	claims := plugin(t, unsupported.DynamicResources).(fwk.SignPlugin)
	if diff := cmp.Diff(map[string]string{}, plugintest.Signature(t, claims, pod)); diff != "" {
		t.Errorf("a pod without claims (-want +got):\n%s", diff)
	}
	if got := plugintest.Signature(t, claims, withClaim()); got != nil {
		t.Errorf("a pod with claims was signed: %v", got)
	}
}

func TestNew_Errors(t *testing.T) {
	_, err := unsupported.NewDynamicResources(t.Context(), nil, nil, config.DefaultFeatures())
	if want := "got args of type <nil>, want *DynamicResourcesArgs"; err == nil || err.Error() != want {
		t.Errorf("without args: error %v, want %s", err, want)
	}
}
