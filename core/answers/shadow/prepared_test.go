package shadow

import (
	"fmt"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/storage/volume"

	"orrery/core/testing/mk"
	"orrery/core/world"
)

// told is an input at a time after the first one, in milliseconds.
type told struct {
	at int
	world.Event
}

var (
	pendingPod  = mk.Pod("p").PVC("c").Obj()
	freeClaim   = mk.Claim("c").Size("1Gi").Class("fast").Obj()
	localVolume = mk.Volume("v").Size("1Gi").Class("fast").Obj()
)

func changed(o world.Object) world.Event { return world.Changed{Op: world.Modified, Object: o} }

// edited returns a copy of an object with a version and other changes.
func edited[T world.Object](o T, version string, edit func(T)) T {
	c := o.DeepCopyObject().(T)
	c.SetResourceVersion(version)
	edit(c)
	return c
}

func claimOn(node, version string) world.Event {
	return changed(edited(freeClaim, version, func(c *v1.PersistentVolumeClaim) {
		if node != "" {
			c.Annotations = map[string]string{volume.AnnSelectedNode: node}
		}
	}))
}

func volumeOf(claim, version string) world.Event {
	return changed(edited(localVolume, version, func(pv *v1.PersistentVolume) {
		pv.Spec.ClaimRef = &v1.ObjectReference{Namespace: "default", Name: claim, UID: "uid"}
	}))
}

func podWith(version string, edit func(*v1.Pod)) world.Event {
	return changed(edited(pendingPod, version, edit))
}

func unschedulable(p *v1.Pod) {
	p.Status.Conditions = []v1.PodCondition{{Type: v1.PodScheduled, Status: v1.ConditionFalse, Reason: v1.PodReasonUnschedulable, Message: "0/3 nodes"}}
}

func failed(p *v1.Pod) {
	p.Status.Conditions = []v1.PodCondition{{Type: v1.PodScheduled, Status: v1.ConditionFalse, Reason: v1.PodReasonSchedulerError, Message: "provisioning failed"}}
}

func nominated(node string) func(*v1.Pod) {
	return func(p *v1.Pod) { p.Status.NominatedNodeName = node }
}

func bound(node string) func(*v1.Pod) { return func(p *v1.Pod) { p.Spec.NodeName = node } }

func TestPreparedBindings_ShowDecisionsWithTheirWrites(t *testing.T) {
	pod, claim, sibling := changed(pendingPod), changed(freeClaim), changed(mk.Pod("sibling").PVC("c").Obj())
	for _, tt := range []struct {
		name string
		in   []told
		want string
	}{
		{"a selected node, then the binding", []told{{0, pod}, {0, claim}, {10, claimOn("a", "10")}, {20, podWith("11", func(*v1.Pod) {})}, {3000, podWith("12", bound("a"))}}, `
0 p on -
10 p on a
20 p on a
3000 p on a`},
		{"the claim is seen before its pod", []told{{0, claim}, {10, claimOn("a", "10")}, {20, pod}}, `
20 p on -
20 p on a`},
		{"a node selected for a pod before", []told{{0, claim}, {10, claimOn("a", "10")}, {700, pod}, {800, claimOn("a", "11")}}, `
700 p on -`},
		{"another node", []told{{0, pod}, {10, claimOn("a", "10")}, {20, claimOn("b", "11")}}, `
0 p on -
10 p on a
20 p on -
20 p on b`},
		{"the provisioner gives the node up", []told{{0, pod}, {5, podWith("9", nominated("a"))}, {10, claimOn("a", "10")}, {2000, claimOn("", "11")}}, `
0 p on -
5 p on - nominated a
10 p on a nominated a (expected)
2000 p on -`},
		{"the binding fails", []told{{0, pod}, {10, claimOn("a", "10")}, {2000, podWith("11", failed)}, {2500, podWith("12", failed)}}, `
0 p on -
10 p on a
2000 p on -
2500 p on -`},
		{"a failure before the write is seen after it", []told{{0, pod}, {10, claimOn("a", "10")}, {20, podWith("9", unschedulable)}}, `
0 p on -
10 p on a
20 p on a`},
		{"bound elsewhere", []told{{0, pod}, {10, claimOn("a", "10")}, {20, podWith("11", bound("b"))}}, `
0 p on -
10 p on a
20 p on -
20 p on b`},
		{"a claim in a volume, and the expected node", []told{{0, pod}, {10, podWith("9", nominated("a"))}, {20, volumeOf("c", "10")}}, `
0 p on -
10 p on - nominated a
20 p on a nominated a (expected)`},
		{"the expected node is seen after the claim in a volume", []told{{0, pod}, {10, volumeOf("c", "10")}, {20, podWith("9", nominated("a"))}}, `
0 p on -
20 p on - nominated a
20 p on a nominated a (expected)`},
		{"a nomination long before", []told{{0, pod}, {10, podWith("9", nominated("a"))}, {900, volumeOf("c", "10")}}, `
0 p on -
10 p on - nominated a`},
		{"two pods share the claim", []told{{0, pod}, {0, sibling}, {10, claimOn("a", "10")}}, `
0 p on -
0 sibling on -`},
		{"a list keeps the node of a pod that still waits", []told{{0, pod}, {10, claimOn("a", "10")}, {20, world.Listed{Kind: world.Pod, Objects: []world.Object{pendingPod}}}, {30, podWith("11", bound("a"))}}, `
0 p on -
10 p on a
20 list: p on a
30 p on a`},
		{"a list of claims shows no decision", []told{{0, pod}, {10, world.Listed{Kind: world.PersistentVolumeClaim, Objects: []world.Object{claimOn("a", "10").(world.Changed).Object}}}, {20, claimOn("a", "11")}}, `
0 p on -`},
		{"another scheduler's pod", []told{{0, podWith("1", func(p *v1.Pod) { p.Spec.SchedulerName = "other" })}, {10, claimOn("a", "10")}}, `
0 p on -`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newPreparedBindings(Window, func(name string) bool { return name == v1.DefaultSchedulerName })
			var got strings.Builder
			for _, in := range tt.in {
				for _, shown := range s.observe(world.Input{At: heldSince.Add(time.Duration(in.at) * time.Millisecond), Event: in.Event}) {
					describe(&got, in.at, shown)
				}
			}
			if got.String() != tt.want {
				t.Errorf("got%s\nwant%s", got.String(), tt.want)
			}
		})
	}
}

// describe writes what an input says of pods.
func describe(out *strings.Builder, at int, shown numberedInput) {
	switch event := shown.Event.(type) {
	case world.Changed:
		if pod, ok := event.Object.(*v1.Pod); ok {
			fmt.Fprintf(out, "\n%d %s", at, podState(pod))
			if shown.expected {
				out.WriteString(" (expected)")
			}
		}
	case world.Listed:
		for _, o := range event.Objects {
			if pod, ok := o.(*v1.Pod); ok {
				fmt.Fprintf(out, "\n%d list: %s", at, podState(pod))
			}
		}
	}
}

func podState(pod *v1.Pod) string {
	state := pod.Name + " on -"
	if pod.Spec.NodeName != "" {
		state = pod.Name + " on " + pod.Spec.NodeName
	}
	if node := pod.Status.NominatedNodeName; node != "" {
		state += " nominated " + node
	}
	return state
}

func TestPreparedBindings_ForgetBoundPods(t *testing.T) {
	s := newPreparedBindings(Window, func(string) bool { return true })
	for _, in := range []world.Event{changed(pendingPod), claimOn("a", "10"), podWith("11", bound("a")), changed(edited(freeClaim, "12", func(c *v1.PersistentVolumeClaim) { c.Spec.VolumeName = "v" }))} {
		s.observe(world.Input{At: heldSince, Event: in})
	}
	if len(s.pods)+len(s.users)+len(s.writes) > 0 {
		t.Errorf("left: %d pods, %d users, %d writes", len(s.pods), len(s.users), len(s.writes))
	}
}
