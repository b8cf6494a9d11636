package nodename_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/plugins/nodename"
	"orrery/core/scheduler/release"
	"orrery/core/testing/mk"
)

func TestNodeNameRestricts(t *testing.T) {
	for r, restricts := range map[release.Release]bool{release.V135: false, release.V136: false, release.V137: true} {
		p, err := nodename.New(t.Context(), nil, nil, config.FeaturesOf(r))
		if err != nil {
			t.Fatal(err)
		}
		pre, is := p.(fwk.PreFilterPlugin)
		if is != restricts {
			t.Fatalf("in %v NodeName has a PreFilter: %v", r, is)
		}
		if !is {
			continue
		}
		if result, status := pre.PreFilter(t.Context(), nil, mk.Pod("p").Node("n1").Obj(), nil); !status.IsSuccess() || !result.NodeNames.Equal(sets.New("n1")) {
			t.Errorf("in %v a pod of n1 is searched a node among %v, %v", r, result, status)
		}
		if result, status := pre.PreFilter(t.Context(), nil, mk.Pod("p").Obj(), nil); !status.IsSuccess() || !result.AllNodes() {
			t.Errorf("in %v a pod without a node is searched one among %v, %v", r, result, status)
		}
	}
}
