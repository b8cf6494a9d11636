package app

import (
	"bytes"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/endpoints/request"
	clientset "k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"orrery/core/config"
	"orrery/core/framework"
	"orrery/core/mk"
	"orrery/core/world"
	"orrery/core/world/live"
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
	"shadow": {shadow: true, namespace: "kube-system", image: "orrery:devel"},
}

func TestManifests_Golden(t *testing.T) {
	for name, flags := range variants {
		t.Run(name, func(t *testing.T) {
			got := printed(t, flags)
			golden := "testdata/manifests/" + name + ".yaml"
			if f := flag.Lookup("update"); f != nil && f.Value.String() == "true" {
				if err := os.WriteFile(golden, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("go test ./cmd/app -run Manifests -update writes them anew (-want +got):\n%s", diff)
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
			"monitoring.coreos.com/v1 ServiceMonitor": &serviceMonitor{}, "monitoring.coreos.com/v1 PrometheusRule": &prometheusRule{}, "v1 Secret": &v1.Secret{},
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
			"orrery-system: get,list /pods", "orrery-system: create,get /pods/portforward",
		},
		"replace": {
			"get /debug/orrery/stream", "kube-system: get coordination.k8s.io/leases kube-scheduler",
			"kube-system: get,list /pods", "kube-system: create,get /pods/portforward",
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
	if c.Ports[0].ContainerPort != 10259 {
		t.Errorf("the port is %d", c.Ports[0].ContainerPort)
	}
}

// call is a request in the terms of RBAC rules.
type call struct{ verb, group, resource, namespace, name string }

func (c call) String() string {
	return c.verb + " " + strings.TrimPrefix(c.group+"/"+c.resource, "/")
}

// allowedBy reports whether a rule permits a call.
func allowedBy(rule rbacv1.PolicyRule, c call) bool {
	return slices.Contains(rule.Verbs, c.verb) && slices.Contains(rule.APIGroups, c.group) && slices.Contains(rule.Resources, c.resource) &&
		(len(rule.ResourceNames) == 0 || slices.Contains(rule.ResourceNames, c.name))
}

// switchboard is an API server that records its requests, and responds as the test says.
type switchboard struct {
	server *httptest.Server
	calls  chan call
	answer func(c call, w http.ResponseWriter, r *http.Request) bool
}

func newSwitchboard(t *testing.T, answer func(c call, w http.ResponseWriter, r *http.Request) bool) *switchboard {
	s := &switchboard{calls: make(chan call, 4096), answer: answer}
	infos := request.RequestInfoFactory{APIPrefixes: sets.NewString("api", "apis"), GrouplessAPIPrefixes: sets.NewString("api")}
	s.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		info, err := infos.NewRequestInfo(r)
		if err != nil {
			t.Error(err)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if !info.IsResourceRequest { // discovery, which every user may read
			_, _ = io.WriteString(w, `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"events.k8s.io/v1","resources":[{"name":"events"}]}`)
			return
		}
		c := call{info.Verb, info.APIGroup, strings.Trim(info.Resource+"/"+info.Subresource, "/"), info.Namespace, info.Name}
		s.calls <- c
		if !s.answer(c, w, r) {
			w.Header().Set("Content-Type", r.Header.Get("Content-Type"))
			body, _ := io.ReadAll(r.Body) // all of it, before anything is answered
			_, _ = w.Write(body)
		}
	}))
	t.Cleanup(s.server.Close)
	return s
}

func (s *switchboard) client(t *testing.T) clientset.Interface {
	t.Helper()
	c, err := clientset.NewForConfig(&rest.Config{Host: s.server.URL, QPS: -1})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// heard returns the calls so far, without duplicates.
func (s *switchboard) heard() map[call]bool {
	all := map[call]bool{}
	for {
		select {
		case c := <-s.calls:
			all[c] = true
		default:
			return all
		}
	}
}

// TestRights_UseResourceNames lists every kind: a new one needs a resource name for rules.
func TestRights_UseResourceNames(t *testing.T) {
	board := newSwitchboard(t, func(c call, w http.ResponseWriter, _ *http.Request) bool {
		_, _ = io.WriteString(w, `{"kind":"List","apiVersion":"v1","items":[]}`)
		return true
	})
	for _, kind := range world.Kinds() {
		_, _, _ = live.ReadOnce(t.Context(), board.client(t), []world.Kind{kind}) // the response is no list of its kind
		rules := readingRights("", []world.Kind{kind})
		for c := range board.heard() {
			rule := rbacv1.PolicyRule{APIGroups: rules[0].Groups, Resources: rules[0].Resources, Verbs: rules[0].Verbs}
			if c.verb != "list" || !allowedBy(rule, c) {
				t.Errorf("to read objects of kind %s asks for %q, which the rule %+v does not give", kind, c, rule)
			}
		}
		if kind.Resource().Resource == "" {
			t.Errorf("kind %s has no name for rules", kind)
		}
	}
}

// actions has every action of a scheduler, by the name of its type.
var actions = map[string]world.Action{
	"Bind": world.Bind{Pod: world.PodRefOf(mk.Pod("a").UID("a").Obj()), Node: "n"},
	"PatchStatus": world.PatchStatus{
		Pod:       world.PodRefOf(mk.Pod("b").UID("b").Obj()),
		Condition: &v1.PodCondition{Type: v1.PodScheduled, Status: v1.ConditionFalse, Reason: v1.PodReasonUnschedulable},
	},
	"Delete": world.Delete{Pod: world.PodRefOf(mk.Pod("c").UID("c").Obj())},
	"EmitEvent": world.EmitEvent{
		Controller: "default-scheduler", Regarding: world.PodRefOf(mk.Pod("a").UID("a").Obj()), Type: "Normal", Reason: "Scheduled", Action: "Binding", Note: "note",
	},
	"ClaimVolume": world.ClaimVolume{
		Pod: world.PodRefOf(mk.Pod("d").UID("d").Obj()), Node: "n", Volume: world.ObjectRefOf(mk.Volume("v").Obj()), Claim: world.ObjectRefOf(mk.Claim("c").Obj()),
	},
	"SelectNode": world.SelectNode{Pod: world.PodRefOf(mk.Pod("e").UID("e").Obj()), Node: "n", Claim: world.ObjectRefOf(mk.Claim("c").Obj())},
	"ReserveResourceClaim": world.ReserveResourceClaim{
		Pod: world.PodRefOf(mk.Pod("f").UID("f").Obj()), Node: "n", Claim: world.ObjectRefOf(mk.ResourceClaim("c").Obj()),
		Allocation: mk.ResourceClaim("c").Allocated("n", "gpu", "d", "p", "1").Obj().Status.Allocation,
	},
	"UnreserveResourceClaim":  world.UnreserveResourceClaim{Pod: world.PodRefOf(mk.Pod("g").UID("g").Obj()), Claim: world.ObjectRefOf(mk.ResourceClaim("c").Obj())},
	"DeallocateResourceClaim": world.DeallocateResourceClaim{Pod: world.PodRefOf(mk.Pod("h").UID("h").Obj()), Claim: world.ObjectRefOf(mk.ResourceClaim("c").Obj())},
	"CreateResourceClaim":     nil, // with the gate DRAExtendedResource only
	"DeleteResourceClaim":     nil,
	"SetRuleCondition":        world.SetRuleCondition{Rule: world.ObjectRef{Name: "r", UID: "r"}, Condition: metav1.Condition{Type: "EvictionInProgress"}},

	"RunPlugin":           nil, // a plugin needs rights of its own
	"CallExtender":        nil, // no call of the API server
	"CancelExtenderCalls": nil,
}

// storageKinds are the kinds that the plugins of volumes read.
var storageKinds = []world.Kind{
	world.StorageClass, world.CSIDriver, world.CSINode, world.CSIStorageCapacity, world.VolumeAttachment, world.PersistentVolume, world.PersistentVolumeClaim,
}

// TestRights_FollowFromStorageKinds holds the rules to those of kube-scheduler for storage: it reads seven kinds and
// writes two of them. Who reads none of them writes none, and a shadow never writes.
func TestRights_FollowFromStorageKinds(t *testing.T) {
	allows := func(rules []right, verb string, kind world.Kind) bool {
		return slices.ContainsFunc(rules, func(r right) bool {
			return slices.Contains(r.Verbs, verb) && slices.Contains(r.Groups, kind.Resource().Group) && slices.Contains(r.Resources, kind.Resource().Resource)
		})
	}
	with, without := schedulerRights(append(storageKinds, world.Pod, world.Node)), schedulerRights([]world.Kind{world.Pod, world.Node})
	shadow := shadowRights(storageKinds)
	for _, kind := range storageKinds {
		written := kind == world.PersistentVolume || kind == world.PersistentVolumeClaim
		for _, verb := range []string{"list", "watch", "get", "patch", "update", "create", "delete"} {
			reads := verb == "list" || verb == "watch"
			if got, want := allows(with, verb, kind), reads || written && (verb == "get" || verb == "patch"); got != want {
				t.Errorf("a scheduler may %s objects of kind %s: %v, want %v", verb, kind, got, want)
			}
			if allows(without, verb, kind) {
				t.Errorf("a scheduler without plugins for volumes may %s objects of kind %s", verb, kind)
			}
			if got := allows(shadow, verb, kind); got != reads {
				t.Errorf("a shadow may %s objects of kind %s: %v, want %v", verb, kind, got, reads)
			}
		}
	}
}

// TestRights_OfRulesAreUsed holds the rights of device-taint-eviction to what it asks for.
func TestRights_OfRulesAreUsed(t *testing.T) {
	written := make(chan struct{})
	board := newSwitchboard(t, func(c call, w http.ResponseWriter, _ *http.Request) bool {
		if c.verb == "get" {
			_, _ = io.WriteString(w, `{"kind":"DeviceTaintRule","apiVersion":"resource.k8s.io/v1alpha3","metadata":{"name":"r","uid":"r"}}`)
			return true
		}
		close(written)
		return false
	})
	cluster, err := live.New(live.Options{Client: board.client(t)})
	if err != nil {
		t.Fatal(err)
	}
	cluster.Do(world.Effect{ID: 1, Action: actions["SetRuleCondition"]})
	<-written
	cluster.Stop()
	got := board.heard()
	rights := schedulerRights([]world.Kind{world.Pod, world.Node, world.DeviceTaintRule})
	for c := range got {
		if !slices.ContainsFunc(rights, func(r right) bool {
			return allowedBy(rbacv1.PolicyRule{APIGroups: r.Groups, Resources: r.Resources, Verbs: r.Verbs}, c)
		}) {
			t.Errorf("no rule gives %q", c)
		}
	}
	if len(got) != 2 {
		t.Errorf("it asks for %v, want a rule and its status", got)
	}
}

// TestRights_CoverEveryEffect finds the actions in the source: a new one needs a case below.
func TestRights_CoverEveryEffect(t *testing.T) {
	var found []string
	for _, name := range []string{"effect.go", "extender.go", "resourceclaims.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), "../../core/world/"+name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == "action" {
				found = append(found, f.Recv.List[0].Type.(*ast.Ident).Name)
			}
		}
	}
	for _, name := range found {
		if _, ok := actions[name]; !ok {
			t.Errorf("no test tries the rights of world.%s takes", name)
		}
	}
	if len(found) != len(actions) {
		t.Errorf("actions in the source are %q", found)
	}
}

// TestRights_AreExactlyThoseUsed carries out every action and takes part in an election, and compares the calls with
// the rules: every call has a rule, and every rule has a call.
func TestRights_AreExactlyThoseUsed(t *testing.T) {
	for _, name := range []string{"beside", "replace", "chosen"} {
		t.Run(name, func(t *testing.T) {
			objects := decoded(t, printed(t, variants[name]))
			role := one[*rbacv1.Role](t, objects, nil)
			everywhere := one(t, objects, func(r *rbacv1.ClusterRole) bool { return r.Name == "orrery" })
			used := callsOfAScheduler(t, one[*v1.ConfigMap](t, objects, nil).Data["config.yaml"], name == "chosen")
			for c := range used {
				ofRole := c.namespace == role.Namespace && slices.ContainsFunc(role.Rules, func(r rbacv1.PolicyRule) bool { return allowedBy(r, c) })
				if !ofRole && !slices.ContainsFunc(everywhere.Rules, func(r rbacv1.PolicyRule) bool { return allowedBy(r, c) }) {
					t.Errorf("no rule allows to %s %s/%s", c, c.namespace, c.name)
				}
			}
			for _, rule := range append(slices.Clone(role.Rules), everywhere.Rules...) {
				for single := range singles(rule) {
					if !anyCall(used, func(c call) bool { return allowedBy(single, c) }) {
						t.Errorf("a rule allows what no command does: %v", single)
					}
				}
			}
		})
	}
}

func anyCall(calls map[call]bool, which func(call) bool) bool {
	for c := range calls {
		if which(c) {
			return true
		}
	}
	return false
}

// singles returns the rules with one verb on one resource that a rule combines.
func singles(rule rbacv1.PolicyRule) func(yield func(rbacv1.PolicyRule) bool) {
	return func(yield func(rbacv1.PolicyRule) bool) {
		for _, verb := range rule.Verbs {
			for _, group := range rule.APIGroups {
				for _, resource := range rule.Resources {
					r := rbacv1.PolicyRule{Verbs: []string{verb}, APIGroups: []string{group}, Resources: []string{resource}, ResourceNames: rule.ResourceNames}
					if !yield(r) {
						return
					}
				}
			}
		}
	}
}
