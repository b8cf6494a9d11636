package trace_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"orrery/core/trace"
	"orrery/core/world"
)

const kubectlList = `apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Node
  metadata: {name: n1, uid: u1, creationTimestamp: "2026-01-01T00:00:00Z"}
  status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: c, namespace: default}
- apiVersion: v1
  kind: Pod
  metadata: {name: bound, namespace: default, uid: p1, creationTimestamp: "2026-01-01T00:00:05Z"}
  spec: {nodeName: n1, schedulerName: default-scheduler, containers: [{name: a, env: [{name: SECRET, value: x}]}]}
  status: {phase: Running}
- apiVersion: v1
  kind: Pod
  metadata: {name: second, namespace: default, uid: p2, creationTimestamp: "2026-01-01T00:00:09Z"}
  spec: {schedulerName: default-scheduler, containers: [{name: a}]}
- apiVersion: v1
  kind: Pod
  metadata: {name: first, namespace: default, uid: p3, creationTimestamp: "2026-01-01T00:00:07Z"}
  spec: {schedulerName: default-scheduler, containers: [{name: a}]}
- apiVersion: v1
  kind: Pod
  metadata: {name: done, namespace: default, uid: p4}
  status: {phase: Succeeded}
`

const handWritten = `# two nodes, written by hand
apiVersion: v1
kind: Node
metadata: {name: n2}
---
--- # nothing here
apiVersion: apps/v1
kind: DeploymentList
items:
- metadata: {name: d}
---
{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "pending"}}
`

func outlineOf(im *trace.ImportedTrace) []string {
	var lines []string
	for _, in := range im.Inputs {
		line := in.At.Format("05 ")
		switch ev := in.Event.(type) {
		case world.Listed:
			line += string(ev.Kind)
			for _, o := range ev.Objects {
				line += " " + o.GetName()
			}
		case world.Changed:
			line += ev.Op.String() + " " + ev.Object.GetName()
		}
		lines = append(lines, line)
	}
	return lines
}

func TestObjectImporter_ListsObjectsAndAddsPendingPods(t *testing.T) {
	var o trace.ObjectImporter
	if err := o.Read("list.yaml", strings.NewReader(kubectlList)); err != nil {
		t.Fatal(err)
	}
	im := o.Result()
	want := []string{"07 Node n1", "07 Pod bound", "07 added first", "09 added second"}
	if diff := cmp.Diff(want, outlineOf(im)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	wantNotes := []string{"skipped 1 of v1 ConfigMap: scheduling does not read this kind", "left out 1 pod already run to the end"}
	if diff := cmp.Diff(wantNotes, im.Notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	bound := im.Inputs[1].Event.(world.Listed).Objects[0].(*v1.Pod)
	if bound.Spec.Containers[0].Env != nil {
		t.Error("the environment was taken over")
	}
}

// Files that name an object several times are applied in their order.
func TestObjectImporter_TakesTheLastOfEachObject(t *testing.T) {
	var o trace.ObjectImporter
	node := func(cpu string) string {
		return fmt.Sprintf("---\n{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: %s}}}\n", cpu)
	}
	pod := func(namespace, image string) string {
		return fmt.Sprintf("---\n{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: %s}, spec: {containers: [{name: c, image: %s}]}}\n", namespace, image)
	}
	for i, text := range []string{node("4") + pod("a", "old") + pod("b", "other"), node("8") + pod("a", "new")} {
		if err := o.Read(fmt.Sprintf("%d.yaml", i), strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
	}
	im := o.Result()
	if diff := cmp.Diff([]string{"00 Node n1", "00 added p", "00 added p"}, outlineOf(im)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"left out 2 objects imported again later: the last of each counts"}, im.Notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	if cpu := im.Inputs[0].Event.(world.Listed).Objects[0].(*v1.Node).Status.Allocatable.Cpu().String(); cpu != "8" {
		t.Errorf("the node has %s CPUs", cpu)
	}
}

func TestObjectImporter_MakesUIDsOfLongNames(t *testing.T) {
	var o trace.ObjectImporter
	long := strings.Repeat("n", 250)
	for _, name := range []string{long + "1", long + "2"} {
		if err := o.Read("nodes.yaml", strings.NewReader("{apiVersion: v1, kind: Node, metadata: {name: "+name+"}}\n")); err != nil {
			t.Fatal(err)
		}
	}
	nodes := o.Result().Inputs[0].Event.(world.Listed).Objects
	if one, other := nodes[0].GetUID(), nodes[1].GetUID(); len(one) > 253 || one == other {
		t.Errorf("the UIDs are %q and %q", one, other)
	}
}

func TestObjectImporter_SetsDefaults(t *testing.T) {
	var o trace.ObjectImporter
	if err := o.Read("hand.yaml", strings.NewReader(handWritten)); err != nil {
		t.Fatal(err)
	}
	im := o.Result()
	if diff := cmp.Diff([]string{"00 Deployment d", "00 Node n2", "00 added pending"}, outlineOf(im)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	pod := im.Inputs[2].Event.(world.Changed).Object.(*v1.Pod)
	if pod.Namespace != "default" || pod.UID == "" || pod.Spec.SchedulerName != "default-scheduler" {
		t.Errorf("the pod is %s/%s, UID %q, for %q", pod.Namespace, pod.Name, pod.UID, pod.Spec.SchedulerName)
	}
}

func TestObjectImporter_ReportsFileLineAndField(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{
			"an amount that is none, in the second object of a list",
			"apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Node, metadata: {name: n}}\n- apiVersion: v1\n  kind: Node\n  metadata: {name: m}\n  status:\n    allocatable:\n      cpu: lots\n",
			"f.yaml:10: status.allocatable.cpu: quantities must match",
		},
		{
			"a list where an object should be, in the second document",
			"apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - name: a\n  - name: [b]\n",
			"f.yaml:11: spec.containers[1].name: json: cannot unmarshal",
		},
		{"no kind", "a: b\n", "f.yaml:1: this is no Kubernetes object: apiVersion or kind is missing"},
		{"a text", "hello\n", "f.yaml:1: this is no Kubernetes object: it has no fields"},
		{"an item that is a number", "apiVersion: v1\nkind: PodList\nitems:\n- {}\n- 5\n", `f.yaml:4: refusing Pod`},
		{"an item of any kind that is a number", "apiVersion: v1\nkind: List\nitems:\n- 5\n", `f.yaml:4: items[0]: an object is expected here, as in {kind: Pod, ...}, and not "5"`},
		{"an item that is a list", "apiVersion: v1\nkind: PodList\nitems: [[]]\n", `f.yaml:3: items[0]: an object is expected here, as in {kind: Pod, ...}, and not a list`},
		{"an item without a kind", "apiVersion: v1\nkind: List\nitems:\n- metadata: {name: a}\n", `f.yaml:4: items[0]: this is no Kubernetes object: its kind is missing, and the list has none for it`},
		{"items that are a number", "apiVersion: v1\nkind: PodList\nitems: 5\n", `f.yaml:3: items: a list of objects is expected here, as in [{kind: Pod, ...}], and not "5"`},
		{"items that are fields", "apiVersion: v1\nkind: List\nitems: {a: b}\n", `f.yaml:3: items: a list of objects is expected here, as in [{kind: Pod, ...}], and not fields`},
		{"items by another name", "x: &x [{}]\nkind: List\nitems: *x\n", `f.yaml:1: items[0]: this is no Kubernetes object: its kind is missing`},
		{"broken YAML", "a: [\n", "f.yaml:1: this is neither YAML nor JSON: did not find expected node content"},
		{"broken YAML in the second document", "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n---\na:\n\tb\n", "f.yaml:6: this is neither YAML nor JSON: found character that cannot start any token"},
		{"a control character in the second document", "---\n{apiVersion: v1, kind: Event}\n---\na: \x00\n", "f.yaml:4: this is neither YAML nor JSON: it has a zero byte"},
		{"no name", "apiVersion: v1\nkind: Pod\nmetadata: {}\n", `f.yaml:1: refusing Pod "default/": metadata.name is missing`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var o trace.ObjectImporter
			err := o.Read("f.yaml", strings.NewReader(c.text))
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("the error is\n%v\nwant one that begins\n%s", err, c.want)
			}
		})
	}
}

func TestObjectImporter_AcceptsListsWithoutItems(t *testing.T) {
	var o trace.ObjectImporter
	for _, items := range []string{"", "null", "~", "[]"} {
		if err := o.Read("f.yaml", strings.NewReader("apiVersion: v1\nkind: PodList\nitems: "+items+"\n")); err != nil {
			t.Errorf("items: %s: %v", items, err)
		}
	}
}

func TestImportOpenB_ReportsFileLineAndColumn(t *testing.T) {
	const nodes, pods = "sn,cpu_milli,memory_mib,gpu,model\nn,1000,1024,0,\n",
		"name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\np,1,1,0,0,,LS,Running,5,9,\n"
	for _, c := range []struct{ name, nodes, pods, want string }{
		{"a number that is none", strings.Replace(nodes, "1000", "many", 1), pods, `nodes.csv:2: cpu_milli: "many" is not a whole number from 0 to 8589934592`},
		{"a negative number", nodes, strings.Replace(pods, ",5,9", ",-5,9", 1), `pods.csv:2: creation_time: "-5" is not`},
		{"not a number at all", nodes, strings.Replace(pods, ",5,9", ",NaN,9", 1), `pods.csv:2: creation_time: "NaN" is not`},
		{
			"a time that cannot be meant", nodes, strings.Replace(pods, ",5,9", ",5,8589934592", 1),
			"pods.csv:2: deletion_time: 8589934592 s after 2026-01-01T12:00:00Z is 2298-03-17T00:56:32Z, and times from 1970 to 2149 are taken",
		},
		{
			"more of a resource than is counted", nodes, strings.Replace(pods, "p,1,1,0,0,", "p,1,1,8589934592,2147483648,", 1),
			"pods.csv:2: num_gpu: 8589934592 times 2147483648 is more than 9007199254740992",
		},
		{"a pod that leaves before it comes", nodes, strings.Replace(pods, ",5,9", ",5,4", 1), "pods.csv:2: deletion_time: 4 is before creation_time, 5"},
		{"a column that is missing", strings.Replace(nodes, "gpu,", "cards,", 1), pods, "nodes.csv:1: gpu: there is no column of this name"},
		{"a line that is too short", nodes, pods + "p2,1\n", "pods.csv:3: wrong number of fields"},
		{"a node without a name", strings.Replace(nodes, "\nn,", "\n,", 1), pods, "nodes.csv:2: sn: is empty"},
		{"an empty file", "", pods, "nodes.csv:1: reading the names of the columns: EOF"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := trace.ImportOpenB("nodes.csv", strings.NewReader(c.nodes), "pods.csv", strings.NewReader(c.pods), trace.OpenBOptions{Start: start})
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("the error is\n%v\nwant one that begins\n%s", err, c.want)
			}
		})
	}
}

func TestImportOpenB_DeletesBeforeAddingInTheSameSecond(t *testing.T) {
	const nodes = "sn,cpu_milli,memory_mib,gpu,model\nn,1000,1024,2,T4\n"
	const pods = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n" +
		"late,1,1,1,500,T4|P100,LS,Running,9,9,\nearly,1,1,0,0,,LS,Running,5,9,\n"
	im, err := trace.ImportOpenB("n", strings.NewReader(nodes), "p", strings.NewReader(pods), trace.OpenBOptions{Start: start.Truncate(time.Minute)})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"00 Node n", "05 added early", "09 deleted early", "09 added late"}, outlineOf(im)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	late := im.Inputs[3].Event.(world.Changed).Object.(*v1.Pod)
	share := late.Spec.Containers[0].Resources.Requests[trace.OpenBGPU]
	if share.Value() != 500 || len(late.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms[0].MatchExpressions[0].Values) != 2 {
		t.Errorf("late requests %s and has the affinity %v", share.String(), late.Spec.Affinity)
	}
}

func TestObjectImporter_GivesTimesToObjectsWithout(t *testing.T) {
	const dated = `
apiVersion: v1
kind: Node
metadata: {name: n1, creationTimestamp: "2026-01-01T00:00:00Z"}
---
apiVersion: v1
kind: Pod
metadata: {name: b-second, creationTimestamp: "2026-01-01T00:00:09Z"}
---
apiVersion: v1
kind: Pod
metadata: {name: a-first, creationTimestamp: "2026-01-01T00:00:07Z"}
`
	undated := func(kind, name string) string {
		return "\n---\napiVersion: v1\nkind: " + kind + "\nmetadata: {name: " + name + ", creationTimestamp: null}\n---"
	}
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{
			"a pod comes with the one before it in the files", dated + undated("Pod", "a-after-first"),
			[]string{"07 Node n1", "07 added a-first", "07 added a-after-first", "09 added b-second"},
		},
		{
			"or with the one after it, if none is before", undated("Pod", "before-second") + undated("Pod", "and-this") + dated,
			[]string{"07 Node n1", "07 added a-first", "09 added before-second", "09 added and-this", "09 added b-second"},
		},
		{
			"anything else is there from the start", undated("Node", "n2") + dated + undated("Namespace", "team"),
			[]string{"07 Namespace team", "07 Node n2 n1", "07 added a-first", "09 added b-second"},
		},
		{
			"pods without a time come when everything else is there", undated("Pod", "only") + strings.Split(dated, "---")[0] + undated("Pod", "last"),
			[]string{"00 Node n1", "00 added only", "00 added last"},
		},
		{
			"nothing has a time", undated("Pod", "z") + undated("Node", "n2") + undated("Pod", "a"),
			[]string{"42 Node n2", "42 added z", "42 added a"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := trace.ObjectImporter{Undated: start.Truncate(time.Minute).Add(42 * time.Second)}
			if err := o.Read("f.yaml", strings.NewReader(c.text)); err != nil {
				t.Fatal(err)
			}
			im := o.Result()
			if diff := cmp.Diff(c.want, outlineOf(im)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for _, in := range im.Inputs {
				switch ev := in.Event.(type) {
				case world.Listed:
					for _, o := range ev.Objects {
						if created := o.GetCreationTimestamp(); created.IsZero() {
							t.Errorf("%s has no creation time", o.GetName())
						}
					}
				case world.Changed:
					if created := ev.Object.GetCreationTimestamp(); !created.Time.Equal(in.At) {
						t.Errorf("%s was created at %v and comes at %v", ev.Object.GetName(), created, in.At)
					}
				}
			}
		})
	}
}

func TestObjectImporter_RefusesTimesThatCannotBeMeant(t *testing.T) {
	const range1970 = `, and times from 1970 to 2149 are taken: correct it, or leave it out`
	for _, c := range []struct{ name, text, want string }{
		{
			"a creation before there were such clocks",
			"apiVersion: v1\nkind: Pod\nmetadata:\n  name: old\n  creationTimestamp: 1969-12-31T23:59:59Z\n",
			`f.yaml:5: metadata.creationTimestamp: Pod "default/old" has the time 1969-12-31T23:59:59Z` + range1970,
		},
		{
			"a creation in another age",
			"apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Node, metadata: {name: n, creationTimestamp: 9999-01-01T00:00:00Z}}\n",
			`f.yaml:4: metadata.creationTimestamp: Node "n" has the time 9999-01-01T00:00:00Z` + range1970,
		},
		{
			"a start in the status",
			"apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nstatus:\n  startTime: 0100-01-01T00:00:00Z\n",
			`f.yaml:5: status.startTime: Pod "default/p" has the time 0100-01-01T00:00:00Z` + range1970,
		},
		{
			"a taint's time in a list",
			"apiVersion: v1\nkind: Node\nmetadata: {name: n}\nspec:\n  taints:\n  - {key: a, effect: NoExecute}\n  - {key: b, effect: NoExecute,\n     timeAdded: 2150-01-01T00:00:00Z}\n",
			`f.yaml:8: spec.taints[1].timeAdded: Node "n" has the time 2150-01-01T00:00:00Z` + range1970,
		},
		{
			"a renewal with microseconds",
			"apiVersion: coordination.k8s.io/v1\nkind: Lease\nmetadata: {name: l}\nspec: {renewTime: \"1960-01-01T00:00:00.000000Z\"}\n",
			`f.yaml:4: spec.renewTime: Lease "default/l" has the time 1960-01-01T00:00:00Z` + range1970,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var o trace.ObjectImporter
			err := o.Read("f.yaml", strings.NewReader(c.text))
			if err == nil || err.Error() != c.want {
				t.Errorf("the error is\n%v\nwant\n%s", err, c.want)
			}
		})
	}
	for _, fine := range []string{"1970-01-01T00:00:00Z", "2149-12-31T23:59:59Z", "0001-01-01T00:00:00Z"} {
		var o trace.ObjectImporter
		if err := o.Read("f.yaml", strings.NewReader("apiVersion: v1\nkind: Pod\nmetadata: {name: p, creationTimestamp: "+fine+"}\n")); err != nil {
			t.Errorf("%s is refused: %v", fine, err)
		}
	}
}
