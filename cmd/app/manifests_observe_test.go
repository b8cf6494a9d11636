package app

import (
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"

	"orrery/core/process/observe"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	modelled "orrery/core/scheduler/release"
	"orrery/core/trace/reach"
)

// The role has the rights to read what an observer reads, in each release, and no other.
func TestManifests_ObserverOnlyReads(t *testing.T) {
	for _, r := range modelled.All() {
		f := variants["observe"]
		f.kubernetes.release = &r
		objects := decoded(t, printed(t, f))
		role := one(t, objects, func(r *rbacv1.ClusterRole) bool { return r.Name == observerName })
		var got, want []string
		for _, rule := range role.Rules {
			if !slices.Equal(rule.Verbs, []string{"list", "watch"}) || len(rule.ResourceNames)+len(rule.NonResourceURLs) > 0 {
				t.Errorf("%s: the rule %+v", r, rule)
			}
			for _, resource := range rule.Resources {
				got = append(got, rule.APIGroups[0]+"/"+resource)
			}
		}
		kinds, err := observe.Kinds(config.Default(config.FeaturesOf(r)), framework.Registry{})
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range kinds {
			want = append(want, kind.Resource().Group+"/"+kind.Resource().Resource)
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: the rights are to read %v, want %v", r, got, want)
		}
		account := one[*v1.ServiceAccount](t, objects, nil)
		checkSubject(t, one(t, objects, func(b *rbacv1.ClusterRoleBinding) bool { return b.RoleRef.Name == observerName }).Subjects, account)
	}
}

// "orrery attach" knows by the pods' label that none of them leads, and the configuration is one that loads.
func TestManifests_ObserverIsFound(t *testing.T) {
	objects := decoded(t, printed(t, variants["observe"]))
	d := one[*appsv1.Deployment](t, objects, nil)
	if got := d.Spec.Template.Labels[reach.ComponentLabel]; got != reach.Observer {
		t.Errorf("the pods have the component %q", got)
	}
	for key, value := range d.Spec.Selector.MatchLabels {
		if d.Spec.Template.Labels[key] != value || one[*v1.Service](t, objects, nil).Spec.Selector[key] != value {
			t.Errorf("the Deployment selects %s=%s", key, value)
		}
	}
	text := one[*v1.ConfigMap](t, objects, nil).Data["config.yaml"]
	if _, err := config.LoadNamed("config.yaml", []byte(text), config.DefaultFeatures()); err != nil {
		t.Error(err)
	}
}

// The recording fits into its volume, and a volume that ends with the pod is no claim.
func TestManifests_ObserverStorage(t *testing.T) {
	for storage, want := range map[string]struct{ size, arg string }{
		"10Gi": {"10Gi", "--record-max-size=8192Mi"}, "32Mi": {"32Mi", "--record-max-size=25Mi"}, "0": {"", "--record-max-size=1638Mi"},
	} {
		f := variants["observe"]
		f.storage = storage
		objects := decoded(t, printed(t, f))
		d := one[*appsv1.Deployment](t, objects, nil)
		if args := d.Spec.Template.Spec.Containers[0].Args; !slices.Contains(args, want.arg) {
			t.Errorf("--storage %s: the arguments are %q", storage, args)
		}
		i := slices.IndexFunc(objects, func(o any) bool { _, is := o.(*v1.PersistentVolumeClaim); return is })
		if (i >= 0) != (want.size != "") {
			t.Errorf("--storage %s: there is a claim: %t", storage, i >= 0)
		}
		if i >= 0 {
			if got := objects[i].(*v1.PersistentVolumeClaim).Spec.Resources.Requests.Storage().String(); got != want.size || d.Spec.Strategy.Type != appsv1.RecreateDeploymentStrategyType {
				t.Errorf("--storage %s: the claim is of %s, and the Deployment is replaced by %s", storage, got, d.Spec.Strategy.Type)
			}
		}
	}
}

func TestManifests_ObserverRefuses(t *testing.T) {
	for want, change := range map[string]func(*manifestFlags){
		"--observe and --replace-default exclude each other": func(f *manifestFlags) { f.replaceDefault = true },
		"--observe and --shadow exclude each other":          func(f *manifestFlags) { f.shadow = true },
		"--observe takes no --feature-gates":                 func(f *manifestFlags) { f.gates = []string{"DRADeviceTaints=true"} },
		`--storage "1Mi": write a size of at least 32Mi`:     func(f *manifestFlags) { f.storage = "1Mi" },
		`--storage "-1": write a size`:                       func(f *manifestFlags) { f.storage = "-1" },
		`--storage "1e999999999": write a size`:              func(f *manifestFlags) { f.storage = "1e999999999" },
		"--storage is for --observe":                         func(f *manifestFlags) { f.observe, f.storage = false, "1Gi" },
	} {
		f := variants["observe"]
		f.runbooks = runbooks
		change(&f)
		if _, err := f.print(framework.Registry{}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}
