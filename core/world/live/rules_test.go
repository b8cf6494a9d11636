package live

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"

	"orrery/core/world"
)

// ruleServer is an API server that serves DeviceTaintRules in some versions, with one rule.
type ruleServer struct {
	sync.Mutex
	served  []string
	asked   []string
	written map[string]any
}

const rule = `{"apiVersion": "resource.k8s.io/VERSION", "kind": "DeviceTaintRule", "metadata": {"name": "broken", "uid": "u1", "resourceVersion": "7"},
	"spec": {"deviceSelector": {"driver": "gpu.example.com", "pool": "node-1"}, "taint": {"key": "broken", "effect": "NoExecute"}, "later": {"field": 1}}}`

func (s *ruleServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.Lock()
	defer s.Unlock()
	version, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/apis/resource.k8s.io/"), "/")
	s.asked = append(s.asked, r.Method+" "+version)
	w.Header().Set("Content-Type", "application/json")
	one := strings.ReplaceAll(rule, "VERSION", version)
	switch {
	case !slices.Contains(s.served, version):
		w.WriteHeader(http.StatusNotFound)
	case r.URL.Query().Get("watch") != "":
		_, _ = io.WriteString(w, `{"type": "ADDED", "object": `+strings.ReplaceAll(one, "\n", " ")+"}\n")
	case r.Method == http.MethodPut:
		_ = json.NewDecoder(r.Body).Decode(&s.written)
		_, _ = io.WriteString(w, one)
	case path == "devicetaintrules":
		_, _ = io.WriteString(w, `{"apiVersion": "resource.k8s.io/`+version+`", "kind": "DeviceTaintRuleList", "metadata": {"resourceVersion": "9"}, "items": [`+one+`]}`)
	default:
		_, _ = io.WriteString(w, one)
	}
}

func ruleClient(t *testing.T, served ...string) (*ruleServer, Client) {
	t.Helper()
	s := &ruleServer{served: served}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	client, err := NewClient(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	return s, client
}

// Rules are read in the newest version that is served: each release has others.
func TestRules_AreReadInTheServedVersion(t *testing.T) {
	for name, tt := range map[string]struct {
		served []string
		asked  []string // by a list, a watch and another list
	}{
		"1.35":                  {[]string{"v1alpha3"}, []string{"GET v1", "GET v1beta2", "GET v1alpha3", "GET v1alpha3", "GET v1alpha3"}},
		"1.36":                  {[]string{"v1alpha3", "v1beta2"}, []string{"GET v1", "GET v1beta2", "GET v1beta2", "GET v1beta2"}},
		"1.37":                  {[]string{"v1", "v1beta2"}, []string{"GET v1", "GET v1", "GET v1"}},
		"1.37 without old ones": {[]string{"v1"}, []string{"GET v1", "GET v1", "GET v1"}},
	} {
		t.Run(name, func(t *testing.T) {
			s, client := ruleClient(t, tt.served...)
			lists, err := listWatchOf(client, world.DeviceTaintRule, allNamespaces)
			if err != nil {
				t.Fatal(err)
			}
			o, err := lists.ListWithContext(context.Background(), metav1.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			list := o.(*objectList)
			if len(list.Items) != 1 || list.ResourceVersion != "9" {
				t.Fatalf("the list is %+v", list)
			}
			if rule := list.Items[0].(*resourcev1alpha3.DeviceTaintRule); *rule.Spec.DeviceSelector.Pool != "node-1" || rule.Spec.Taint.Key != "broken" {
				t.Errorf("the rule is %+v", rule)
			}
			events, err := lists.WatchWithContext(context.Background(), metav1.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			event := <-events.ResultChan()
			events.Stop()
			if got, is := event.Object.(*resourcev1alpha3.DeviceTaintRule); event.Type != watch.Added || !is || got.Name != "broken" || got.UID != "u1" {
				t.Errorf("the event is %+v", event)
			}
			if _, err := lists.ListWithContext(context.Background(), metav1.ListOptions{}); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(s.asked, tt.asked) {
				t.Errorf("the server is asked %v, want %v", s.asked, tt.asked)
			}
		})
	}
}

// An API server that is upgraded meanwhile serves another version from then on.
func TestRules_FollowAnUpgrade(t *testing.T) {
	s, client := ruleClient(t, "v1alpha3")
	if _, err := client.taintRules().List(context.Background(), metav1.ListOptions{}); err != nil {
		t.Fatal(err)
	}
	s.Lock()
	s.served = []string{"v1"}
	s.Unlock()
	if list, err := client.taintRules().List(context.Background(), metav1.ListOptions{}); err != nil || len(list.Items) != 1 {
		t.Errorf("after the upgrade: %v, %v", list, err)
	}
}

func TestRules_NotServed(t *testing.T) {
	_, client := ruleClient(t)
	if _, err := client.taintRules().List(context.Background(), metav1.ListOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("the error of a server without rules is %v", err)
	}
}

// A condition is written in the served version, and what this program does not know of a rule stays.
func TestRules_ConditionIsWritten(t *testing.T) {
	s, client := ruleClient(t, "v1beta2")
	act := world.SetRuleCondition{
		Rule:      world.ObjectRef{Name: "broken", UID: types.UID("u1")},
		Condition: metav1.Condition{Type: "EvictionInProgress", Status: metav1.ConditionTrue, Reason: "Evicting", Message: "1 pod"},
	}
	if err := client.taintRules().setCondition(context.Background(), act); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(s.written)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"apiVersion":"resource.k8s.io/v1beta2"`, `"later":{"field":1}`, `"type":"EvictionInProgress"`, `"resourceVersion":"7"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("what is written lacks %s: %s", want, text)
		}
	}
	act.Rule.UID = "another"
	if err := client.taintRules().setCondition(context.Background(), act); !apierrors.IsNotFound(err) {
		t.Errorf("the error for a rule that was made again is %v", err)
	}
}
