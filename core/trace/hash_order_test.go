package trace_test

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/objects/csimigration"
	"orrery/core/scheduler/preempt"
	"orrery/core/scheduler/store"
	"orrery/core/testing/mk"
	"orrery/core/trace"
	"orrery/core/world"
)

// hashedObjects returns objects as a recording has them after its names are hashed.
func hashedObjects(t *testing.T, objects ...world.Object) []world.Object {
	t.Helper()
	var records []trace.Record
	for _, o := range objects {
		records = append(records, trace.Record{At: start, Body: inputBody(world.Changed{Op: world.Added, Object: o})})
	}
	var hashed bytes.Buffer
	if err := trace.HashNames(bytes.NewReader(written(t, trace.Header{Start: start}, records...)), &hashed, newHash(t, "some salt")); err != nil {
		t.Fatal(err)
	}
	again, damage := read(t, hashed.Bytes())
	if damage != nil {
		t.Fatal(damage)
	}
	var all []world.Object
	for _, r := range again {
		all = append(all, r.Body.(trace.Input).Event.(world.Changed).Object)
	}
	return all
}

// Every two names are in the order in which their hashes are, also names that are hashed as two.
func TestHashNames_KeepsOrderOfNames(t *testing.T) {
	names := []string{"0", "a", "a-0", "a-9", "a-b", "a.b", "a0", "aa", "b", "b-data", "b-data-x", "b-data0", "b-z", "b.c", "b0", "node-10", "node-2", "node-9"}
	var objects []world.Object
	for _, name := range names {
		objects = append(objects, mk.Node(name).Obj())
	}
	withVolume := func(name string) *v1.Pod {
		return mk.Pod(name).Volume("data", v1.VolumeSource{Ephemeral: &v1.EphemeralVolumeSource{}}).Obj()
	}
	objects = append(objects, withVolume("b"), withVolume("a"), withVolume("b-data"))
	hashed := hashedObjects(t, objects...)
	for i := range names {
		for j := range names {
			a, b := hashed[i].GetName(), hashed[j].GetName()
			if cmp.Compare(names[i], names[j]) != cmp.Compare(a, b) {
				t.Errorf("%s and %s become %s and %s", names[i], names[j], a, b)
			}
		}
	}
}

// Each row is something that decisions read out of names, besides their order.
func TestHashNames_KeepsWhatNamesSay(t *testing.T) {
	claimed := mk.Pod("web-0").Volume("data", v1.VolumeSource{Ephemeral: &v1.EphemeralVolumeSource{}}).Obj()
	claimed.Spec.Affinity = &v1.Affinity{NodeAffinity: &v1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{
		NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchFields: []v1.NodeSelectorRequirement{{Key: "metadata.name", Operator: v1.NodeSelectorOpIn, Values: []string{"17"}}}}},
	}}}
	claimed.Spec.Containers = []v1.Container{{Resources: v1.ResourceRequirements{Requests: v1.ResourceList{
		v1.ResourceName(resourcev1.ResourceDeviceClassPrefix + "gpus"): resource.MustParse("1"), "example.com/gpu": resource.MustParse("1"),
	}}}}
	disk := func(name string, source v1.PersistentVolumeSource, zones string) *v1.PersistentVolume {
		return &v1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{v1.LabelTopologyZone: zones}}, Spec: v1.PersistentVolumeSpec{PersistentVolumeSource: source}}
	}
	ebs := func(id string) v1.PersistentVolumeSource {
		return v1.PersistentVolumeSource{AWSElasticBlockStore: &v1.AWSElasticBlockStoreVolumeSource{VolumeID: id}}
	}
	resourceName := "example.com/gpu"
	preemptor, victim := mk.Pod("preemptor").Obj(), mk.Pod("victim").Obj()
	victim.Status.Conditions = []v1.PodCondition{*preempt.DisruptionCondition(preemptor, victim)}
	o := hashedObjects(t,
		claimed, mk.Claim("web-0-data").Obj(), mk.Node("17").Zone("us-central1-a").Obj(),
		&resourcev1.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "gpus"}, Spec: resourcev1.DeviceClassSpec{ExtendedResourceName: &resourceName}},
		disk("gce", v1.PersistentVolumeSource{GCEPersistentDisk: &v1.GCEPersistentDiskVolumeSource{PDName: "d"}}, "us-central1-a__us-central1-b"),
		disk("ebs1", ebs("aws://us-east-1a/vol-12345678"), "us-east-1a"), disk("ebs2", ebs("vol-12345678"), "us-east-1a"), disk("ebs3", ebs("aws://us-east-1a/data"), "us-east-1a"),
		&storagev1.CSIDriver{ObjectMeta: metav1.ObjectMeta{Name: "csi.example.com"}},
		&policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "pdb"}, Status: policyv1.PodDisruptionBudgetStatus{DisruptedPods: map[string]metav1.Time{"web-0": {Time: start}}}},
		mk.CSINode("17").Limit("csi.example.com", 3).Obj(), victim, mk.Pod("a\x02b").Label("app", "no value!").Obj(), mk.Pod("a/b").Obj(), mk.Pod(strings.Repeat("a", 254)).Obj())
	pod, claim, node, class := o[0].(*v1.Pod), o[1], o[2].(*v1.Node), o[3].(*resourcev1.DeviceClass)
	requests := pod.Spec.Containers[0].Resources.Requests
	handle := func(o world.Object) string {
		csi, err := csimigration.ToCSI(o.(*v1.PersistentVolume))
		if err != nil {
			return err.Error()
		}
		return csi.Spec.CSI.VolumeHandle
	}
	for what, holds := range map[string]bool{
		"the claim of an ephemeral volume":     claim.GetName() == pod.Name+"-"+pod.Spec.Volumes[0].Name,
		"the field of a node that is a number": pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms[0].MatchFields[0].Values[0] == node.Name,
		"a resource with the name of a class":  !requests.Name(v1.ResourceName(resourcev1.ResourceDeviceClassPrefix+class.Name), resource.DecimalSI).IsZero(),
		"a resource that a class names":        !requests.Name(v1.ResourceName(*class.Spec.ExtendedResourceName), resource.DecimalSI).IsZero(),
		"the zones of a volume":                strings.HasPrefix(o[4].GetLabels()[v1.LabelTopologyZone], node.Labels[v1.LabelTopologyZone]+"__"),
		"the region of a disk":                 strings.HasPrefix(handle(o[4]), "projects/UNSPECIFIED/regions/h"),
		"two ways to write a disk":             strings.HasPrefix(handle(o[5]), "vol-h") && handle(o[5]) == handle(o[6]) && o[5].(*v1.PersistentVolume).Spec.AWSElasticBlockStore.VolumeID != o[6].(*v1.PersistentVolume).Spec.AWSElasticBlockStore.VolumeID,
		"a disk that cannot be read":           strings.Contains(handle(o[7]), "Invalid format"),
		"a driver":                             o[8].GetName() == "csi.example.com",
		"a pod that a budget lists":            o[9].(*policyv1.PodDisruptionBudget).Status.DisruptedPods[pod.Name].Unix() == start.Unix(),
		"the driver of a limit":                o[10].(*storagev1.CSINode).Spec.Drivers[0].Name == "csi.example.com",
		"that a pod is a victim already":       preempt.DisruptionCondition(preemptor, o[11].(*v1.Pod)) == nil,
		"a value that is not valid":            strings.HasSuffix(o[12].GetLabels()["app"], "-"),
		"a name that is refused":               store.Validate(o[12]) != nil && store.Validate(o[13]) != nil && store.Validate(o[14]) != nil && store.Validate(pod) == nil,
	} {
		if !holds {
			t.Errorf("%s is not kept", what)
		}
	}
}

// The configuration of the trace still selects the nodes that it did, and the lease.
func TestHashNames_KeepsConfigurationInLine(t *testing.T) {
	const configuration = `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: {resourceName: c4n4ry, resourceNamespace: c4n4ry}
profiles:
- pluginConfig:
  - name: NodeAffinity
    args:
      addedAffinity:
        requiredDuringSchedulingIgnoredDuringExecution:
          nodeSelectorTerms:
          - matchExpressions: [{key: disk, operator: In, values: [c4n4ry, "7"]}]
            matchFields: [{key: metadata.name, operator: In, values: [c4n4ry]}]
`
	file := written(t, trace.Header{Start: start, Configuration: configuration}, trace.Record{At: start, Body: inputBody(world.Changed{Object: mk.Node(canary).Label("disk", canary).Obj()})})
	var hashed bytes.Buffer
	if err := trace.HashNames(bytes.NewReader(file), &hashed, newHash(t, "some salt")); err != nil {
		t.Fatal(err)
	}
	records, _ := read(t, hashed.Bytes())
	node := records[0].Body.(trace.Input).Event.(world.Changed).Object
	after := infoIn(t, hashed.Bytes()).Header.Configuration
	if strings.Contains(after, canary) || strings.Count(after, node.GetName()) != 4 || !strings.Contains(after, `"7"`) {
		t.Errorf("with the node %s, the configuration is\n%s", node.GetName(), after)
	}
	if same, err := newHash(t, "some salt").Configuration("profiles: []"); err != nil || same != "profiles: []" {
		t.Errorf("a configuration without names becomes %q, %v", same, err)
	}
}

// The hash of a name ends in the same digits in every trace, so that it can be found under the salt.
func TestHashNames_EndsInTheDigitsOfTheSalt(t *testing.T) {
	var objects []world.Object
	for i := range 300 {
		objects = append(objects, mk.Node(fmt.Sprint("node-", i)).Obj())
	}
	hash := newHash(t, "some salt")
	for i, o := range hashedObjects(t, objects...) {
		want, got := hash.Name(objects[i].GetName()), o.GetName()
		if len(got) != len(want) || got[len(got)-10:] != want[len(want)-10:] || got == want {
			t.Errorf("%s becomes %s here and %s in a recording that is written", objects[i].GetName(), got, want)
		}
	}
}
