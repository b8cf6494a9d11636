package memory_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

func TestBind_PodRuns(t *testing.T) {
	s := newScene(t, memory.Options{Kinds: podsAndNodes, Latency: memory.Latency{
		Request:  memory.Delay{Base: 3 * time.Millisecond},
		Response: memory.Delay{Base: 2 * time.Millisecond},
		Watch:    memory.Delay{Base: 5 * time.Millisecond},
		Kubelet:  memory.Delay{Base: time.Second},
	}})
	create(s, node("n1"))
	create(s, mk.Pod("web").CPU("1").Nominated("n9").Obj())
	s.wants(time.Second, `
		5ms listed Node: n1
		5ms listed Pod: web`)
	s.do(world.PatchStatus{
		Pod:           world.PodRefOf(s.Pod("default", "web")),
		NominatedNode: ptr("n9"),
	})
	s.bind("web", "n1")
	s.wants(3*time.Second, `
		1.005s effect 1 ended well
		1.005s effect 2 ended well
		1.008s modified pod web Pending nominated n9
		1.008s modified pod web Pending on n1 PodScheduled=True
		2.008s modified pod web Running on n1 PodScheduled=True Ready=True`)
	status := s.Pod("default", "web").Status
	if got, want := status.ContainerStatuses[0].AllocatedResources, mk.Resources("cpu", "1"); !cmp.Equal(got, want) {
		t.Errorf("the container was given %v, want %v", got, want)
	}
	if want := dawn.Add(2 * time.Second); !status.StartTime.Time.Equal(want) {
		t.Errorf("the pod started at %v, want %v", status.StartTime, want)
	}
}

func TestBind_Refused(t *testing.T) {
	for _, tc := range []struct {
		name    string
		prepare func(s *scene) world.Bind
		want    string
	}{
		{
			"when the pod is bound already",
			func(s *scene) world.Bind {
				pod := create(s, mk.Pod("web").Node("n1").Obj())
				return world.Bind{Pod: world.PodRefOf(pod), Node: "n2"}
			},
			`Conflict: Operation cannot be fulfilled on pods/binding "web": pod web is already assigned to node "n1"`,
		},
		{
			"when the pod is being deleted",
			func(s *scene) world.Bind {
				pod := mk.Pod("web").Obj()
				pod.Finalizers = []string{"example.com/hold"}
				pod = create(s, pod)
				s.mustDelete(world.Pod, "web")
				return world.Bind{Pod: world.PodRefOf(pod), Node: "n1"}
			},
			`Conflict: Operation cannot be fulfilled on pods/binding "web": pod web is being deleted, cannot be assigned to a host`,
		},
		{
			"when the pod has scheduling gates",
			func(s *scene) world.Bind {
				pod := create(s, mk.Pod("web").Gate("example.com/quota").Obj())
				return world.Bind{Pod: world.PodRefOf(pod), Node: "n1"}
			},
			`Conflict: Operation cannot be fulfilled on pods/binding "web": pod web has non-empty .spec.schedulingGates`,
		},
		{
			"when the pod of that UID has given way to a namesake",
			func(s *scene) world.Bind {
				create(s, mk.Pod("web").Obj())
				return world.Bind{Pod: world.PodRef{Namespace: "default", Name: "web", UID: "an-older-one"}, Node: "n1"}
			},
			`Conflict: Operation cannot be fulfilled on pods "web": Precondition failed: UID in precondition: an-older-one, UID in object meta: UID`,
		},
		{
			"when there is no such pod",
			func(*scene) world.Bind {
				return world.Bind{Pod: world.PodRef{Namespace: "default", Name: "web"}, Node: "n1"}
			},
			`NotFound: pods "web" not found`,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newScene(t, memory.Options{})
			s.do(tc.prepare(s))
			got := "it was not"
			for _, in := range s.Advance(time.Second) {
				if e, ok := in.Event.(world.EffectDone); ok && !e.Outcome.OK() {
					got = string(e.Outcome.Reason) + ": " + e.Outcome.Message
				}
			}
			want := tc.want
			if pod := s.Pod("default", "web"); pod != nil {
				want = replaceUID(want, pod.UID)
			}
			if got != want {
				t.Errorf("the binding ended with\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// Shows SEL-21.
func TestBind_UnknownNode(t *testing.T) {
	s := newScene(t, memory.Options{Kinds: []world.Kind{world.Pod}})
	create(s, mk.Pod("web").Obj())
	s.bind("web", "nowhere")
	s.wants(30*time.Second, `
		0s listed Pod: web
		0s modified pod web Pending on nowhere PodScheduled=True
		0s effect 1 ended well`)
	create(s, mk.Node("nowhere").CPU("1").Obj())
	s.wants(time.Minute, `
		30s modified pod web Running on nowhere PodScheduled=True Ready=True`)
	t.Log("but if it does not come into being, the pod is collected")
	create(s, mk.Pod("lost").Obj())
	s.bind("lost", "never")
	s.wants(time.Minute, `
		1m30s added pod lost Pending
		1m30s modified pod lost Pending on never PodScheduled=True
		1m30s effect 2 ended well
		2m10s modified pod lost Failed on never PodScheduled=True DisruptionTarget=True/DeletionByPodGC
		2m10s deleted pod lost Failed on never PodScheduled=True DisruptionTarget=True/DeletionByPodGC`)
}

// Shows SEL-26.
func TestBind_TopologyLabels(t *testing.T) {
	s := newScene(t, memory.Options{})
	create(s, mk.Node("n1").Region("r1").Zone("z1").Label("disk", "ssd").Obj())
	template := mk.Pod("web").Label("app", "web").Label(v1.LabelTopologyZone, "a-guess").Obj()
	before := create(s, template)
	create(s, mk.Pod("static").Node("n1").Obj())
	s.bind("web", "n1")
	s.pass(time.Second)
	want := map[string]string{"app": "web", v1.LabelTopologyRegion: "r1", v1.LabelTopologyZone: "z1"}
	if diff := cmp.Diff(want, s.Pod("default", "web").Labels); diff != "" {
		t.Errorf("labels after binding (-want +got):\n%s", diff)
	}
	if got := before.Labels[v1.LabelTopologyZone]; got != "a-guess" {
		t.Errorf("the object handed out earlier now says zone %q: it was changed", got)
	}
	if got := s.Pod("default", "static").Labels[v1.LabelTopologyZone]; got != "z1" {
		t.Errorf("a pod created on its node has zone %q, want z1", got)
	}
}

func TestPatchStatus(t *testing.T) {
	unschedulable := v1.PodCondition{
		Type: v1.PodScheduled, Status: v1.ConditionFalse, Reason: v1.PodReasonUnschedulable, Message: "0/3 nodes",
	}
	s := newScene(t, memory.Options{Kinds: []world.Kind{world.Pod}})
	pod := world.PodRefOf(create(s, mk.Pod("web").Obj()))
	s.pass(time.Minute)

	s.do(world.PatchStatus{Pod: pod, Condition: &unschedulable, NominatedNode: ptr("n1")})
	s.wants(time.Minute, `
		1m0s modified pod web Pending nominated n1 PodScheduled=False/Unschedulable
		1m0s effect 1 ended well`)
	first := s.Pod("default", "web").Status.Conditions[0].LastTransitionTime

	t.Log("the same once more is not written, and no event is sent")
	unschedulable.LastTransitionTime = metav1.NewTime(dawn.Add(time.Hour))
	s.do(world.PatchStatus{Pod: pod, Condition: &unschedulable, NominatedNode: ptr("n1")})
	s.wants(time.Minute, `2m0s effect 2 ended well`)

	t.Log("another message is written, and the status keeps its time of transition")
	unschedulable.Message = "0/4 nodes"
	s.do(world.PatchStatus{Pod: pod, Condition: &unschedulable})
	s.wants(time.Minute, `
		3m0s modified pod web Pending nominated n1 PodScheduled=False/Unschedulable
		3m0s effect 3 ended well`)
	if got := s.Pod("default", "web").Status.Conditions[0].LastTransitionTime; !got.Equal(&first) {
		t.Errorf("the time of transition went from %v to %v while the status stayed", first, got)
	}

	t.Log("an empty nomination clears it, and conditions of other types stay")
	s.do(world.PatchStatus{
		Pod:           pod,
		Condition:     &v1.PodCondition{Type: v1.DisruptionTarget, Status: v1.ConditionTrue, Reason: "PreemptionByScheduler"},
		NominatedNode: ptr(""),
	})
	s.wants(time.Minute, `
		4m0s modified pod web Pending PodScheduled=False/Unschedulable DisruptionTarget=True/PreemptionByScheduler
		4m0s effect 4 ended well`)

	t.Log("a namesake is not the pod")
	pod.UID = "other"
	s.do(world.PatchStatus{Pod: pod, NominatedNode: ptr("n2")})
	s.do(world.PatchStatus{Pod: world.PodRef{Namespace: "default", Name: "gone"}, NominatedNode: ptr("n2")})
	s.wants(time.Minute, replaceUID(`
		5m0.01s effect 5 failed: Conflict: Operation cannot be fulfilled on pods "web": Precondition failed: UID in precondition: other, UID in object meta: UID
		5m0.01s effect 6 failed: NotFound: pods "gone" not found`, s.Pod("default", "web").UID))
}
