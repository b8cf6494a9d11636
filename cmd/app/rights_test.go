package app

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/endpoints/request"
	clientset "k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/live"
)

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
	rights := append(schedulerRights([]world.Kind{world.Pod, world.Node, world.DeviceTaintRule}), taintRuleRights()...)
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
					if single.Resources[0] == "resourceclaims/binding" { // in no request: the API server of 1.36 asks its authorizer for it
						continue
					}
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
