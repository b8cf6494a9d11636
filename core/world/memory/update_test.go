package memory_test

import (
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

func inTerms(terms ...v1.NodeSelectorTerm) *v1.Affinity {
	return &v1.Affinity{NodeAffinity: &v1.NodeAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{NodeSelectorTerms: terms},
	}}
}

func term(keys ...string) v1.NodeSelectorTerm {
	var t v1.NodeSelectorTerm
	for _, key := range keys {
		t.MatchExpressions = append(t.MatchExpressions, v1.NodeSelectorRequirement{Key: key, Operator: v1.NodeSelectorOpExists})
	}
	return t
}

// Shows GATE-03, GATE-07, GATE-08, GATE-09, GATE-10 and GATE-11.
func TestUpdate_PodFields(t *testing.T) {
	gated := func() *mk.PodBuilder { return mk.Pod("web").Gate("a").Gate("b") }
	for _, tc := range []struct {
		name   string
		pod    *mk.PodBuilder
		change func(*v1.Pod)
		want   string // the error; empty if it can
	}{
		{"labels", mk.Pod("web"), func(p *v1.Pod) { p.Labels = map[string]string{"a": "b"} }, ""},
		{"a gate can go, in any order", gated(), func(p *v1.Pod) { p.Spec.SchedulingGates = p.Spec.SchedulingGates[:1] }, ""},
		{
			"a gate cannot come", gated(), func(p *v1.Pod) { p.Spec.SchedulingGates[0].Name = "c" },
			`Pod "web" is invalid: spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate 'c'`,
		},
		{"tolerations can come", mk.Pod("web"), func(p *v1.Pod) {
			p.Spec.Tolerations = append(p.Spec.Tolerations, v1.Toleration{Key: "x", Operator: v1.TolerationOpExists})
		}, ""},
		{
			"tolerations cannot go", mk.Pod("web").Toleration(v1.Toleration{Key: "x", Operator: v1.TolerationOpExists}), func(p *v1.Pod) { p.Spec.Tolerations = nil },
			`Pod "web" is invalid: spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds`,
		},
		{"an image", mk.Pod("web"), func(p *v1.Pod) { p.Spec.Containers[0].Image = "app:2" }, ""},
		{"while gated, a node selector can be set", gated(), func(p *v1.Pod) {
			p.Spec.NodeSelector = map[string]string{"disk": "ssd"}
		}, ""},
		{
			"while gated, a key of it cannot change", gated().NodeSelector("disk", "ssd"), func(p *v1.Pod) {
				p.Spec.NodeSelector["disk"] = "hdd"
			},
			`Pod "web" is invalid: spec.nodeSelector: Invalid value: {"disk":"hdd"}: only additions to spec.nodeSelector are allowed (no mutations or deletions)`,
		},
		{
			"without gates it cannot be set", mk.Pod("web"), func(p *v1.Pod) { p.Spec.NodeSelector = map[string]string{"disk": "ssd"} },
			forbiddenChange,
		},
		{"while gated, node affinity can be set", gated(), func(p *v1.Pod) { p.Spec.Affinity = inTerms(term("disk")) }, ""},
		{"while gated, a term can demand more", gated().Affinity(inTerms(term("disk"))), func(p *v1.Pod) {
			p.Spec.Affinity = inTerms(term("disk", "gpu"))
		}, ""},
		{
			"while gated, a term cannot be added", gated().Affinity(inTerms(term("disk"))), func(p *v1.Pod) {
				p.Spec.Affinity = inTerms(term("disk"), term("gpu"))
			},
			`no additions/deletions to non-empty NodeSelectorTerms list are allowed`,
		},
		{
			"while gated, a requirement cannot change", gated().Affinity(inTerms(term("disk"))), func(p *v1.Pod) {
				p.Spec.Affinity = inTerms(term("gpu"))
			},
			`only additions are allowed (no mutations or deletions)`,
		},
		{"while gated, preferences are free", gated().Affinity(inTerms(term("disk"))), func(p *v1.Pod) {
			p.Spec.Affinity.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution = []v1.PreferredSchedulingTerm{{Weight: 1, Preference: term("gpu")}}
		}, ""},
		{
			"affinity between pods is not", gated(), func(p *v1.Pod) {
				p.Spec.Affinity = &v1.Affinity{PodAffinity: &v1.PodAffinity{}}
			},
			forbiddenChange,
		},
		{
			"resources, except by a resize", mk.Pod("web").CPU("1"), func(p *v1.Pod) {
				p.Spec.Containers[0].Resources.Requests = mk.Resources("cpu", "2")
			},
			forbiddenChange,
		},
		{"the node, except by a binding", mk.Pod("web"), func(p *v1.Pod) { p.Spec.NodeName = "n1" }, forbiddenChange},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newScene(t, memory.Options{})
			pod := create(s, tc.pod.Obj()).DeepCopy()
			tc.change(pod)
			_, err := s.Update(pod)
			switch {
			case tc.want == "" && err != nil:
				t.Errorf("refused: %v", err)
			case tc.want != "" && (!apierrors.IsInvalid(err) || !contains(err.Error(), tc.want)):
				t.Errorf("got %v, want an invalid object: %s", err, tc.want)
			}
		})
	}
}

const forbiddenChange = `spec: Forbidden: pod updates may not change fields other than`

func TestUpdate_Conflict(t *testing.T) {
	s := newScene(t, memory.Options{Kinds: []world.Kind{world.Pod}})
	stale := create(s, mk.Pod("web").Obj()).DeepCopy()
	s.pass(time.Second)
	fresh := stale.DeepCopy()
	fresh.Labels = map[string]string{"a": "1"}
	if _, err := s.Update(fresh); err != nil {
		t.Fatalf("the first update: %v", err)
	}
	stale.Labels = map[string]string{"a": "2"}
	_, err := s.Update(stale)
	want := `Operation cannot be fulfilled on pods "web": the object has been modified; please apply your changes to the latest version and try again`
	if !apierrors.IsConflict(err) || err.Error() != want {
		t.Errorf("an update of an old version gave\n%v\nwant\n%s", err, want)
	}
	stale.ResourceVersion = ""
	if _, err := s.Update(stale); err != nil {
		t.Errorf("an update that names no version: %v", err)
	}
	if _, err := s.Update(stale); err != nil {
		t.Errorf("the same update again: %v", err)
	}
	t.Log("three calls, two changes: the last one changed nothing")
	s.wants(time.Minute, `
		1s modified pod web Pending
		1s modified pod web Pending`)
	if _, err := s.Update(mk.Pod("gone").Obj()); !apierrors.IsNotFound(err) {
		t.Errorf("an update of nothing gave %v, want not found", err)
	}
}

func TestUpdate_SpecAndStatus(t *testing.T) {
	s := newScene(t, memory.Options{})
	n := create(s, node("n1")).DeepCopy()
	n.Labels["x"], n.Status.Allocatable = "y", mk.Resources("cpu", "1")
	updated, err := s.Update(n)
	if err != nil {
		t.Fatal(err)
	}
	if got := updated.(*v1.Node); got.Labels["x"] != "y" || got.Status.Allocatable.Cpu().String() != "4" {
		t.Errorf("Update gave label %q and cpu %v, want y and 4", got.Labels["x"], got.Status.Allocatable.Cpu())
	}
	n = updated.DeepCopyObject().(*v1.Node)
	n.Labels["x"], n.Status.Allocatable = "z", mk.Resources("cpu", "1")
	if updated, err = s.UpdateStatus(n); err != nil {
		t.Fatal(err)
	}
	if got := updated.(*v1.Node); got.Labels["x"] != "y" || got.Status.Allocatable.Cpu().String() != "1" {
		t.Errorf("UpdateStatus gave label %q and cpu %v, want y and 1", got.Labels["x"], got.Status.Allocatable.Cpu())
	}
}

func TestResize_WhenItFits(t *testing.T) {
	s := newScene(t, memory.Options{Kinds: []world.Kind{world.Pod}})
	create(s, node("n1"))
	create(s, mk.Pod("web").CPU("1").Node("n1").Obj())
	create(s, mk.Pod("other").CPU("2").Node("n1").Obj())
	s.pass(time.Second)
	given := func() string {
		return s.Pod("default", "web").Status.ContainerStatuses[0].AllocatedResources.Cpu().String()
	}
	resize := func(cpu string) {
		t.Helper()
		pod := s.Pod("default", "web").DeepCopy()
		pod.Spec.Containers[0].Resources.Requests = mk.Resources("cpu", cpu)
		if _, err := s.Resize(pod); err != nil {
			t.Fatalf("resizing to %s: %v", cpu, err)
		}
	}
	resize("2")
	s.pass(time.Second)
	if given() != "2" {
		t.Errorf("the container was given %s cpu, want 2", given())
	}
	resize("3")
	s.wants(time.Second, `
		2s modified pod web Running on n1 PodScheduled=True Ready=True
		2s modified pod web Running on n1 PodScheduled=True Ready=True PodResizePending=True/Deferred`)
	t.Log("once the other pod has gone there is room")
	s.mustDelete(world.Pod, "other")
	s.wants(time.Minute, `
		3s modified pod other Running on n1 PodScheduled=True Ready=True deleting in 30s
		4s deleted pod other Running on n1 PodScheduled=True Ready=True deleting in 30s
		4s modified pod web Running on n1 PodScheduled=True Ready=True`)
	if given() != "3" {
		t.Errorf("the container was given %s cpu, want 3", given())
	}
	resize("5")
	s.wants(time.Second, `
		1m3s modified pod web Running on n1 PodScheduled=True Ready=True
		1m3s modified pod web Running on n1 PodScheduled=True Ready=True PodResizePending=True/Infeasible`)
	bad := s.Pod("default", "web").DeepCopy()
	bad.Spec.Containers[0].Image = "app:2"
	if _, err := s.Resize(bad); !apierrors.IsInvalid(err) {
		t.Errorf("a resize that changes the image gave %v, want invalid", err)
	}
	bad = s.Pod("default", "web").DeepCopy()
	bad.Spec.Containers[0].Resources.Limits = mk.Resources("cpu", "5", "memory", "1Gi")
	if _, err := s.Resize(bad); !apierrors.IsInvalid(err) {
		t.Errorf("a resize that adds limits gave %v, want invalid", err)
	}
}
