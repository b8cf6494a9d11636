package gangscheduling_test

import (
	"testing"

	v1 "k8s.io/api/core/v1"

	"orrery/core/objects/workloads"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	"orrery/core/testing/mk"
	"orrery/core/testing/plugintest"
)

func TestExplain(t *testing.T) {
	for name, tc := range map[string]struct {
		pod      *v1.Pod
		workload *workloads.Workload
		want     string
	}{
		"a pod of no group":       {mk.Pod("p").Obj(), workload("train", 1), ""},
		"no workload":             {memberOf("workers"), workload("other", 1), "gang-workload-missing | sentence: waits for workload default/train, which does not exist"},
		"no group":                {memberOf("drivers"), workload("train", 1), "gang-group-missing | sentence: its workload default/train has no group drivers; there is workers, helpers | meant: workers, helpers"},
		"a group that is no gang": {memberOf("helpers"), workload("train", 1), ""},
		"too few pods":            {memberOf("workers"), workload("train", 3), "gang-incomplete | sentence: gang default/train/workers waits for 2 more of at least 3 pods: 1 exist"},
		"too few places":          {memberOf("workers"), workload("train", 1), "gang-waiting | sentence: gang default/train/workers waits for 1 more of at least 1 places: 0 pods have one"},
	} {
		t.Run(name, func(t *testing.T) {
			features, err := config.ParseFeatureFlag("GenericWorkload=true", "GangScheduling=true")
			if err != nil {
				t.Fatal(err)
			}
			f := newFixture(t, features)
			f.apply(t, tc.pod)
			f.apply(t, tc.workload)
			got := ""
			for _, e := range f.plugin.Explain(t.Context(), nil, tc.pod, framework.Rejection{}) {
				got += plugintest.EvidenceText(&e)
			}
			if got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}
