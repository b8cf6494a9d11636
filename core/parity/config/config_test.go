package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"k8s.io/apimachinery/pkg/util/validation/field"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
	featuregatetesting "k8s.io/component-base/featuregate/testing"

	"orrery/core/parity/comparisons"
	"orrery/core/parity/difftest"
	orrery "orrery/core/scheduler/config"
	"orrery/core/scheduler/release"
)

var gateSets = map[string]map[string]bool{
	"default gates":                       {},
	"no gate that the configuration uses": {"StorageCapacityScoring": false, "DRADeviceBindingConditions": false, "DRASchedulerFilterTimeout": false},
	"no filter timeout":                   {"DRASchedulerFilterTimeout": false},
	"no scoring of capacity":              {"StorageCapacityScoring": false},
}

func TestLoad_RandomFiles(t *testing.T) {
	for name, gates := range gateSets {
		t.Run(name, func(t *testing.T) {
			features := setBoth(t, gates)
			var accepted, undecodable, invalid int
			broken := map[string]bool{}
			difftest.Check(t, comparisons.Configuration.Cases, func(r *difftest.Source) {
				data := file(r)
				up := readUpstream(t, data)
				if disagreement := agree(t, data, up, features); disagreement != "" {
					r.Fatalf("%s\nfile:\n%s", disagreement, data)
				}
				switch {
				case up.decodeErr != nil:
					undecodable++
				case len(up.invalid) > 0:
					invalid++
					for _, err := range up.invalid {
						broken[err.(*field.Error).Detail] = true
					}
				default:
					accepted++
				}
			})
			t.Logf("kube-scheduler accepted %d files, found %d invalid by %d texts, and could not decode %d", accepted, invalid, len(broken), undecodable)
			if accepted == 0 || invalid == 0 || undecodable == 0 {
				t.Error("the generated files are too uniform: some kinds of result were hardly compared")
			}
		})
	}
}

// Loads the files of core/scheduler/config's own tests, each with the feature gates that it names.
func TestLoad_HandWrittenFiles(t *testing.T) {
	paths, err := filepath.Glob("../../scheduler/config/testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files in core/scheduler/config/testdata: %v", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			parts := map[string]string{}
			for _, f := range archive.Files {
				parts[f.Name] = string(f.Data)
			}
			set, err := parseFlag(parts["feature-gates"])
			if err != nil {
				t.Skipf("its gates are those of another release: %v", err)
			}
			features := setBoth(t, set)
			if disagreement := agree(t, []byte(parts["config"]), readUpstream(t, []byte(parts["config"])), features); disagreement != "" {
				t.Error(disagreement)
			}
		})
	}
}

// For every declared difference there must be a file for which Orrery returns the error and kube-scheduler does not.
func TestDifferences_AreReal(t *testing.T) {
	const head = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
	files := []string{
		head + "profiles: [{plugins: {multiPoint: {enabled: [{name: NodeName}, {name: NodeName}]}}}]",
		head + "profiles: [{plugins: {multiPoint: {disabled: [{name: '*'}]}}}]\n" +
			"extenders: [{urlPrefix: x, managedResources: [{name: a.b/c, ignoredByScheduler: true}]}]",
		head + "---\n" + head,
		"apiVersion: kubescheduler.config.k8s.io/__internal\nkind: KubeSchedulerConfiguration\n" +
			"Parallelism: 3\nProfiles: [{SchedulerName: x}]\nPodInitialBackoffSeconds: 1\nPodMaxBackoffSeconds: 1\n",
		head + "profiles: [{plugins: {placementScore: {enabled: [{name: PodGroupPodsCount}]}}}]",
	}
	declared := slices.DeleteFunc(slices.Clone(comparisons.Configuration.Differences), func(d comparisons.Difference) bool { return d.Compared != "" })
	if len(declared) != len(differences) {
		t.Fatalf("%d differences are declared and %d recognized", len(declared), len(differences))
	}
	for i, d := range differences {
		t.Run(declared[i].Upstream, func(t *testing.T) {
			if up := readUpstream(t, []byte(files[i])); up.completed == nil {
				t.Errorf("kube-scheduler rejects the file too: %v %v", up.decodeErr, up.invalid)
			}
			_, err := orrery.Load([]byte(files[i]), orrery.FeaturesOf(release.Newest))
			if err == nil || err.Error() != "kube-scheduler configuration: "+d.example {
				t.Errorf("Orrery returned %v\nwant %s", err, d.example)
			}
		})
	}
}

// setBoth sets gates for the rest of the test on both sides.
func setBoth(t *testing.T, set map[string]bool) orrery.Features {
	t.Helper()
	features, err := orrery.ParseFeaturesOf(release.Newest, set)
	if err != nil {
		t.Fatal(err)
	}
	overrides := featuregatetesting.FeatureOverrides{}
	for name, on := range set {
		overrides[featuregate.Feature(name)] = on
	}
	featuregatetesting.SetFeatureGatesDuringTest(t, utilfeature.DefaultFeatureGate, overrides)
	return features
}

func parseFlag(text string) (map[string]bool, error) {
	features, err := orrery.ParseFeatureFlagOf(release.Newest, strings.TrimSpace(text))
	set := map[string]bool{}
	for _, f := range features.List() {
		if f.Enabled != f.Default {
			set[string(f.Name)] = f.Enabled
		}
	}
	return set, err
}

func TestMain(m *testing.M) {
	// Upstream logs every default plugin that a file configures again and every gate that is set.
	difftest.PrepareSynctest()
	os.Exit(m.Run())
}
