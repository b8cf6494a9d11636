package trim_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/trim"
)

// decoded returns the claim and the volume of an API server's answer.
func decoded(t *testing.T, i int) (*v1.PersistentVolumeClaim, *v1.PersistentVolume) {
	t.Helper()
	claim, volume := boundVolume(t, i, 1)
	c, pv := &v1.PersistentVolumeClaim{}, &v1.PersistentVolume{}
	if err := c.Unmarshal(claim); err != nil {
		t.Fatal(err)
	}
	if err := pv.Unmarshal(volume); err != nil {
		t.Fatal(err)
	}
	return c, pv
}

func TestPool_LeavesObjectsEqual(t *testing.T) {
	pool := &trim.Pool{}
	for i := range 300 {
		claim, volume := decoded(t, i)
		for _, whole := range []world.Object{claim, volume, ofReplicaSet(t, i)} {
			want, got := trim.LiveObject(whole), trim.LiveObject(whole)
			before := whole.DeepCopyObject()
			pool.Share(got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("sharing changes the object (-before +after):\n%s", diff)
			}
			if diff := cmp.Diff(before, whole); diff != "" {
				t.Fatalf("sharing changes the parts (-before +after):\n%s", diff)
			}
		}
	}
}

// sharedBy returns what the live world keeps of an object.
func sharedBy[O world.Object](pool *trim.Pool, whole O) O {
	kept := trim.LiveObject(whole)
	pool.Share(kept)
	return kept.(O)
}

func TestPool_SharesEqualPartsOnly(t *testing.T) {
	pool := &trim.Pool{}
	shared := func(i int, change func(*v1.PersistentVolumeClaim)) *v1.PersistentVolumeClaim {
		claim, _ := decoded(t, i)
		change(claim)
		return sharedBy(pool, claim)
	}
	same := func(a, b map[string]string) bool { return reflect.ValueOf(a).Pointer() == reflect.ValueOf(b).Pointer() }
	first, second := shared(0, func(*v1.PersistentVolumeClaim) {}), shared(200, func(*v1.PersistentVolumeClaim) {})
	if !same(first.Labels, second.Labels) || !same(first.Annotations, second.Annotations) || first.Spec.StorageClassName != second.Spec.StorageClassName {
		t.Error("two claims of one application share no part")
	}
	other := shared(200, func(c *v1.PersistentVolumeClaim) {
		c.Annotations["volume.kubernetes.io/selected-node"] = "elsewhere"
		c.Spec.Resources.Requests[v1.ResourceStorage] = resource.MustParse("11Gi")
		c.Finalizers = []string{"kubernetes.io/pvc-protection", "1:a"}
	})
	if got := other.Annotations["volume.kubernetes.io/selected-node"]; got != "elsewhere" || same(other.Annotations, first.Annotations) {
		t.Errorf("the selected node is %q", got)
	}
	if size := other.Spec.Resources.Requests.Storage(); size.String() != "11Gi" || first.Spec.Resources.Requests.Storage().String() != "10Gi" {
		t.Errorf("the size is %s", size)
	}
	if list := shared(200, func(c *v1.PersistentVolumeClaim) { c.Finalizers = []string{"kubernetes.io/pvc-protection1:a"} }).Finalizers; len(list) != 1 {
		t.Errorf("the finalizers are %q", list)
	}
}

// ofReplicaSet returns a pod as an API server sends it, of one of two applications.
func ofReplicaSet(t *testing.T, i int) *v1.Pod {
	t.Helper()
	app := fmt.Sprint("app-", i%2)
	pod := mk.Pod(fmt.Sprintf("%s-%d", app, i)).Label("app", app).CPU("250m").Memory("1Gi").Toleration(v1.Toleration{Key: "a", Value: "b"}).NodeSelector("disk", "ssd").Obj()
	pod.GenerateName, pod.OwnerReferences = app+"-", []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: app, UID: types.UID(app), Controller: new(bool)}}
	pod.Spec.NodeName = fmt.Sprint("node-", i%5)
	pod.Spec.Volumes = []v1.Volume{{Name: "data", VolumeSource: v1.VolumeSource{PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: fmt.Sprint("data-", i)}}}}
	pod.Status.Conditions = []v1.PodCondition{{Type: v1.PodScheduled, Status: v1.ConditionTrue}}
	text, err := pod.Marshal()
	decoded := &v1.Pod{}
	if err := errors.Join(err, decoded.Unmarshal(text)); err != nil {
		t.Fatal(err)
	}
	return decoded
}

func TestPool_SharesWhatPodsOfOneControllerHave(t *testing.T) {
	pool := &trim.Pool{}
	shared := func(i int, change func(*v1.Pod)) *v1.Pod {
		pod := ofReplicaSet(t, i)
		change(pod)
		return sharedBy(pool, pod)
	}
	same := func(a, b *v1.Pod) [2]bool {
		return [2]bool{reflect.ValueOf(a.Labels).Pointer() == reflect.ValueOf(b.Labels).Pointer(), &a.Spec.Containers[0] == &b.Spec.Containers[0]}
	}
	first := shared(0, func(*v1.Pod) {})
	for _, row := range []struct {
		name   string
		pod    int
		change func(*v1.Pod)
		want   [2]bool // metadata, spec
	}{
		{"another of the same", 2, func(*v1.Pod) {}, [2]bool{true, true}},
		{"one of another application", 1, func(*v1.Pod) {}, [2]bool{false, true}},
		{"another label", 2, func(p *v1.Pod) { p.Labels["pod-index"] = "2" }, [2]bool{false, true}},
		{"another request", 2, func(p *v1.Pod) { p.Spec.Containers[0].Resources.Requests["cpu"] = resource.MustParse("251m") }, [2]bool{true, false}},
		{"another toleration", 2, func(p *v1.Pod) { p.Spec.Tolerations[0].Value = "c" }, [2]bool{true, false}},
		{"too large to remember", 2, func(p *v1.Pod) { p.Spec.SchedulerName = strings.Repeat("x", 5000) }, [2]bool{true, false}},
	} {
		if got := same(first, shared(row.pod, row.change)); got != row.want {
			t.Errorf("%s: metadata and spec are shared: %v, want %v", row.name, got, row.want)
		}
	}
}

// What is remembered of pods that are all different is bounded, and they stay what they are.
func TestPool_ForgetsPodsThatAreAllDifferent(t *testing.T) {
	pool := &trim.Pool{}
	for i := range 10_000 {
		pod := trim.LiveObject(ofReplicaSet(t, 0)).(*v1.Pod)
		pod.Labels = map[string]string{"job": fmt.Sprint(i)}
		pod.Spec.SchedulerName = fmt.Sprint(i)
		pool.Share(pod)
		if pod.Labels["job"] != fmt.Sprint(i) || pod.Spec.SchedulerName != fmt.Sprint(i) || pod.Spec.NodeName != "node-0" || len(pod.Spec.Volumes) != 1 {
			t.Fatalf("pod %d is %v", i, pod)
		}
	}
	if got := pool.Templates(); got > 2*trim.MaxTemplates {
		t.Errorf("%d parts are remembered", got)
	}
}
