package podtopologyspread

import (
	"testing"

	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/release"
	"orrery/core/testing/mk"
)

func TestNominatedPodsSpread(t *testing.T) {
	waiting := testPod(hard(zone, 1))
	nominated := mk.Pod("other").Label("foo", "bar").Obj()
	nominated.Status.NominatedNodeName = "n1"
	for involved, want := range map[bool]fwk.QueueingHint{
		release.NominatedPodsSpread.In(release.V135): fwk.QueueSkip, release.NominatedPodsSpread.In(release.V136): fwk.Queue,
	} {
		pl := newFixture(t, nil, nil).PodTopologySpread
		pl.involvesNominated = involved
		if got, err := pl.isSchedulableAfterPodChange(klog.Logger{}, waiting, nominated, nil); got != want || err != nil {
			t.Errorf("nominated pods are involved: %v; the deletion of one gives %v, %v", involved, got, err)
		}
	}
}
