package pool_test

import (
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"

	"orrery/core/answers/pool"
	"orrery/core/testing/mk"
)

const nodePools = `apiVersion: v1
kind: List
items:
- apiVersion: karpenter.sh/v1
  kind: NodePool
  metadata: {name: general}
  spec:
    weight: 10
    limits: {cpu: 100}
    template:
      metadata: {labels: {team: shop}}
      spec:
        nodeClassRef: {kind: EC2NodeClass, name: default}
        taints: [{key: dedicated, value: shop, effect: NoSchedule}]
        startupTaints: [{key: starting, effect: NoSchedule}]
        requirements:
        - {key: topology.kubernetes.io/zone, operator: In, values: [a, b]}
        - {key: kubernetes.io/arch, operator: NotIn, values: [arm64]}
        - {key: karpenter.k8s.aws/instance-cpu, operator: Gt, values: ["4"]}
        - {key: disk, operator: Exists}
- {apiVersion: karpenter.k8s.aws/v1, kind: EC2NodeClass, metadata: {name: default}}
`

func read(t *testing.T, text string) []*pool.Pool {
	t.Helper()
	pools, err := pool.Read("pools", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return pools
}

// The first thing that contradicts is named: a taint, a requirement, and then the size.
func TestContradiction_NamesTheFirst(t *testing.T) {
	general := read(t, nodePools)[0]
	lines := read(t, "small cpu=2,memory=4Gi\nsmall cpu=4,memory=8Gi # a second size\n")[0]
	tolerant := func() *mk.PodBuilder {
		return mk.Pod("p").Toleration(v1.Toleration{Key: "dedicated", Value: "shop", Effect: v1.TaintEffectNoSchedule})
	}
	requires := func(key string, op v1.NodeSelectorOperator, values ...string) *v1.Pod {
		return tolerant().Affinity(&v1.Affinity{NodeAffinity: &v1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{
			NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchExpressions: []v1.NodeSelectorRequirement{{Key: key, Operator: op, Values: values}}}},
		}}}).Obj()
	}
	for _, test := range []struct {
		name string
		of   *pool.Pool
		pod  *v1.Pod
		want string
	}{
		{"a taint", general, mk.Pod("p").Obj(), "the pod does not tolerate the taint dedicated=shop:NoSchedule"},
		{"nothing", general, tolerant().Obj(), ""},
		{"a zone of the pool", general, requires(v1.LabelTopologyZone, v1.NodeSelectorOpIn, "b", "c"), ""},
		{"another zone", general, requires(v1.LabelTopologyZone, v1.NodeSelectorOpIn, "c"), "the pod requires topology.kubernetes.io/zone In c, and its nodes have a or b"},
		{"all zones but those", general, requires(v1.LabelTopologyZone, v1.NodeSelectorOpNotIn, "a", "b"), "the pod requires topology.kubernetes.io/zone NotIn a, b, and its nodes have a or b"},
		{"what the pool excludes", general, requires(v1.LabelArchStable, v1.NodeSelectorOpIn, "arm64"), "the pod requires kubernetes.io/arch In arm64, and its nodes have none of arm64"},
		{"what it does not exclude", general, requires(v1.LabelArchStable, v1.NodeSelectorOpIn, "amd64"), ""},
		{"a label of its template", general, requires("team", v1.NodeSelectorOpIn, "shop"), ""},
		{"no such label", general, requires("gpu", v1.NodeSelectorOpExists), "the pod requires gpu Exists, and its nodes have no such label"},
		{"the label must be absent, and is", general, requires("gpu", v1.NodeSelectorOpDoesNotExist), ""},
		{"the label must be absent, and is not", general, requires("team", v1.NodeSelectorOpDoesNotExist), "the pod requires team DoesNotExist, and its nodes have shop"},
		{"any value", general, requires("disk", v1.NodeSelectorOpIn, "ssd"), ""},
		{"a value beyond a bound", general, requires("karpenter.k8s.aws/instance-cpu", v1.NodeSelectorOpIn, "8"), ""},
		{"a value within no bound", general, requires("karpenter.k8s.aws/instance-cpu", v1.NodeSelectorOpIn, "2"), "the pod requires karpenter.k8s.aws/instance-cpu In 2, and its nodes have one"},
		{"its own name", general, requires("karpenter.sh/nodepool", v1.NodeSelectorOpIn, "spot"), "the pod requires karpenter.sh/nodepool In spot, and its nodes have general"},
		{"a size", lines, mk.Pod("p").CPU("3").Obj(), ""},
		{"no size", lines, mk.Pod("p").CPU("5").Obj(), "the pod requests 5 of cpu, and the largest node that is known has 4"},
	} {
		if got := test.of.Contradiction(test.pod); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func TestRead_Refuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                                    "it has no pool",
		"general":                             "line 1: the name of a pool and a shape are expected",
		"\ngeneral memory=1Gi":                "line 2: reading the change",
		"general cpu=1 max=many":              `line 1: "max=many" is not a number`,
		"general cpu=1 least=1":               "neither max=NODES nor weight=NUMBER",
		"apiVersion: v1\nkind: ConfigMap":     "it has no pool",
		"apiVersion: [":                       "line 1: ",
		"apiVersion: v1\nkind: NodePool":      "it has no name",
		"apiVersion: &a [*a]\nkind: NodePool": "it stands for more than can be read",
	} {
		if _, err := pool.Read("pools", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestFind_NamesTheOthers(t *testing.T) {
	pools := read(t, "a cpu=1\nb cpu=1,type=x\nb cpu=2,type=y\n")
	for name, want := range map[string]string{
		"c":   `there is no pool "c": there are a, b`,
		"b":   "write NAME/TYPE with one of x, y",
		"b/z": `has no machine "z" that is known: there are x, y`,
	} {
		if _, err := pool.ShapeOf(pools, name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", name, err, want)
		}
	}
	if c, err := pool.ShapeOf(pools, "b/y"); err != nil || !strings.HasPrefix(c.String(), "add nodes 1 cpu=2 pods=110 ") {
		t.Errorf("b/y is %q, %v", c, err)
	}
}
