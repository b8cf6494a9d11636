package kueue_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"orrery/core/answers/answer"
	"orrery/core/answers/kueue"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// objects reads the documents of a file as an API server of a version serves them.
func objects(t *testing.T, version, text string) []world.Object {
	t.Helper()
	var all []world.Object
	for _, document := range strings.Split(text, "---\n") {
		sent, err := yaml.YAMLToJSON([]byte(document))
		if err != nil {
			t.Fatal(err)
		}
		u := &unstructured.Unstructured{}
		if err := u.UnmarshalJSON(sent); err != nil {
			t.Fatal(err)
		}
		kind := world.Kind(strings.ToLower(u.GetKind()) + "s." + version + ".kueue.x-k8s.io")
		all = append(all, world.CustomOf(kind, u))
	}
	return all
}

// queues are two ClusterQueues of a cohort: team-a has 60 of its 64 GPUs in use, and team-b 30 of 32.
const queues = `
kind: ClusterQueue
metadata: {name: team-a}
spec:
  COHORT: all
  resourceGroups:
  - coveredResources: [nvidia.com/gpu, cpu]
    flavors:
    - name: on-demand
      resources: [{name: nvidia.com/gpu, nominalQuota: 64, borrowingLimit: 10}, {name: cpu, nominalQuota: "1000"}]
    - name: spot
      resources: [{name: nvidia.com/gpu, nominalQuota: 2}, {name: cpu, nominalQuota: "1"}]
status:
  flavorsReservation:
  - name: on-demand
    resources: [{name: nvidia.com/gpu, total: "60"}, {name: cpu, total: 10500m}]
---
kind: ClusterQueue
metadata: {name: team-b}
spec:
  COHORT: all
  resourceGroups: [{flavors: [{name: on-demand, resources: [{name: nvidia.com/gpu, nominalQuota: 32}]}]}]
status: {flavorsReservation: [{name: on-demand, resources: [{name: nvidia.com/gpu, total: 30}]}]}
---
kind: LocalQueue
metadata: {namespace: ml, name: training}
spec: {clusterQueue: team-a}
---
kind: LocalQueue
metadata: {namespace: ml, name: elsewhere}
spec: {clusterQueue: team-b}
`

// workload is a workload of some pods that request GPUs.
func workload(name, owner, created string, priority, pods, gpus int, more string) string {
	return fmt.Sprintf(`---
kind: Workload
metadata: {namespace: ml, name: %s, creationTimestamp: "2026-12-01T%s:00Z", uid: %s, ownerReferences: [{apiVersion: v1, kind: Pod, name: x, uid: %q}]}
spec:
  queueName: training
  priority: %d
  podSets: [{name: main, count: %d, template: {spec: {containers: [{name: c, resources: {requests: {nvidia.com/gpu: %d, cpu: 100m}}}]}}}]
%s
`, name, created, name, owner, priority, pods, gpus, more)
}

const reserved = `status: {conditions: [{type: QuotaReserved, status: "True", reason: x, message: x, lastTransitionTime: "2026-12-01T08:00:00Z"}]}`

func held(uid string) *v1.Pod {
	return mk.Pod("trainer").Namespace("ml").UID(uid).Gate("kueue.x-k8s.io/admission").Obj()
}

func lines(k *answer.Kueue, node, why string) (all []string) {
	for _, l := range kueue.Lines(k, node, why) {
		all = append(all, l.Says)
	}
	return all
}

func TestOf_PositionAndShortage(t *testing.T) {
	for _, version := range kueue.Versions {
		cohort := map[string]string{"v1beta1": "cohort", "v1beta2": "cohortName"}[version]
		all := kueue.Read(objects(t, version, strings.ReplaceAll(queues, "COHORT", cohort)+
			workload("older", "uid-1", "07:00", 0, 1, 1, "")+workload("mine", "uid-2", "08:00", 0, 2, 7, "")+workload("newer", "uid-3", "09:00", 0, 1, 1, "")+
			workload("urgent", "uid-4", "10:00", 100, 1, 1, "")+workload("inside", "uid-5", "06:00", 0, 1, 60, reserved)))
		if all.Invalid > 0 {
			t.Fatalf("%s: %d objects are left out", version, all.Invalid)
		}
		k := all.Of(held("uid-2"))
		// The cohort leaves 64+32-60-30 = 6, and the borrowing limit 64+10-60 = 14; the two pods request 14.
		want := &answer.Kueue{
			Workload: "mine", LocalQueue: "training", ClusterQueue: "team-a", Position: 3, Of: 4, QuotaKnown: true,
			Short: []answer.QuotaShortage{{Resource: "nvidia.com/gpu", Flavor: "on-demand", Requested: 14, Quota: 64, Free: 6, Short: 8}},
		}
		if diff := cmp.Diff(want, k); diff != "" {
			t.Errorf("%s: it stands elsewhere (-want +got):\n%s", version, diff)
		}
		said := []string{
			"3rd of 4 workloads waiting in ClusterQueue team-a", "8 of 64 nvidia.com/gpu short of quota: it requests 14",
			"admitted now, this pod would not be placed: 0/3 nodes are available",
		}
		if diff := cmp.Diff(said, lines(k, "", "0/3 nodes are available")); diff != "" {
			t.Errorf("%s: it says other things (-want +got):\n%s", version, diff)
		}
		k = all.Of(held("uid-5"))
		said = []string{"workload inside has its quota in ClusterQueue team-a, and waits for admission checks", "admitted now, this pod would be placed on node-1"}
		if diff := cmp.Diff(said, lines(k, "node-1", "")); diff != "" {
			t.Errorf("%s: of one with quota it says other things (-want +got):\n%s", version, diff)
		}
	}
}

func TestOf_BorrowingLimit(t *testing.T) {
	text := strings.ReplaceAll(strings.ReplaceAll(queues, "COHORT", "cohort"), "borrowingLimit: 10", "borrowingLimit: 0")
	all := kueue.Read(objects(t, "v1beta1", text+workload("mine", "uid-2", "08:00", 0, 1, 5, "")))
	if k := all.Of(held("uid-2")); len(k.Short) != 1 || k.Short[0].Free != 4 || k.Short[0].Short != 1 {
		t.Errorf("without a right to borrow it is short of %+v", k.Short)
	}
	all = kueue.Read(objects(t, "v1beta1", strings.ReplaceAll(text, "  cohort: all\n", "")+workload("mine", "uid-2", "08:00", 0, 1, 4, "")))
	if got, want := lines(all.Of(held("uid-2")), "node-1", ""), []string{"1st of 1 workload waiting in ClusterQueue team-a", "it is short of no quota", "admitted now, this pod would be placed on node-1"}; !cmp.Equal(got, want) {
		t.Errorf("alone it says %q, want %q", got, want)
	}
}

func TestOf_FindsWorkload(t *testing.T) {
	all := kueue.Read(objects(t, "v1beta1", strings.ReplaceAll(queues, "COHORT", "cohort")+workload("group", "uid-1", "07:00", 0, 1, 1, "")))
	byGroup := mk.Pod("member").Namespace("ml").UID("other").Label("kueue.x-k8s.io/pod-group-name", "group").Gate("kueue.x-k8s.io/admission").Obj()
	byController := mk.Pod("of-job").Namespace("ml").UID("other").Gate("kueue.x-k8s.io/topology").Obj()
	yes := true
	byController.OwnerReferences = append(byController.OwnerReferences, metav1.OwnerReference{APIVersion: "batch/v1", Kind: "Job", Name: "job", UID: "uid-1", Controller: &yes})
	for _, pod := range []*v1.Pod{held("uid-1"), byGroup, byController} {
		if k := all.Of(pod); k == nil || k.Workload != "group" || !kueue.Holds(pod) {
			t.Errorf("the workload of %s is %+v", pod.Name, k)
		}
	}
	stranger := held("uid-1")
	stranger.Namespace = "other"
	if k := all.Of(stranger); k != nil || all.Of(held("")) != nil {
		t.Errorf("a pod of another namespace, or without a UID, has workload %+v", k)
	}
	if kueue.Holds(mk.Pod("free").Gate("example.com/kueue.x-k8s.io/x").Obj()) {
		t.Error("another's gate counts as Kueue's")
	}
}

// Objects of any form neither stop the answer nor reach it as they are.
func TestRead_Hostile(t *testing.T) {
	evil := "e\x1b[31m\u202evil"
	all := kueue.Read(append(objects(t, "v1beta1", strings.ReplaceAll(queues, "COHORT", "cohort")+workload("mine", "uid-2", "08:00", 2147483647, 2147483647, 1, "")+`---
kind: Workload
metadata: {namespace: ml, name: broken}
spec: {podSets: "none"}
---
kind: ClusterQueue
metadata: {name: team-c}
spec: {resourceGroups: [{flavors: [{name: x, resources: [{name: cpu, nominalQuota: many}]}]}]}
`), &world.Custom{Resource: "workloads.v1beta1.kueue.x-k8s.io"}, mk.Pod("x").Obj()))
	if all.Invalid != 2 {
		t.Errorf("%d objects are left out, want 2", all.Invalid)
	}
	if k := all.Of(held("uid-2")); len(k.Short) != 2 || k.Short[0].Short <= 0 {
		t.Errorf("it is short of %+v", k.Short)
	}
	for _, k := range []*answer.Kueue{{Workload: evil, LocalQueue: evil}, {Workload: evil, ClusterQueue: evil, Position: 1, Of: 1, Short: []answer.QuotaShortage{{Resource: evil, Short: -1}}}, {Workload: evil, ClusterQueue: evil, Admitted: true}, {Workload: evil, ClusterQueue: evil}} {
		for _, line := range lines(k, "node-1", "") {
			if strings.ContainsAny(line, "\x1b\u202e") {
				t.Errorf("it says %q", line)
			}
		}
	}
}
