package memory_test

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

func database(replicas int32, policy *appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy) *appsv1.StatefulSet {
	return &appsv1.StatefulSet{ObjectMeta: meta("db"), Spec: appsv1.StatefulSetSpec{
		Replicas: &replicas, Template: template(), Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
		VolumeClaimTemplates:                 []v1.PersistentVolumeClaim{*claim("data", "1Gi")},
		PersistentVolumeClaimRetentionPolicy: policy,
	}}
}

func withDatabase(t *testing.T, policy *appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy) *scene {
	t.Helper()
	s := newScene(t, memory.Options{})
	create(s, node("n1"))
	create(s, immediateClass("slow", disks))
	create(s, database(2, policy))
	eager(s, time.Minute)
	return s
}

func (s *scene) scaleDatabase(replicas int32) {
	s.t.Helper()
	set := must[*appsv1.StatefulSet](s.t)(s.Get(world.StatefulSet, "default", "db")).DeepCopy()
	set.Spec.Replicas = &replicas
	must[*appsv1.StatefulSet](s.t)(s.Update(set))
	eager(s, time.Minute)
}

func TestClaimTemplates_RetentionPolicy(t *testing.T) {
	const retain, remove = appsv1.RetainPersistentVolumeClaimRetentionPolicyType, appsv1.DeletePersistentVolumeClaimRetentionPolicyType
	type policy = appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy
	for _, row := range []struct {
		name            string
		policy          *policy
		scaled, deleted string
	}{
		{"none", nil, "data-db-0 data-db-1", "data-db-0 data-db-1"},
		{"retain", &policy{WhenDeleted: retain, WhenScaled: retain}, "data-db-0 data-db-1", "data-db-0 data-db-1"},
		{"delete with the set", &policy{WhenDeleted: remove, WhenScaled: retain}, "data-db-0 data-db-1", ""},
		{"delete with the replica", &policy{WhenDeleted: retain, WhenScaled: remove}, "data-db-0", "data-db-0"},
		{"delete", &policy{WhenDeleted: remove, WhenScaled: remove}, "data-db-0", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := withDatabase(t, row.policy)
			s.wantsNames("data-db-0 data-db-1")
			s.scaleDatabase(1)
			s.wantsNames(row.scaled)
			s.mustDelete(world.StatefulSet, "db")
			s.pass(time.Minute)
			s.wantsNames(row.deleted)
		})
	}
}

// wantsNames compares the names of the claims.
func (s *scene) wantsNames(want string) {
	s.t.Helper()
	got := ""
	for i, name := range names(s.List(world.PersistentVolumeClaim)) {
		if i > 0 {
			got += " "
		}
		got += name
	}
	if got != want {
		s.t.Errorf("the claims are %q, want %q", got, want)
	}
}

func TestClaimTemplates_OrdinalGetsItsClaimBack(t *testing.T) {
	s := withDatabase(t, nil)
	volumeOf := func() string {
		return must[*v1.PersistentVolumeClaim](t)(s.Get(world.PersistentVolumeClaim, "default", "data-db-1")).Spec.VolumeName
	}
	before := volumeOf()
	s.scaleDatabase(1)
	s.scaleDatabase(2)
	if after := volumeOf(); after != before {
		t.Errorf("the claim is bound to %s, was to %s", after, before)
	}
	pod := s.Pod("default", "db-1")
	if pod.Status.Phase != v1.PodRunning || pod.Spec.Volumes[0].PersistentVolumeClaim.ClaimName != "data-db-1" {
		t.Errorf("db-1 is %s with volumes %v", pod.Status.Phase, pod.Spec.Volumes)
	}
}

func TestClaimTemplates_ClaimDeletedUnderPod(t *testing.T) {
	s := newScene(t, memory.Options{Kinds: []world.Kind{world.PersistentVolumeClaim}})
	create(s, delayedClass("slow", disks))
	create(s, database(1, nil))
	s.pass(time.Minute)
	first := must[world.Object](t)(s.Get(world.PersistentVolumeClaim, "default", "data-db-0")).GetUID()
	s.mustDelete(world.PersistentVolumeClaim, "data-db-0") // no pod on a node uses it
	s.pass(time.Minute)
	if second := must[world.Object](t)(s.Get(world.PersistentVolumeClaim, "default", "data-db-0")).GetUID(); second == first {
		t.Error("the claim is still the first one")
	}
}

func ephemeralPod(name string) *v1.Pod {
	pod := mk.Pod(name).Obj()
	pod.Spec.Volumes = []v1.Volume{{Name: "scratch", VolumeSource: v1.VolumeSource{Ephemeral: &v1.EphemeralVolumeSource{
		VolumeClaimTemplate: &v1.PersistentVolumeClaimTemplate{Spec: claim("", "1Gi").Spec},
	}}}}
	return pod
}

func TestEphemeral_ClaimComesAndGoesWithPod(t *testing.T) {
	s := newScene(t, memory.Options{})
	create(s, node("n1"))
	create(s, immediateClass("slow", disks))
	pod := create(s, ephemeralPod("p"))
	s.pass(time.Second)
	s.wantsState(`
		claim p-scratch Bound to pvc-UID
		volume pvc-UID Bound of p-scratch
	`)
	made := must[world.Object](t)(s.Get(world.PersistentVolumeClaim, "default", "p-scratch"))
	if !metav1.IsControlledBy(made, pod) {
		t.Errorf("the claim's owners are %v, want the pod", made.GetOwnerReferences())
	}
	s.bind("p", "n1")
	s.pass(time.Second)
	s.mustDelete(world.PersistentVolumeClaim, "p-scratch")
	s.pass(time.Second)
	s.wantsState(`
		claim p-scratch Bound to pvc-UID deleting
		pod p Running on n1 PodScheduled=True Ready=True
	`, world.PersistentVolumeClaim, world.Pod)
	s.mustDelete(world.Pod, "p")
	s.pass(time.Minute)
	s.wantsState("", world.PersistentVolumeClaim, world.PersistentVolume, world.Pod)
}

func TestEphemeral_ClaimOfAnotherIsNotUsed(t *testing.T) {
	s := newScene(t, memory.Options{})
	create(s, node("n1"))
	create(s, immediateClass("slow", disks))
	create(s, claim("p-scratch", "1Gi"))
	create(s, ephemeralPod("p"))
	s.bind("p", "n1")
	s.pass(time.Minute)
	s.wantsState("pod p Pending on n1 PodScheduled=True", world.Pod)
	s.mustDelete(world.PersistentVolumeClaim, "p-scratch")
	s.pass(time.Minute)
	s.wantsState("pod p Running on n1 PodScheduled=True Ready=True", world.Pod)
}
