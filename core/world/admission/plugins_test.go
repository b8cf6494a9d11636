package admission

import (
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
)

func TestOptions_CheckFindsSettingsWithoutPlugin(t *testing.T) {
	both := Options{NodeSelectors: map[string]string{"shop": "disk=ssd"}, AllowedTolerations: []v1.Toleration{{Key: "gpu"}}}
	selectorsOn := both
	selectorsOn.Enable = []string{"PodNodeSelector"}
	allOn := both
	allOn.Enable = []string{"PodNodeSelector", "PodTolerationRestriction"}
	for name, test := range map[string]struct {
		options Options
		want    string
	}{
		"both off":   {both, `"PodNodeSelector"`},
		"second off": {selectorsOn, `"PodTolerationRestriction"`},
		"both on":    {allOn, ""},
		"no quotas": {
			Options{Disable: []string{"ResourceQuota"}, LimitedResources: []LimitedResource{{Resource: "pods"}}}, `"ResourceQuota"`,
		},
		"no resource": {
			Options{LimitedResources: []LimitedResource{{Resource: "pods"}, {}}}, "resourceQuota.limitedResources[1].resource",
		},
	} {
		for range 20 { // one that goes by a map would find either
			err := test.options.Check()
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Fatalf("%s: the error is %v, want one about %q", name, err, test.want)
			}
		}
	}
}
