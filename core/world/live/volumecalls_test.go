package live_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/world"
	"orrery/core/world/live"
)

func volumeOf(uid types.UID, change ...func(*v1.PersistentVolume)) *v1.PersistentVolume {
	pv := &v1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: "v", UID: uid, Annotations: map[string]string{"somebody": "else's"}},
		Spec: v1.PersistentVolumeSpec{
			MountOptions:           []string{"noatime"},
			PersistentVolumeSource: v1.PersistentVolumeSource{CSI: &v1.CSIPersistentVolumeSource{Driver: "d", VolumeHandle: "h"}},
		},
	}
	for _, f := range change {
		f(pv)
	}
	return pv
}

func claimOf(uid types.UID, change ...func(*v1.PersistentVolumeClaim)) *v1.PersistentVolumeClaim {
	claim := &v1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: "c", Namespace: "default", UID: uid}}
	for _, f := range change {
		f(claim)
	}
	return claim
}

func claimedBy(uid types.UID) func(*v1.PersistentVolume) {
	return func(pv *v1.PersistentVolume) {
		pv.Spec.ClaimRef = &v1.ObjectReference{Namespace: "default", Name: "c", UID: uid}
	}
}

func selecting(node string) func(*v1.PersistentVolumeClaim) {
	return func(claim *v1.PersistentVolumeClaim) {
		claim.Annotations = map[string]string{"volume.kubernetes.io/selected-node": node}
	}
}

// claiming and selectingNode are about the versions that the stub holds.
func (s *harness) claiming() world.ClaimVolume {
	return world.ClaimVolume{
		Pod: world.PodRefOf(podA), Node: "x", Volume: world.ObjectRefOf(s.volume("v")), Claim: world.ObjectRefOf(s.claim("c")), ByController: true,
	}
}

func (s *harness) selectingNode() world.SelectNode {
	return world.SelectNode{Pod: world.PodRefOf(podA), Node: "x", Claim: world.ObjectRefOf(s.claim("c"))}
}

func TestClaimVolume_WritesReferenceOnly(t *testing.T) {
	play(t, func(s *harness) {
		s.listed()
		act := s.claiming()
		s.do(act)
		want(t, "outcome", []string{"1 ok"}, s.outcomes(1))
		claimed := volumeOf("v")
		claimed.Annotations["pv.kubernetes.io/bound-by-controller"] = "yes"
		claimed.Spec.ClaimRef = &v1.ObjectReference{
			Kind: "PersistentVolumeClaim", APIVersion: "v1", Namespace: "default", Name: "c", UID: "c", ResourceVersion: act.Claim.ResourceVersion,
		}
		got := s.volume("v")
		got.TypeMeta, got.ResourceVersion = metav1.TypeMeta{}, ""
		if diff := cmp.Diff(claimed, got); diff != "" {
			t.Errorf("the volume (-want +got):\n%s", diff)
		}
	}, podA, volumeOf("v"), claimOf("c"))
}

func TestClaimVolume_LeavesPreBoundVolumeToItsUser(t *testing.T) {
	play(t, func(s *harness) {
		s.listed()
		act := s.claiming()
		act.ByController = false
		s.do(act)
		want(t, "outcome", []string{"1 ok"}, s.outcomes(1))
		want(t, "annotations", map[string]string{"somebody": "else's"}, s.volume("v").Annotations)
		want(t, "claim", types.UID("c"), s.volume("v").Spec.ClaimRef.UID)
	}, podA, volumeOf("v", func(pv *v1.PersistentVolume) { pv.Spec.ClaimRef = &v1.ObjectReference{Namespace: "default", Name: "c"} }), claimOf("c"))
}

func TestSelectNode_WritesAnnotationOnly(t *testing.T) {
	play(t, func(s *harness) {
		s.listed()
		s.do(s.selectingNode())
		want(t, "outcome", []string{"1 ok"}, s.outcomes(1))
		got := s.claim("c")
		got.TypeMeta, got.ResourceVersion = metav1.TypeMeta{}, ""
		if diff := cmp.Diff(claimOf("c", selecting("x")), got); diff != "" {
			t.Errorf("the claim (-want +got):\n%s", diff)
		}
	}, podA, volumeOf("v"), claimOf("c"))
}

func TestVolumeEffects_RefusalIsOutcome(t *testing.T) {
	const modified = "1 Conflict the object has been modified"
	for name, c := range map[string]struct {
		meanwhile                 func(s *harness)
		claimVolume, selectedNode string
	}{
		"changed since the decision": {
			func(s *harness) { s.put(volumeOf("v")); s.put(claimOf("c")) }, modified, modified,
		},
		"a namesake": {
			func(s *harness) { s.put(volumeOf("other")); s.put(claimOf("other")) }, modified, modified,
		},
		"gone": {
			func(s *harness) { s.remove(s.volume("v")); s.remove(s.claim("c")) },
			`1 NotFound persistentvolumes "v" not found`, `1 NotFound persistentvolumeclaims "c" not found`,
		},
		"forbidden": {
			func(s *harness) { s.setFault(times(1, "PATCH", "", fault{code: http.StatusForbidden})) },
			`1  the stub was told to say so`, `1  the stub was told to say so`,
		},
		// Without an attempt of its own, a conflict stays one even if the object has what was to be written.
		"written by another scheduler": {
			func(s *harness) { s.put(volumeOf("v", claimedBy("c"))); s.put(claimOf("c", selecting("x"))) }, modified, modified,
		},
	} {
		both(t, name, func(t *testing.T, which int) {
			play(t, func(s *harness) {
				s.listed()
				act := s.volumeEffect(which)
				c.meanwhile(s)
				s.do(act)
				want(t, "outcome", []string{[]string{c.claimVolume, c.selectedNode}[which]}, s.outcomes(1))
				want(t, "attempts", 1, int(s.cluster.Counters().Attempts))
			}, podA, volumeOf("v"), claimOf("c"))
		})
	}
}

// both runs a test for ClaimVolume and for SelectNode.
func both(t *testing.T, name string, run func(t *testing.T, which int)) {
	for i, effect := range []string{"claim volume", "select node"} {
		t.Run(name+", "+effect, func(t *testing.T) { run(t, i) })
	}
}

// volumeEffect is the effect that both is about.
func (s *harness) volumeEffect(which int) world.Action {
	if which == 0 {
		return s.claiming()
	}
	return s.selectingNode()
}

func TestVolumeEffects_RetryTransientFailures(t *testing.T) {
	for name, f := range map[string]fault{
		"too many requests": {code: 429}, "unavailable": {code: 503}, "an internal error": {code: 500}, "a connection that breaks": {cut: true},
	} {
		both(t, name, func(t *testing.T, which int) {
			play(t, func(s *harness) {
				s.listed()
				s.setFault(times(3, "PATCH", "", f))
				s.do(s.volumeEffect(which))
				took := elapses(func() { want(t, "outcome", []string{"1 ok"}, s.outcomes(1)) })
				if took < 300*time.Millisecond || took > time.Second {
					t.Errorf("it took %s", took)
				}
				want(t, "retries", 3, int(s.cluster.Counters().Retries))
			}, podA, volumeOf("v"), claimOf("c"))
		})
	}
}

// A lost response leaves open whether the patch was carried out: its retry conflicts with the first attempt or with
// someone else's write, and the object tells which.
func TestVolumeEffects_FindPatchWithLostResponse(t *testing.T) {
	const modified, missing = "1 Conflict the object has been modified", "1 NotFound "
	for name, c := range map[string]struct {
		f    func(s *harness) fault
		want string
	}{
		"it was made":                        {func(*harness) fault { return fault{lost: true} }, "1 ok"},
		"it was made, for all a proxy knows": {func(*harness) fault { return fault{lost: true, code: 503} }, "1 ok"},
		"it was not made":                    {func(*harness) fault { return fault{cut: true} }, "1 ok"},
		"another scheduler was quicker": {func(s *harness) fault {
			s.put(volumeOf("v", claimedBy("other")))
			s.put(claimOf("c", selecting("y")))
			return fault{cut: true}
		}, modified},
		"the controller bound what it wrote": {func(s *harness) fault {
			s.put(volumeOf("v", claimedBy("c"), func(pv *v1.PersistentVolume) { pv.Status.Phase = v1.VolumeBound }))
			s.put(claimOf("c", selecting("x"), func(claim *v1.PersistentVolumeClaim) { claim.Spec.VolumeName = "pvc-c" }))
			return fault{cut: true}
		}, "1 ok"},
		"the controller took it back": {func(s *harness) fault {
			s.put(volumeOf("v"))
			s.put(claimOf("c"))
			return fault{cut: true}
		}, modified},
		"a namesake has the same": {func(s *harness) fault {
			s.put(volumeOf("other", claimedBy("c")))
			s.put(claimOf("other", selecting("x")))
			return fault{cut: true}
		}, modified},
		"it is gone": {func(s *harness) fault {
			s.remove(s.volume("v"))
			s.remove(s.claim("c"))
			return fault{cut: true}
		}, missing},
	} {
		both(t, name, func(t *testing.T, which int) {
			play(t, func(s *harness) {
				s.listed()
				act, first := s.volumeEffect(which), true
				s.setFault(func(r *http.Request) fault {
					if r.Method != "PATCH" || !first {
						return fault{}
					}
					first = false
					return c.f(s)
				})
				s.do(act)
				if got := s.outcomes(1)[0]; got != c.want && (c.want != missing || !strings.HasPrefix(got, missing)) {
					t.Errorf("outcome %q, want %q", got, c.want)
				}
			}, podA, volumeOf("v"), claimOf("c"))
		})
	}
}

// A server that has just started has no RBAC rules yet, and forbids every request.
func TestVolumeEffects_LostResponseSurvivesForbiddenGet(t *testing.T) {
	both(t, "forbidden", func(t *testing.T, which int) {
		play(t, func(s *harness) {
			s.listed()
			lost, refused := times(1, "PATCH", "", fault{lost: true}), times(3, "GET", "", fault{code: http.StatusForbidden})
			s.setFault(func(r *http.Request) fault {
				if f := lost(r); f.lost {
					return f
				}
				return refused(r)
			})
			s.do(s.volumeEffect(which))
			want(t, "outcome", []string{"1 ok"}, s.outcomes(1))
		}, podA, volumeOf("v"), claimOf("c"))
	})
}

func TestVolumeEffects_GiveUpAfterMaxRetryTime(t *testing.T) {
	play(t, func(s *harness) {
		s.listed()
		claim, node := s.claiming(), s.selectingNode()
		node.Pod = world.PodRefOf(podB)
		s.setFault(func(r *http.Request) fault { return fault{cut: r.Method == "PATCH"} })
		s.do(claim)
		s.do(node)
		took := elapses(func() { s.outcomes(2) })
		if took < live.MaxRetryTime || took > live.MaxRetryTime+10*time.Second {
			t.Errorf("given up after %s", took)
		}
		want(t, "given up", 2, int(s.cluster.Counters().GaveUp))
	}, podA, podB, volumeOf("v"), claimOf("c"))
}

// The writes for a pod keep their order, and none supersedes another: the binding comes after its volumes.
func TestVolumeEffects_KeepOrderPerPod(t *testing.T) {
	play(t, func(s *harness) {
		s.listed()
		held := make(chan struct{})
		s.setFault(times(1, "PATCH", "/persistentvolumes/v", fault{wait: held}))
		s.do(s.claiming())
		s.do(s.selectingNode())
		s.do(bind(podA, "x"))
		synctest.Wait()
		want(t, "effects that wait", 2, s.cluster.Counters().Waiting)
		s.do(bind(podB, "x"))
		want(t, "another pod's", []string{"4 ok"}, s.outcomes(1))
		close(held)
		want(t, "outcomes", []string{"1 ok", "2 ok", "3 ok"}, s.outcomes(3))
		want(t, "requests", []string{"POST b binding", "PATCH persistentvolumes v", "PATCH persistentvolumeclaims c", "POST a binding"}, s.written())
	}, podA, podB, volumeOf("v"), claimOf("c"))
}

// Leadership may end before the first attempt, or while a retry waits.
func TestVolumeEffects_NotSentWhenNotAllowed(t *testing.T) {
	var leads atomic.Bool
	leads.Store(true)
	playWith(t, live.Options{Gate: live.NewWriteGate(leads.Load)}, func(s *harness) {
		s.listed()
		s.setFault(func(r *http.Request) fault {
			if r.Method != "PATCH" {
				return fault{}
			}
			leads.Store(false)
			return fault{code: http.StatusServiceUnavailable}
		})
		s.do(s.claiming())
		s.do(s.selectingNode())
		const refused = "not sent: this scheduler does not lead any more"
		want(t, "outcomes", []string{"1  " + refused, "2 Forbidden " + refused}, s.outcomes(2))
		want(t, "attempts", 1, int(s.cluster.Counters().Attempts))
		want(t, "fenced", 2, int(s.cluster.Counters().Fenced))
	}, podA, volumeOf("v"), claimOf("c"))
}
