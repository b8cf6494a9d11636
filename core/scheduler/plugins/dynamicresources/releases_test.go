package dynamicresources_test

import (
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/utils/ptr"

	"orrery/core/scheduler/release"
	"orrery/core/testing/mk"
	"orrery/core/testing/plugintest"
	"orrery/core/world"
)

func TestClaimOwnersNamedByKind(t *testing.T) {
	pod := mk.Pod("ada").Obj()
	pod.Spec.ResourceClaims = []v1.PodResourceClaim{{Name: "gpu", ResourceClaimTemplateName: ptr.To("template")}}
	pod.Status.ResourceClaimStatuses = []v1.PodResourceClaimStatus{{Name: "gpu", ResourceClaimName: ptr.To("c")}}
	const prefix, byKind = "UnschedulableAndUnresolvable: ResourceClaim default/c was not created for ", "Pod default/ada (Pod is not owner)"
	for r, want := range map[release.Release]string{release.V135: "pod default/ada (pod is not owner)", release.V136: byKind, release.V137: byKind} {
		f := fixtureOf(t, r, "", claim().Obj())
		wants(t, r.String(), prefix+want, text(f.plugin.PreEnqueue(t.Context(), pod)))
	}
}

func TestBindingFailuresAlike(t *testing.T) {
	const timeout, failed = "device binding timeout: context deadline exceeded", `device binding failed: claim=c, reason=Why, message="because"`
	for name, tt := range map[string]struct {
		then func(*binding)
		want map[release.Release]string
	}{
		"nothing changes": {
			func(b *binding) { b.now = b.now.Add(10 * time.Minute) },
			map[release.Release]string{release.V135: "device binding timeout", release.V136: timeout, release.V137: timeout},
		},
		"it has failed": {
			func(b *binding) { b.setCondition("failed", metav1.ConditionTrue) },
			map[release.Release]string{release.V135: `claim c binding failed: reason=Why, message="because"`, release.V136: failed, release.V137: failed},
		},
	} {
		t.Run(name, func(t *testing.T) {
			for r, want := range tt.want {
				b := fixtureOf(t, r, conditionGates, prepared()...).bind(user(), mk.Node("n").Obj())
				b.step(nil)
				b.succeed()
				tt.then(b)
				wants(t, r.String(), want, b.step(nil))
			}
		})
	}
}

// Up to 1.35 a pod with an allocated claim beside a new one cannot be scored, as in kube-scheduler.
func TestAllocatedClaimsScored(t *testing.T) {
	old := mk.ResourceClaim("old").First("x", "big", "gpu").Allocated("n", "x/gpu", driver, "a", "1").Obj()
	pod := mk.Pod("ada").ResourceClaim("c").ResourceClaim("old").Obj()
	for name, tt := range map[string]struct {
		r     release.Release
		gates string
		score int64
		want  string
	}{
		"up to 1.35":                    {release.V135, "", 0, "Error: number of allocations 1 is smaller than number of claims"},
		"1.36 adds both up":             {release.V136, "", 8 + 7, ""},
		"so does 1.37":                  {release.V137, "", 8 + 7, ""},
		"1.36 does not without choices": {release.V136, "-DRAPrioritizedList", 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			wanted := claim().First("y", "gpu")
			if tt.gates != "" { // which such a claim needs
				wanted = claim().Request("y", "gpu", 1)
			}
			f := fixtureOf(t, tt.r, tt.gates, append(gpus(), wanted.Obj(), old)...)
			state, _ := f.cycle(pod)
			wants(t, "Filter", "", f.filter(state, pod, mk.Node("n").Obj()))
			score, status := f.plugin.Score(t.Context(), state, pod, nodeInfo(mk.Node("n").Obj()))
			if wants(t, "Score", tt.want, text(status)); score != tt.score {
				t.Errorf("the score is %d, want %d", score, tt.score)
			}
		})
	}
}

func TestClaimDeletionsRequeue(t *testing.T) {
	for name, tt := range map[string]struct {
		deleted world.Object
		want    map[release.Release]string
	}{
		"a claim with devices": {
			mk.ResourceClaim("other").Allocated("n", "gpu", driver, "a", "1").Obj(),
			map[release.Release]string{release.V135: "not registered", release.V136: "not registered", release.V137: "Queue"},
		},
		"one without": {
			mk.ResourceClaim("other").Obj(),
			map[release.Release]string{release.V135: "not registered", release.V136: "not registered", release.V137: "QueueSkip"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			for r, want := range tt.want {
				f := fixtureOf(t, r, "", claim().Obj())
				wants(t, r.String(), want, plugintest.Hint(t, f.plugin, fwk.ResourceClaim, fwk.Delete, user(), tt.deleted, nil))
			}
		})
	}
}
