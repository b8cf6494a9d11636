package config

import (
	"maps"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/version"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
	logsapi "k8s.io/component-base/logs/api/v1"
	metricsfeatures "k8s.io/component-base/metrics/features"
	cmfeatures "k8s.io/controller-manager/pkg/features"
	_ "k8s.io/kubernetes/pkg/features" // registers the gates

	"orrery/core/parity/comparisons"
	"orrery/core/parity/difftest"
	orrery "orrery/core/scheduler/config"
	"orrery/core/scheduler/release"
)

// upstreamGates returns those of kube-scheduler's gates that Orrery lists, as its release has them.
func upstreamGates(t *testing.T) featuregate.MutableVersionedFeatureGate {
	t.Helper()
	all := utilfeature.DefaultMutableFeatureGate.DeepCopy()
	for one, add := range map[featuregate.Feature]func(featuregate.MutableVersionedFeatureGate) error{ // which a binary's main package adds
		logsapi.ContextualLogging:                                   logsapi.AddFeatureGates,
		metricsfeatures.NativeHistograms:                            metricsfeatures.AddFeatureGates,
		cmfeatures.ControllerManagerReleaseLeaderElectionLockOnExit: cmfeatures.SetupCurrentKubernetesSpecificFeatureGates,
	} {
		if _, known := all.GetAll()[one]; known {
			continue
		}
		if err := add(all); err != nil {
			t.Fatal(err)
		}
	}
	listed := map[featuregate.Feature]bool{}
	for _, f := range orrery.FeaturesOf(release.Newest).List() {
		listed[f.Name] = true
	}
	unlisted := func(f featuregate.Feature, _ any) bool { return !listed[f] }
	specs := all.GetAllVersioned()
	maps.DeleteFunc(specs, func(f featuregate.Feature, _ featuregate.VersionedSpecs) bool { return unlisted(f, nil) })
	for f := range listed {
		if _, known := specs[f]; !known {
			t.Errorf("kube-scheduler has no gate %s", f)
		}
	}
	dependencies := all.Dependencies()
	maps.DeleteFunc(dependencies, func(f featuregate.Feature, _ []featuregate.Feature) bool { return unlisted(f, nil) })
	gates := featuregate.NewVersionedFeatureGate(version.MustParse(release.Newest.String()))
	if err := gates.AddVersioned(specs); err != nil {
		t.Fatal(err)
	}
	if err := gates.AddDependencies(dependencies); err != nil {
		t.Fatalf("a gate depends on one that Orrery does not list: %v", err)
	}
	return gates
}

func TestFeatures_KnowEveryUpstreamGate(t *testing.T) {
	listed := orrery.FeaturesOf(release.Newest).List()
	for name := range utilfeature.DefaultMutableFeatureGate.GetAll() {
		if !slices.ContainsFunc(listed, func(f orrery.FeatureStatus) bool { return f.Name == name }) {
			t.Errorf("Orrery rejects the gate %s", name)
		}
	}
}

// Shows CONF-13 and CONF-14.
func TestFeatures_TableIsKubernetes(t *testing.T) {
	up := upstreamGates(t)
	specs, dependencies := up.GetAll(), up.Dependencies()
	for _, mine := range orrery.FeaturesOf(release.Newest).List() {
		spec := specs[mine.Name]
		want := orrery.FeatureStatus{
			Name: mine.Name, Stage: orrery.Stage(spec.PreRelease), Default: spec.Default, Locked: spec.LockToDefault,
			Requires: slices.Sorted(slices.Values(dependencies[mine.Name])), Enabled: up.Enabled(mine.Name), Foreign: mine.Foreign, Unmodelled: mine.Unmodelled,
		}
		if spec.PreRelease == featuregate.GA {
			want.Stage = orrery.GA
		}
		if diff := gocmp.Diff(want, mine); diff != "" {
			t.Errorf("%s (-kubernetes +orrery)\n%s", mine.Name, diff)
		}
	}
}

// Random gates are accepted or rejected by both, for at least the same reasons, and with the same result.
func TestFeatures_RandomGates(t *testing.T) {
	list := orrery.FeaturesOf(release.Newest).List()
	pristine := upstreamGates(t)
	difftest.Check(t, comparisons.Gates.Cases, func(r *difftest.Source) {
		set := map[string]bool{}
		for range r.Range(0, 5) {
			f := difftest.Pick(r, list...)
			set[string(f.Name)] = !f.Unmodelled && r.Bool() != (f.Locked && r.Range(0, 3) > 0)
		}
		if set["AllAlpha"] || set["AllBeta"] {
			for _, f := range list {
				if f.Unmodelled {
					set[string(f.Name)] = false
				}
			}
		}
		up := pristine.DeepCopy()
		upErr := up.SetFromMap(set)
		mine, err := orrery.ParseFeaturesOf(release.Newest, set)
		if (upErr == nil) != (err == nil) {
			r.Fatalf("%v: kube-scheduler returned %v, orrery %v", set, upErr, err)
		}
		if err != nil {
			for _, one := range upErr.(interface{ Errors() []error }).Errors() {
				if !slices.ContainsFunc(joined(err), func(e error) bool { return e.Error() == one.Error() }) {
					r.Fatalf("%v: orrery's error does not contain %q:\n%v", set, one, err)
				}
			}
			return
		}
		for _, f := range mine.List() {
			if f.Enabled != up.Enabled(f.Name) {
				r.Fatalf("%v: %s is %v", set, f.Name, f.Enabled)
			}
		}
	})
}

func joined(err error) []error { return err.(interface{ Unwrap() []error }).Unwrap() }
