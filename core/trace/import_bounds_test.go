package trace_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"

	"orrery/core/testing/fuzz"
	"orrery/core/trace"
	"orrery/core/world"
)

const podHead = "apiVersion: v1\nkind: Pod\nmetadata: {name: a, uid: u}\n"

// hostileYAML are documents that stand for much more than they are, and what is said of them.
func hostileYAML() map[string]struct{ text, want string } {
	laughs := "a0: &a0 [x]\n"
	for i := 1; i < 20; i++ {
		laughs += fmt.Sprintf("a%d: &a%d [%s*a%d]\n", i, i, strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 9), i-1)
	}
	pods := "{kind: Pod, apiVersion: v1, spec: *s, metadata: {name: a, uid: a}}"
	return map[string]struct{ text, want string }{
		"one text many times": {
			podHead + "x: &x " + strings.Repeat("x", 90_000) + "\nspec: {containers: [" + strings.Repeat("{name: *x}, ", 20_000) + "]}\n",
			"the object is too large: with its aliases followed, it has more than 8 MiB",
		},
		"lists of lists":                {podHead + laughs, "the object is too large: with its aliases followed, it has more than 250000 values"},
		"an anchor within itself":       {podHead + "spec: &s {a: *s}\n", "an anchor is within itself"},
		"lists within lists":            {podHead + "x: " + strings.Repeat("[", 5000) + strings.Repeat("]", 5000), "more than 1000 values are within each other"},
		"a huge quantity":               {podHead + "spec: {overhead: {cpu: '1e-100000000'}}\n", "a Pod has a quantity with an exponent that is that of no amount"},
		"many empty containers":         {podHead + "spec: {containers: [" + strings.Repeat("{}, ", 60_000) + "]}\n", "a Pod takes"},
		"many pods of a few containers": {"spec: &s {containers: [" + strings.Repeat("{}, ", 8000) + "]}\nkind: List\napiVersion: v1\nitems: [" + strings.Repeat(pods+", ", 100) + "]\n", "MiB of memory"},
		"a field written 100,000 times": {podHead + "spec: {" + strings.Repeat("nodeName: a, ", 100_000) + "}\n", `the field "nodeName" is written twice`},
		"many values of a byte":         {podHead + "x: [" + strings.Repeat("a,", 200_000) + "a]\n", "f.yaml:1: a document of 400060 bytes has more than 140006 values"},
		"large parts that are not read": {
			"x: &x " + strings.Repeat("x", 200_000) + "\nkind: List\napiVersion: v1\nitems: [" + strings.Repeat("{kind: Pod, apiVersion: v1, metadata: {name: a, uid: a}, x: *x}, ", 1000) + "]\n",
			"the object is too large: with the aliases followed, the objects up to here are far larger than the file",
		},
		"20,000 labels, the last wrong": {podHead[:len(podHead)-2] + ", labels: {" + keys(20_000) + "k: [1]}}\n", "f.yaml:3: metadata.labels.k: json: cannot unmarshal array"},
	}
}

func keys(n int) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "k%d: v, ", i)
	}
	return text.String()
}

func TestObjectImporter_BoundsMemory(t *testing.T) {
	for name, c := range hostileYAML() {
		t.Run(name, func(t *testing.T) {
			var err error
			fuzz.Cost(t, len(c.text), func() { err = new(trace.ObjectImporter).Read("f.yaml", strings.NewReader(c.text)) })
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v, want one with %q", err, c.want)
			}
		})
	}
}

// Of whatever short values a large document is made, it takes at most fifty times its size.
func TestObjectImporter_BoundsMemoryOfLargeDocuments(t *testing.T) {
	for value, around := range map[string][2]string{"{a: {b: 1}, c: [2]},": {"x: [", "]\n"}, `"f:n":{},`: {"x: {", "}\n"}} {
		const size, bytesPerValue = 11 << 19, 11
		values := strings.Count(value, ",") + strings.Count(value, "{") + strings.Count(value, "[")
		padded := value + strings.Repeat(" ", bytesPerValue*values-len(value))
		text := podHead + around[0] + strings.Repeat(padded, size/len(padded)) + around[1]
		fuzz.Cost(t, len(text), func() {
			if err := new(trace.ObjectImporter).Read("f.yaml", strings.NewReader(text)); err == nil || strings.Contains(err.Error(), "values, which takes") {
				t.Errorf("%q: %v", value, err)
			}
		})
	}
}

// Nor do tables of short rows take more.
func TestImportOpenB_BoundsMemoryOfLargeTables(t *testing.T) {
	nodes, pods := "sn,cpu_milli,memory_mib,gpu,model\n", openBPodColumns
	var manyNodes, manyPods strings.Builder
	for i := range 250_000 {
		fmt.Fprintf(&manyNodes, "%d,1,1,1,\n", i)
		fmt.Fprintf(&manyPods, "%d,1,1,1,1,,,,0,1,\n", i)
	}
	for name, c := range map[string][2]string{"nodes": {nodes + manyNodes.String(), pods}, "pods": {nodes, pods + manyPods.String()}} {
		for _, claims := range []bool{false, true} {
			fuzz.Cost(t, len(c[0])+len(c[1]), func() {
				_, err := trace.ImportOpenB("n", strings.NewReader(c[0]), "p", strings.NewReader(c[1]), trace.OpenBOptions{Start: start, Claims: claims})
				if err == nil || !strings.Contains(err.Error(), "MiB of memory") {
					t.Errorf("%s: %v", name, err)
				}
			})
		}
	}
}

// Comparing each label with all others would take minutes.
func TestObjectImporter_TakesPodsOfManyLabels(t *testing.T) {
	var o trace.ObjectImporter
	if err := o.Read("f.yaml", strings.NewReader(podHead[:len(podHead)-2]+", labels: {"+keys(100_000)+"}}\n")); err != nil {
		t.Fatal(err)
	}
	if labels := o.Result().Inputs[0].Event.(world.Changed).Object.GetLabels(); len(labels) != 100_000 {
		t.Errorf("it has %d labels", len(labels))
	}
}

func TestObjectImporter_FollowsAliases(t *testing.T) {
	const text = `
all: &all {uid: u, labels: &labels {app: web, tier: back}}
items: &items
- metadata: {<<: *all, name: first, labels: {<<: [*labels, {zone: a}], tier: front}}
- metadata: {*name : second, uid: u2}
name: &name name
apiVersion: v1
kind: PodList
`
	var o trace.ObjectImporter
	if err := o.Read("f.yaml", strings.NewReader(strings.Replace(text, "*name ", "name", 1)+"---\napiVersion: v1\nkind: PodList\nx: &i [{metadata: {name: third, uid: u3}}]\nitems: *i\n")); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, in := range o.Result().Inputs {
		pod := in.Event.(world.Changed).Object.(*v1.Pod)
		got = append(got, fmt.Sprint(pod.Name, pod.UID, pod.Labels))
	}
	want := "[firstumap[app:web tier:front zone:a] secondu2map[] thirdu3map[]]"
	if fmt.Sprint(got) != want {
		t.Errorf("it gives\n%v, want\n%s", got, want)
	}
}

// endless is a device: one byte for ever, and how many were read of it.
type endless struct {
	of   byte
	read int
}

func (e *endless) Read(to []byte) (int, error) {
	for i := range to {
		to[i] = e.of
	}
	e.read += len(to)
	return len(to), nil
}

func TestImport_StopsAtEndlessInput(t *testing.T) {
	head := "sn,cpu_milli,memory_mib,gpu,model\n"
	for name, c := range map[string]struct {
		of   byte
		read func(io.Reader) error
		want string
	}{
		"YAML of zeros":  {0, func(r io.Reader) error { return new(trace.ObjectImporter).Read("f", r) }, "f:1: this is neither YAML nor JSON: it has a zero byte"},
		"table of zeros": {0, importNodes(""), "this is no table: it has a zero byte"},
		"a long row":     {'a', importNodes(head), "a row has more than 1048576 bytes"},
		"a long quote":   {'\n', importNodes(head + `"`), "a row has more than 1048576 bytes"},
		"a long head":    {'a', importNodes(""), "a row has more than 1048576 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			e := &endless{of: c.of}
			if err := c.read(e); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v, want one with %q", err, c.want)
			}
			if e.read > 2<<20 {
				t.Errorf("%d bytes are read", e.read)
			}
		})
	}
}

func importNodes(head string) func(io.Reader) error {
	return func(r io.Reader) error {
		_, err := trace.ImportOpenB("n", io.MultiReader(strings.NewReader(head), r), "p", strings.NewReader(""), trace.OpenBOptions{Start: start})
		return err
	}
}

// FuzzObjectImporter reads lists of objects to import.
//
//orrery:reads core/trace core/safe/yamlnode
func FuzzObjectImporter(f *testing.F) {
	f.Add([]byte(kubectlList))
	f.Add([]byte(handWritten))
	for _, c := range hostileYAML() {
		if len(c.text) <= fuzz.MaxSeed {
			f.Add([]byte(c.text))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		fuzz.Cost(t, len(text), func() {
			if err := new(trace.ObjectImporter).Read("f.yaml", bytes.NewReader(text)); err != nil {
				fuzz.Error(t, err)
			}
		})
	})
}

// FuzzImportOpenB reads tables of the OpenB trace to import.
//
//orrery:reads core/trace
func FuzzImportOpenB(f *testing.F) {
	const columns = "sn,cpu_milli,memory_mib,gpu,model\n"
	f.Add([]byte(columns+"n,1000,1024,2,T4\n"), []byte(openBPodColumns+"a,1,1,1,500,T4|P100,LS,Running,9,9,\n"), true)
	f.Add([]byte(columns+strings.Repeat("n,1,1,1,\n", 20)), []byte(""), false)
	f.Add([]byte(columns), []byte(openBPodColumns+strings.Repeat("a,1,1,1,1,,,,0,1,\n", 20)), false)
	f.Add([]byte(columns+"n,1,1,128,a\nm,1,1,128,b\n"), []byte(openBPodColumns+strings.Repeat("a,1,1,1,1,a|b,,,0,1,\n", 20)), true)
	f.Fuzz(func(t *testing.T, nodes, pods []byte, claims bool) {
		fuzz.Cost(t, len(nodes)+len(pods), func() {
			recording, err := trace.ImportOpenB("n", bytes.NewReader(nodes), "p", bytes.NewReader(pods), trace.OpenBOptions{Start: start, Claims: claims})
			if (recording == nil) == (err == nil) {
				t.Errorf("recording %v and error %v", recording, err)
			}
			if err != nil {
				fuzz.Error(t, err)
			}
		})
	})
}

const openBPodColumns = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n"
