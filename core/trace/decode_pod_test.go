package trace_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/testing/fuzz"
	"orrery/core/testing/mk"
	"orrery/core/trace"
)

// podOf is the i-th pod of a Deployment, with something in each part that its pods have alike, or for themselves.
func podOf(app string, i int) *v1.Pod {
	at := metav1.NewTime(time.Unix(int64(1000+i), 0))
	pod := mk.Pod(fmt.Sprintf("%s-%d", app, i)).UID(fmt.Sprintf("%s-uid-%d", app, i)).Label("app", app).Node(fmt.Sprintf("n%d", i%3)).
		CPU("100m").Memory("1Gi").Toleration(v1.Toleration{Key: "gpu", Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoSchedule}).Obj()
	pod.GenerateName, pod.ResourceVersion, pod.Generation, pod.CreationTimestamp = app+"-", fmt.Sprint(i), int64(i), at
	pod.Status.Phase, pod.Status.StartTime = v1.PodRunning, &at
	for _, kind := range []v1.PodConditionType{v1.PodScheduled, v1.PodReady} {
		pod.Status.Conditions = append(pod.Status.Conditions, v1.PodCondition{Type: kind, Status: v1.ConditionTrue, LastTransitionTime: at, Reason: "Because"})
	}
	return pod
}

func encoded(t testing.TB, pod *v1.Pod) []byte {
	t.Helper()
	data, err := pod.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Pods of one controller are decoded as they were written, and have one set of labels, containers and texts of conditions.
func TestReader_PodsShareWhatTheyHaveAlike(t *testing.T) {
	decode, known := trace.PodDecoder()
	var pods []*v1.Pod
	for i := range 10 {
		for _, app := range []string{"web", "api"} {
			want := podOf(app, i)
			got, err := decode(encoded(t, want))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("(-written +read):\n%s", diff)
			}
			pods = append(pods, got)
		}
	}
	if metas, specs, statuses, conditions := known(); metas != 2 || specs != 1 || statuses != 1 || conditions != 2 {
		t.Errorf("%d metadata, %d specs, %d statuses and %d conditions are different, want 2, 1, 1 and 2", metas, specs, statuses, conditions)
	}
	first, third := pods[0], pods[6]
	if &first.Spec.Containers[0] != &third.Spec.Containers[0] {
		t.Error("two pods of a Deployment have containers of their own")
	}
	if unsafe.StringData(first.Spec.NodeName) != unsafe.StringData(third.Spec.NodeName) {
		t.Error("two pods of a node have texts of their own with its name")
	}
}

// A StatefulSet's pods have a claim each, and share all the rest.
func TestReader_PodsWithVolumesOfTheirOwnShareTheRest(t *testing.T) {
	decode, known := trace.PodDecoder()
	for i := range 3 {
		want := podOf("db", i)
		want.Spec.Volumes = []v1.Volume{{Name: "data", VolumeSource: v1.VolumeSource{PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: fmt.Sprintf("data-db-%d", i)}}}}
		got, err := decode(encoded(t, want))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("(-written +read):\n%s", diff)
		}
	}
	if _, specs, _, _ := known(); specs != 1 {
		t.Errorf("%d specs are different, want 1", specs)
	}
}

// What a reader remembers of pods is bounded, in number and in size, and pods beyond the bounds are read all the same.
func TestReader_SharedPartsAreBounded(t *testing.T) {
	decode, known := trace.PodDecoder()
	read := func(pod *v1.Pod) {
		t.Helper()
		got, err := decode(encoded(t, pod))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(pod, got); diff != "" {
			t.Fatalf("(-written +read):\n%s", diff)
		}
	}
	large := podOf("large", 0)
	large.Annotations = map[string]string{"notes": strings.Repeat("x", trace.MaxSharedSize)}
	read(large)
	if metas, _, _, _ := known(); metas != 0 {
		t.Errorf("%d metadata are known, want none: they are too large", metas)
	}
	for i := range trace.MaxSharedParts + 1 {
		if read(podOf(fmt.Sprintf("app-%d", i), i)); t.Failed() {
			return
		}
	}
	if metas, _, _, _ := known(); metas != 1 {
		t.Errorf("%d metadata are known, want 1: all others were forgotten", metas)
	}
}

// FuzzPod reads encoded pods: as their own Unmarshal reads them, the first time and once their parts are known.
//
//orrery:reads core/trace
func FuzzPod(f *testing.F) {
	data := encoded(f, podOf("web", 1))
	f.Add(data, encoded(f, podOf("web", 2)))
	f.Add(data, slices.Concat(data, data))
	f.Add(data, data[:len(data)-3])
	f.Add([]byte{0x12, 2, 0x52, 0}, []byte{0x1a, 4, 0x12, 2, 0x18, 1}) // no name of a node; a condition's time that is a number
	f.Add([]byte{0x1b, 0x1c}, []byte{0x0a, 0x00, 0x18, 0x01})          // a group; a status that is a number
	f.Fuzz(func(t *testing.T, one, other []byte) {
		decode, _ := trace.PodDecoder()
		for _, data := range [][]byte{one, other, one, other} {
			want := &v1.Pod{}
			wantErr := want.Unmarshal(data)
			var got *v1.Pod
			var err error
			fuzz.Cost(t, len(data), func() { got, err = decode(data) })
			if fmt.Sprint(err) != fmt.Sprint(wantErr) {
				t.Fatalf("the error is %v, want %v", err, wantErr)
			}
			if diff := cmp.Diff(want, got); err == nil && diff != "" {
				t.Fatalf("(-Unmarshal +decoded):\n%s", diff)
			}
		}
	})
}
