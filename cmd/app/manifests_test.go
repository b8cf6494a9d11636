package app

import (
	"bytes"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/diff"
	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
)

// variants are the outputs of manifests, by the name of the golden file.
var variants = map[string]manifestFlags{
	"beside":    {namespace: "orrery-system", image: "registry.example.com/orrery:v1"},
	"replace":   {replaceDefault: true, namespace: "kube-system", image: "orrery:devel"},
	"chosen":    {replaceDefault: true, monitor: true, namespace: "kube-system", image: "orrery:devel", gates: []string{"CoordinatedLeaderElection=true"}},
	"monitored": {monitoring: true, namespace: "orrery-system", image: "registry.example.com/orrery:v1", runbooks: "https://example.com/orrery/operations.md"},
	"devices": {
		namespace: "kube-system", image: "orrery:devel", controllers: []string{"taint-eviction", "device-taint-eviction"},
		gates: []string{"DRADeviceTaints=true", "DRADeviceTaintRules=true"},
	},
	"observe": {observe: true, storage: storageDefault, namespace: "orrery-system", image: "registry.example.com/orrery:v1"},
	"observed": {
		observe: true, monitoring: true, storage: "0", namespace: "kube-system", image: "orrery:devel", runbooks: "https://example.com/orrery/operations.md",
	},
	"shadow": {shadow: true, namespace: "kube-system", image: "orrery:devel"},
}

// variantOf names the variant from which little differs: that is then what the golden file has.
var variantOf = map[string]string{"replace": "beside", "chosen": "replace", "devices": "replace", "observed": "observe"}

func TestManifests_Golden(t *testing.T) {
	for name, flags := range variants {
		t.Run(name, func(t *testing.T) {
			got, golden := printed(t, flags), "testdata/manifests/"+name+".yaml"
			if of := variantOf[name]; of != "" {
				got, golden = diff.Diff(of, printed(t, variants[of]), name, got), "testdata/manifests/"+name+".diff"
			}
			if f := flag.Lookup("update"); f != nil && f.Value.String() == "true" {
				if err := os.WriteFile(golden, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if differs := cmp.Diff(string(want), string(got)); differs != "" {
				t.Errorf("go test ./cmd/app -run Manifests -update writes them anew (-want +got):\n%s", differs)
			}
		})
	}
}

func printed(t *testing.T, flags manifestFlags) []byte {
	t.Helper()
	if flags.runbooks == "" {
		flags.runbooks = runbooks
	}
	text, err := flags.print(framework.Registry{})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// serviceMonitor has the used part of the Prometheus operator's type.
type serviceMonitor struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		JobLabel  string               `json:"jobLabel"`
		Selector  metav1.LabelSelector `json:"selector"`
		Endpoints []struct {
			Port          string `json:"port"`
			Scheme        string `json:"scheme"`
			Path          string `json:"path"`
			Interval      string `json:"interval"`
			Authorization struct {
				Credentials v1.SecretKeySelector `json:"credentials"`
			} `json:"authorization"`
			TLSConfig struct {
				InsecureSkipVerify bool `json:"insecureSkipVerify"`
			} `json:"tlsConfig"`
			Relabelings []struct {
				TargetLabel string `json:"targetLabel"`
				Replacement string `json:"replacement"`
			} `json:"relabelings"`
		} `json:"endpoints"`
	} `json:"spec"`
}

// prometheusRule has the used part of the Prometheus operator's type.
type prometheusRule struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Groups []struct {
			Name  string      `json:"name"`
			Rules []alertRule `json:"rules"`
		} `json:"groups"`
	} `json:"spec"`
}

type alertRule struct {
	Alert       string            `json:"alert"`
	Expr        string            `json:"expr"`
	For         string            `json:"for"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
}

// decoded decodes every object into its own type, where an unknown field is an error.
func decoded(t *testing.T, text []byte) (objects []any) {
	t.Helper()
	for _, part := range bytes.Split(text, []byte("\n---\n")) {
		var meta metav1.TypeMeta
		if err := yaml.Unmarshal(part, &meta); err != nil {
			t.Fatalf("%v in\n%s", err, part)
		}
		object := map[string]any{
			"v1 Namespace": &v1.Namespace{}, "v1 ServiceAccount": &v1.ServiceAccount{}, "v1 ConfigMap": &v1.ConfigMap{}, "v1 Service": &v1.Service{},
			"rbac.authorization.k8s.io/v1 ClusterRole": &rbacv1.ClusterRole{}, "rbac.authorization.k8s.io/v1 ClusterRoleBinding": &rbacv1.ClusterRoleBinding{},
			"rbac.authorization.k8s.io/v1 Role": &rbacv1.Role{}, "rbac.authorization.k8s.io/v1 RoleBinding": &rbacv1.RoleBinding{},
			"apps/v1 Deployment": &appsv1.Deployment{}, "policy/v1 PodDisruptionBudget": &policyv1.PodDisruptionBudget{},
			"monitoring.coreos.com/v1 ServiceMonitor": &serviceMonitor{}, "monitoring.coreos.com/v1 PrometheusRule": &prometheusRule{}, "v1 Secret": &v1.Secret{}, "v1 PersistentVolumeClaim": &v1.PersistentVolumeClaim{},
		}[meta.APIVersion+" "+meta.Kind]
		if meta.Kind == "" && len(bytes.TrimSpace(part)) > 0 && part[0] == '#' {
			continue // the introduction
		}
		if object == nil {
			t.Fatalf("%s %s: no decoder for this kind:\n%s", meta.APIVersion, meta.Kind, part)
		}
		if err := yaml.UnmarshalStrict(part, object); err != nil {
			t.Errorf("%v in\n%s", err, part)
		}
		objects = append(objects, object)
	}
	return objects
}

func one[T any](t *testing.T, objects []any, which func(T) bool) T {
	t.Helper()
	for _, o := range objects {
		if typed, ok := o.(T); ok && (which == nil || which(typed)) {
			return typed
		}
	}
	t.Fatalf("there is no %T", *new(T))
	panic("unreachable")
}

func TestManifests_ObjectsAreConsistent(t *testing.T) {
	for _, name := range []string{"beside", "replace"} {
		t.Run(name, func(t *testing.T) {
			flags := variants[name]
			objects := decoded(t, printed(t, flags))
			deployment := one[*appsv1.Deployment](t, objects, nil)
			template := deployment.Spec.Template
			for what, selector := range map[string]map[string]string{
				"the deployment": deployment.Spec.Selector.MatchLabels,
				"the budget":     one[*policyv1.PodDisruptionBudget](t, objects, nil).Spec.Selector.MatchLabels,
				"the service":    one[*v1.Service](t, objects, nil).Spec.Selector,
			} {
				for key, value := range selector {
					if template.Labels[key] != value {
						t.Errorf("%s selects %s=%s, and the pods have %v", what, key, value, template.Labels)
					}
				}
			}
			account := one[*v1.ServiceAccount](t, objects, nil)
			if template.Spec.ServiceAccountName != account.Name || account.Namespace != deployment.Namespace {
				t.Errorf("the pods run as %s", template.Spec.ServiceAccountName)
			}
			for _, o := range objects {
				switch b := o.(type) {
				case *rbacv1.ClusterRoleBinding:
					checkSubject(t, b.Subjects, account)
				case *rbacv1.RoleBinding:
					checkSubject(t, b.Subjects, account)
				}
			}
		})
	}
}

func checkSubject(t *testing.T, subjects []rbacv1.Subject, account *v1.ServiceAccount) {
	t.Helper()
	want := []rbacv1.Subject{{Kind: "ServiceAccount", Name: account.Name, Namespace: account.Namespace}}
	if diff := cmp.Diff(want, subjects); diff != "" {
		t.Errorf("the role is bound to somebody else (-want +got):\n%s", diff)
	}
}

// TestManifests_ConfigurationLoads reads the configuration as the replicas do, and compares its lease with the rights.
func TestManifests_ConfigurationLoads(t *testing.T) {
	for name, want := range map[string][3]string{
		"beside":  {"orrery", "orrery-system/orrery", "orrery-system"},
		"replace": {"default-scheduler", "kube-system/kube-scheduler", "kube-system"},
	} {
		t.Run(name, func(t *testing.T) {
			objects := decoded(t, printed(t, variants[name]))
			text := one[*v1.ConfigMap](t, objects, nil).Data["config.yaml"]
			c, err := config.LoadNamed("config.yaml", []byte(text), config.DefaultFeatures())
			if err != nil {
				t.Fatal(err)
			}
			role := one[*rbacv1.Role](t, objects, nil)
			lease := c.LeaderElection.ResourceNamespace + "/" + c.LeaderElection.ResourceName
			if got := [3]string{c.Profiles[0].SchedulerName, lease, role.Namespace}; got != want {
				t.Errorf("scheduler, lease and the namespace of its role are %q, want %q", got, want)
			}
			if !*c.LeaderElection.LeaderElect {
				t.Error("two replicas would act at once")
			}
		})
	}
}

// Who may attach is for the cluster's administrator to say: the roles are printed without a binding.
func TestManifests_RightsToAttach(t *testing.T) {
	for name, want := range map[string][]string{
		"beside": {
			"get /debug/orrery/stream", "orrery-system: get coordination.k8s.io/leases orrery",
			"orrery-system: get apps/deployments orrery", "orrery-system: get,list /pods", "orrery-system: create,get /pods/portforward",
		},
		"replace": {
			"get /debug/orrery/stream", "kube-system: get coordination.k8s.io/leases kube-scheduler",
			"kube-system: get apps/deployments orrery", "kube-system: get,list /pods", "kube-system: create,get /pods/portforward",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, o := range decoded(t, printed(t, variants[name])) {
				switch o := o.(type) {
				case *rbacv1.ClusterRole:
					if o.Name == "orrery-attach" {
						got = append(got, strings.Join(o.Rules[0].Verbs, ",")+" "+strings.Join(o.Rules[0].NonResourceURLs, ","))
					}
				case *rbacv1.Role:
					for _, r := range o.Rules {
						if strings.HasPrefix(o.Name, "orrery-attach-") {
							rule := o.Namespace + ": " + strings.Join(r.Verbs, ",") + " " + r.APIGroups[0] + "/" + strings.Join(r.Resources, ",")
							got = append(got, strings.TrimSpace(rule+" "+strings.Join(r.ResourceNames, ",")))
						}
					}
				case *rbacv1.ClusterRoleBinding:
					if strings.HasPrefix(o.RoleRef.Name, "orrery-attach") {
						t.Errorf("%s is bound to %v", o.RoleRef.Name, o.Subjects)
					}
				case *rbacv1.RoleBinding:
					if strings.HasPrefix(o.RoleRef.Name, "orrery-attach") {
						t.Errorf("%s is bound to %v", o.RoleRef.Name, o.Subjects)
					}
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("the rights differ (-want +got):\n%s", diff)
			}
		})
	}
}

// By default no holder of a printed role can reach pods of others: every role that reaches pods is of a namespace that the
// manifests create. In one with others they say so.
func TestManifests_ReachNoPodsOfOthersByDefault(t *testing.T) {
	for name, flags := range map[string]manifestFlags{"beside": {}, "replace": {replaceDefault: true}, "elsewhere": {namespace: "kube-system"}} {
		flags.image = "orrery:devel"
		text := printed(t, flags)
		objects := decoded(t, text)
		created := map[string]bool{}
		for _, o := range objects {
			if o, ok := o.(*v1.Namespace); ok {
				created[o.Name] = true
			}
		}
		for _, o := range objects {
			role, ok := o.(*rbacv1.Role)
			if ok && slices.ContainsFunc(role.Rules, func(r rbacv1.PolicyRule) bool { return slices.Contains(r.Resources, "pods/portforward") }) &&
				!created[role.Namespace] && !strings.Contains(string(text), "There are other pods in "+role.Namespace) {
				t.Errorf("%s: %s reaches every pod of %s", name, role.Name, role.Namespace)
			}
			if role, ok := o.(*rbacv1.ClusterRole); ok && slices.ContainsFunc(role.Rules, func(r rbacv1.PolicyRule) bool { return slices.Contains(r.Resources, "pods/portforward") }) {
				t.Errorf("%s: %s reaches every pod of the cluster", name, role.Name)
			}
		}
		if flags.namespace == "" && len(created) != 1 {
			t.Errorf("%s creates the namespaces %v", name, created)
		}
	}
	if text := string(printed(t, manifestFlags{shadow: true, image: "orrery:devel"})); strings.Contains(text, "kind: Namespace") {
		t.Error("deleting the printed rights to read would delete a namespace")
	}
}

// The right is given to those who may write the devices or the users of a claim: Kubernetes 1.36 asks for it as well.
func TestManifests_GrantBindingOfClaims(t *testing.T) {
	for name := range variants {
		for _, o := range decoded(t, printed(t, variants[name])) {
			role, ok := o.(*rbacv1.ClusterRole)
			if !ok {
				continue
			}
			verbsOf := func(resource string) (verbs []string) {
				for _, r := range role.Rules {
					if slices.Contains(r.Resources, resource) {
						verbs = append(verbs, r.Verbs...)
					}
				}
				return verbs
			}
			if status, binding := verbsOf("resourceclaims/status"), verbsOf("resourceclaims/binding"); !slices.Equal(status, binding) {
				t.Errorf("%s: %s grants %v of the status of claims and %v of their binding", name, role.Name, status, binding)
			}
		}
	}
}

func TestManifests_PodsMeetRestrictedStandard(t *testing.T) {
	deployment := one[*appsv1.Deployment](t, decoded(t, printed(t, variants["beside"])), nil)
	pod := deployment.Spec.Template.Spec
	c := pod.Containers[0]
	if *deployment.Spec.Replicas != 2 || pod.Affinity.PodAntiAffinity == nil {
		t.Error("two replicas that keep apart are wanted")
	}
	switch s := c.SecurityContext; {
	case *s.AllowPrivilegeEscalation, !*s.ReadOnlyRootFilesystem, !slices.Equal(s.Capabilities.Drop, []v1.Capability{"ALL"}),
		!*pod.SecurityContext.RunAsNonRoot, pod.SecurityContext.SeccompProfile.Type != v1.SeccompProfileTypeRuntimeDefault:
		t.Errorf("the container may do too much: %+v %+v", pod.SecurityContext, s)
	}
	for _, probe := range []*v1.Probe{c.StartupProbe, c.LivenessProbe, c.ReadinessProbe} {
		if probe == nil || probe.HTTPGet.Scheme != v1.URISchemeHTTPS || probe.HTTPGet.Port.String() != c.Ports[0].Name {
			t.Errorf("a probe asks %+v", probe)
		}
	}
	if e := c.Env; len(e) != 1 || e[0].Name != "GOMEMLIMIT" || e[0].ValueFrom.ResourceFieldRef.Resource != "limits.memory" || c.Resources.Limits.Memory().IsZero() {
		t.Errorf("the process does not know its memory limit: %+v, %v", e, c.Resources)
	}
	if c.Ports[0].ContainerPort != 10259 {
		t.Errorf("the port is %d", c.Ports[0].ContainerPort)
	}
}
