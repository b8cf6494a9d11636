package interpodaffinity

import (
	"testing"

	v1 "k8s.io/api/core/v1"
)

func TestExplain(t *testing.T) {
	for _, tc := range []struct {
		name  string
		nodes []*v1.Node
		pods  []*v1.Pod
		pod   *v1.Pod
		want  string
	}{
		{
			"the domain of the pod that it must be near", zoned("east", "west"),
			[]*v1.Pod{on("n1", plain("db", "db"))},
			pod("p", "web", of(term(zone, "db")), nil),
			`pod-affinity on n2: has no pod that its podAffinity requires | wants: topology.kubernetes.io/zone=east by podAffinity to default/db-on-n1`,
		},
		{
			"no pod matches", zoned("east"), nil, pod("p", "web", of(term(zone, "db")), nil),
			`pod-affinity on n1: has no pod that its podAffinity requires | sentence: its podAffinity requires a pod app=db in the same topology.kubernetes.io/zone, and no pod in namespace default matches | wants: its podAffinity`,
		},
		{
			"a pod of another namespace would match", zoned("east"),
			[]*v1.Pod{on("n1", inNamespace("data", plain("db", "db")))},
			pod("p", "web", of(term(zone, "db")), nil),
			`pod-affinity on n1: has no pod that its podAffinity requires | sentence: its podAffinity requires a pod app=db in the same topology.kubernetes.io/zone, and no pod in namespace default matches; in other namespaces data/db-on-n1 would | wants: its podAffinity | meant: data/db-on-n1`,
		},
		{
			"the first of its group needs the label", zoned("-"), nil, pod("p", "web", of(term(zone, "web")), nil),
			`pod-affinity on n1: has no label topology.kubernetes.io/zone, which its podAffinity needs | wants: the label topology.kubernetes.io/zone by podAffinity`,
		},
		{
			"its own anti-affinity", zoned("east"),
			[]*v1.Pod{on("n1", plain("db", "db"))},
			pod("p", "web", nil, of(term(zone, "db"))),
			`pod-anti-affinity on n1: has default/db-on-n1 in the same topology.kubernetes.io/zone, which its podAntiAffinity excludes (app=db)`,
		},
		{
			"the anti-affinity of another", zoned("east", "east"),
			[]*v1.Pod{on("n1", pod("db", "db", nil, of(term(zone, "web"))))},
			plain("p", "web"),
			`pod-anti-affinity-of-others on n1 n2: have default/db-on-n1 in the same topology.kubernetes.io/zone, whose podAntiAffinity excludes it (app=web)`,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := newFixture(t, tc.nodes, tc.pods...).Fixture.Explain(t, tc.pod); got != tc.want {
				t.Errorf("got\n%s\nwant\n%s", got, tc.want)
			}
		})
	}
}

func inNamespace(namespace string, pod *v1.Pod) *v1.Pod {
	pod.Namespace = namespace
	return pod
}
