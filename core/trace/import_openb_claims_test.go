package trace_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"sigs.k8s.io/yaml"

	"orrery/core/trace"
	"orrery/core/world"
)

func openbFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/openb/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func importClaims(nodes, pods string) (*trace.ImportedTrace, error) {
	return trace.ImportOpenB("nodes.csv", strings.NewReader(nodes), "pods.csv", strings.NewReader(pods), trace.OpenBOptions{Start: start.Truncate(time.Minute), Claims: true})
}

// The sample of the openb data becomes the objects in testdata/openb/claims.txt.
func TestImportOpenB_Claims(t *testing.T) {
	im, err := importClaims(openbFile(t, "nodes.csv"), openbFile(t, "pods.csv"))
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	for i, line := range outlineOf(im) {
		fmt.Fprintf(&got, "%s\n", line)
		switch ev := im.Inputs[i].Event.(type) {
		case world.Listed:
			for _, o := range ev.Objects {
				describeDevices(&got, o)
			}
		case world.Changed:
			if ev.Op == world.Added {
				describeDevices(&got, ev.Object)
			}
		}
	}
	const golden = "testdata/openb/claims.txt"
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(openbFile(t, "claims.txt"), got.String()); diff != "" {
		t.Errorf("%s differs, -update writes it (-want +got):\n%s", golden, diff)
	}
	if !im.FeatureGates["DRAConsumableCapacity"] {
		t.Errorf("the gates are %v, and GPUs are shared", im.FeatureGates)
	}
}

// describeDevices writes what an object says of devices, indented.
func describeDevices(to *bytes.Buffer, o world.Object) {
	var part any
	switch o := o.(type) {
	case *resourcev1.DeviceClass:
		part = o.Spec
	case *resourcev1.ResourceSlice:
		part = o.Spec
	case *resourcev1.ResourceClaim:
		part = o.Spec
	case *v1.Pod:
		part = []any{o.Spec.ResourceClaims, o.Spec.Containers[0].Resources}
	case *v1.Node:
		part = o.Status.Allocatable
	}
	text, err := yaml.Marshal(part)
	if err != nil {
		panic(err)
	}
	for line := range strings.Lines(string(text)) {
		to.WriteString("    " + line)
	}
}

func TestImportOpenB_ClaimsReportFileLineAndColumn(t *testing.T) {
	const nodes, pods = "sn,cpu_milli,memory_mib,gpu,model\nn,1000,1024,8,T4\n",
		"name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\np,1,1,1,1000,,LS,Running,5,9,\n"
	long := strings.Repeat("x", 65)
	for _, c := range []struct{ name, nodes, pods, want string }{
		{"more devices than a slice has", strings.Replace(nodes, ",8,", ",129,", 1), pods, "nodes.csv:2: gpu: 129 devices are more than a ResourceSlice has, which are 128"},
		{"a model that is too long", strings.Replace(nodes, "T4", long, 1), pods, `nodes.csv:2: model: "` + long + `" is no value of a device's attribute`},
		{"a model that is no text", strings.Replace(nodes, "T4", "\xff", 1), pods, `nodes.csv:2: model: "\xff" is no value`},
		{"more devices than a claim has", nodes, strings.Replace(pods, "1,1000,", "33,1000,", 1), "pods.csv:2: num_gpu: 33 devices are more than a claim has, which are 32"},
		{"more than a GPU", nodes, strings.Replace(pods, "1000", "1001", 1), "pods.csv:2: gpu_milli: 1001 is more than a GPU, which has 1000"},
		{"a wanted model that is too long", nodes, strings.Replace(pods, "1000,,", "1000,T4|"+long+",", 1), `pods.csv:2: gpu_spec: "` + long + `" is no value`},
		{"too many wanted models", nodes, strings.Replace(pods, "1000,,", "1000,"+strings.Repeat("a|", 5000)+"a,", 1), "pods.csv:2: gpu_spec: it names more models than a selector can"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := importClaims(c.nodes, c.pods); err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("the error is\n%v\nwant one that begins\n%s", err, c.want)
			}
		})
	}
}
