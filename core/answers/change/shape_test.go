package change_test

import (
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"

	"orrery/core/answers/change"
)

func TestParseShape(t *testing.T) {
	c, err := change.ParseShape("cpu=16,memory=64Gi,nvidia.com/gpu=8,zone=a,pool=gold,taint=gpu=yes:NoSchedule", 3)
	if err != nil {
		t.Fatal(err)
	}
	const words = "add nodes 3 cpu=16 memory=64Gi nvidia.com/gpu=8 zone=a pool=gold taint=gpu=yes:NoSchedule"
	if got := c.String(); got != words {
		t.Errorf("it is written %q, want %q", got, words)
	}
	again, err := change.Parse(strings.Fields(c.String()))
	if err != nil || again.String() != c.String() {
		t.Errorf("read again it is %q, %v", again.String(), err)
	}
	node, err := c.NewNode("n")
	if err != nil {
		t.Fatal(err)
	}
	if got := node.Labels[v1.LabelTopologyZone] + node.Labels["pool"] + node.Labels[v1.LabelHostname]; got != "agoldn" {
		t.Errorf("its labels are %v", node.Labels)
	}
	gpus := node.Status.Allocatable["nvidia.com/gpu"]
	if node.Status.Allocatable.Cpu().Value() != 16 || gpus.Value() != 8 || node.Status.Allocatable.Pods().Value() != 110 {
		t.Errorf("it has %v", node.Status.Allocatable)
	}
	if len(node.Spec.Taints) != 1 || node.Spec.Taints[0].Effect != v1.TaintEffectNoSchedule || node.Spec.Taints[0].Value != "yes" {
		t.Errorf("its taints are %v", node.Spec.Taints)
	}
}

func TestParseShape_Refuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                                      "what each node has should follow",
		"memory=1Gi":                            "without cpu",
		"cpu":                                   "is not NAME=VALUE",
		"cpu=x":                                 "is not an amount of cpu",
		"cpu=1,cpu=2":                           "written twice",
		"cpu=1,zone=a,zone=b":                   "written twice",
		"cpu=1,taint=a":                         "names no effect",
		"cpu=1,a b=c":                           "is not a word",
		"cpu=1,-x=1":                            "is not the key of a label",
		"cpu=1,zone=" + strings.Repeat("z", 64): "is not the value of a label",
	} {
		if _, err := change.ParseShape(text, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %q", text, err, want)
		}
	}
}
