package review_test

import (
	"testing"

	"orrery/core/answers/review"
	"orrery/core/scheduler/config"
	"orrery/core/testing/fuzz"
)

// FuzzReview reads scheduler configurations for what they mean, and what is wrong with them.
//
//orrery:reads core/answers/review core/scheduler/config
func FuzzReview(f *testing.F) {
	for _, text := range []string{
		"profiles: [{schedulerName: a, plugins: {score: {disabled: [{name: '*'}], enabled: [{name: NodeResourcesFit, weight: 3}]}}}]\n", "percentageOfNodesToScore: 200\n",
		"extenders: [{urlPrefix: 'http://x', filterVerb: f, managedResources: [{name: \"\\e/x\"}]}]\n", "profiles: [{pluginConfig: [{name: NodeResourcesFit, args: {scoringStrategy: {type: X}}}]}]\n",
		"profiles: [{plugins: {multiPoint: {enabled: [{name: \"\\u202e\"}]}}}, {}]\n", "parallelism: 1e400\nleaderElection: {leaseDuration: -1s}\n",
	} {
		f.Add([]byte(head+text), false)
		f.Add([]byte(head+text), true)
	}
	f.Fuzz(func(t *testing.T, data []byte, allAlpha bool) {
		features, err := config.ParseFeatures(map[string]bool{"AllAlpha": allAlpha})
		if err != nil {
			t.Fatal(err)
		}
		fuzz.Cost(t, len(data), func() {
			r, err := review.Of(data, features, nil)
			if err != nil {
				t.Fatalf("there is no review: %v", err) // it is one of errors
			}
			for _, finding := range append(r.Errors, r.Warnings...) {
				if finding.Text == "" || finding.Line < 0 {
					t.Errorf("the finding is %+v", finding)
				}
			}
			if len(r.Errors) > 0 && (len(r.Profiles) > 0 || len(r.Settings) > 0) {
				t.Errorf("a configuration with errors has profiles and settings: %+v", r)
			}
		})
	})
}
