package licenses_test

import (
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"

	"orrery/cmd/example/licenses"
	"orrery/core/scheduler/cache"
	"orrery/core/testing/mk"
	"orrery/core/testing/plugintest"
)

// It says who has the licenses and, where nothing else is in the way, whose end would free one.
func TestLicenses_ExplainThemselves(t *testing.T) {
	desk := mk.Node("desk-0").Obj()
	desk.Annotations = map[string]string{licenses.Annotation: "1"}
	for _, tc := range []struct {
		name    string
		pod     *v1.Pod
		running []*v1.Pod
		want    string
	}{
		{"a license is left", mk.Pod("cad-2").Label(licenses.Label, "cad").Obj(), nil, ""},
		{"needs none", mk.Pod("web").Obj(), nil, ""},
		{
			"all are taken", mk.Pod("cad-2").Label(licenses.Label, "cad").Obj(),
			[]*v1.Pod{mk.Pod("cad-1").Label(licenses.Label, "cad").Node("desk-0").Obj()},
			"example.com/license-none on desk-0: has no license of cad left | try: delete pod default/cad-1",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			info := cache.NewNodeInfo(tc.running...)
			info.SetNode(desk)
			got := plugintest.Explain(licenses.Licenses{}, tc.pod, info)
			if got != tc.want && (tc.want != "" || strings.Contains(got, " on ")) { // without rejections it has no nodes
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
