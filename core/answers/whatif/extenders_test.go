package whatif_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"orrery/core/scheduler/config"
	"orrery/core/testing/mk"
)

// A hypothetical cluster has no extenders; the answer names those that would be asked.
func TestEvaluate_NamesExtendersNotAsked(t *testing.T) {
	c, err := config.Load([]byte("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"+
		"extenders: [{urlPrefix: \"http://gpu\", filterVerb: f}, {urlPrefix: \"http://b\", bindVerb: b}]\n"), config.DefaultFeatures())
	if err != nil {
		t.Fatal(err)
	}
	s := newSceneWith(t, c, mk.Node("n").CPU("1").Memory("8Gi").Obj(), mk.Pod("a").CPU("1").Obj(), mk.Pod("b").CPU("1").Obj())
	want := []string{"what extenders would say is unknown, which are not asked: http://gpu"}
	if diff := cmp.Diff(want, s.evaluate("add 1 nodes like n").Notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}
