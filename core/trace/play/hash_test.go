package play_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/scheduler/drive"
	"orrery/core/testing/mk"
	"orrery/core/trace"
	"orrery/core/trace/play"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// replayHashed hashes the names of a recording and replays it.
func replayHashed(t testing.TB, file []byte) *play.Report {
	t.Helper()
	hash, err := trace.NewNameHasher([]byte("salt and pepper"))
	if err != nil {
		t.Fatal(err)
	}
	var hashed bytes.Buffer
	if err := trace.HashNames(bytes.NewReader(file), &hashed, hash); err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(hashed.Bytes(), []byte("pod-0")) {
		t.Error("a name is in the hashed trace")
	}
	_, report := replay(t, hashed.Bytes(), play.Options{})
	return report
}

func TestHashNames_SameDecisions(t *testing.T) {
	for seed := range uint64(40) {
		e, file := recorded(t, seed, 60, play.About{})
		report := replayHashed(t, file)
		if !report.OK() || report.Refused != e.Counters().Refused {
			t.Errorf("scene %d: %v; %d inputs are refused", seed, report.First, report.Refused)
		}
		if report.Decisions < 10 {
			t.Errorf("scene %d has %d decisions", seed, report.Decisions)
		}
	}
}

// Names decide which of several equal volumes a claim gets, and that a claim is the one of an ephemeral volume.
func TestHashNames_SameVolumes(t *testing.T) {
	const scenes = 12
	var decisions uint64
	for seed := range uint64(scenes) {
		o, c := options(seed), simulatedCluster(seed, 0)
		waits, class := storagev1.VolumeBindingWaitForFirstConsumer, "local"
		must(c.Create(&storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: class}, Provisioner: "kubernetes.io/no-provisioner", VolumeBindingMode: &waits}))
		for i := range 24 {
			pv := &v1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("disk-%d", i)}, Spec: v1.PersistentVolumeSpec{
				StorageClassName: class, AccessModes: []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce},
				Capacity:               v1.ResourceList{v1.ResourceStorage: *mk.Claim("x").Size("1Gi").Obj().Spec.Resources.Requests.Storage()},
				PersistentVolumeSource: v1.PersistentVolumeSource{CSI: &v1.CSIPersistentVolumeSource{Driver: "csi.example.com", VolumeHandle: fmt.Sprint(i)}},
				NodeAffinity: &v1.VolumeNodeAffinity{Required: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{
					MatchExpressions: []v1.NodeSelectorRequirement{{Key: v1.LabelHostname, Operator: v1.NodeSelectorOpIn, Values: []string{fmt.Sprintf("node-%d", i%6)}}},
				}}}},
			}}
			must(c.Create(pv))
		}
		for i := range 20 {
			pod := mk.Pod(fmt.Sprintf("pod-%d", 7*i)).CPU("100m").Obj()
			pod.UID = ""
			pod.Spec.Volumes = []v1.Volume{{Name: "data", VolumeSource: v1.VolumeSource{Ephemeral: &v1.EphemeralVolumeSource{
				VolumeClaimTemplate: &v1.PersistentVolumeClaimTemplate{Spec: mk.Claim("x").Size("1Gi").Class(class).Obj().Spec},
			}}}}
			c.At(start.Add(time.Duration(i+1)*time.Second), func(c *memory.Cluster) { must(c.Create(pod)) })
		}
		var file bytes.Buffer
		e := newEngine(t, o)
		r, err := play.NewRecorder(&file, e, o, play.About{})
		if err != nil {
			t.Fatal(err)
		}
		drive.Run(c, start.Add(3*time.Minute), drive.NewScheduler(e, r))
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		bound := 0
		for o := range e.Store().Objects(world.PersistentVolume) {
			if o.(*v1.PersistentVolume).Spec.ClaimRef != nil {
				bound++
			}
		}
		if bound < 8 {
			t.Errorf("scene %d binds %d volumes", seed, bound)
		}
		report := replayHashed(t, file.Bytes())
		if !report.OK() {
			t.Errorf("scene %d: %v", seed, report.First)
		}
		decisions += report.Decisions
	}
	if decisions < 10*scenes {
		t.Errorf("there are only %d decisions", decisions)
	}
}
