package tui

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"orrery/core/operator/actions"
	"orrery/core/operator/console"
	"orrery/core/operator/usage"
	"orrery/core/testing/mk"
	"orrery/views"
	"orrery/views/collect"
)

// cluster is a live source whose engine never advances.
type cluster struct {
	staticSource
	executor  actions.Executor
	readOnly  string
	alert     string
	holds     int
	contexts  []string
	namespace string
	dialled   *cluster
	closed    bool
}

func (c *cluster) now() *cluster {
	if c.dialled != nil {
		return c.dialled
	}
	return c
}

func (c *cluster) Name() string {
	if c.dialled != nil {
		return "production"
	}
	return "staging"
}

func (c *cluster) Wake() <-chan struct{}       { return nil }
func (c *cluster) Usage(string) *usage.Reading { return nil }
func (c *cluster) ReadOnlyReason() string      { return c.now().readOnly }
func (c *cluster) Shadows() bool               { return true }
func (c *cluster) Executor() actions.Executor  { return c.now().executor }
func (c *cluster) Access() string {
	return "rules:\n" + actions.YAML([]actions.Rule{{Resource: "nodes", Verb: "list"}})
}
func (c *cluster) Contexts() []string   { return c.contexts }
func (c *cluster) PodNamespace() string { return c.now().namespace }
func (c *cluster) Hold(do func()) {
	c.holds++
	do()
	c.holds--
}

func (c *cluster) Annotate(m *views.Model, q collect.Query) {
	m.Header.Source, m.Header.Alert, m.Header.Compared, m.Header.AgreementRate = c.Name(), c.alert, 2000, 0.996
	if q.Open == views.AgreementPane {
		m.Agreement = &views.Agreement{Agreed: 3, Differs: 1, List: views.List[views.Difference]{Total: 1, Rows: []views.Difference{
			{Seq: 1, At: start, Pod: "default/one", Actual: "node-1", Best: "node-2", Reason: "NodeResourcesFit scores the other node higher by 12"},
		}}}
	}
}

func (c *cluster) Dial(_ context.Context, name, namespace string) (func() func(), error) {
	switch {
	case name == "broken":
		return nil, errors.New("connecting to the API server: connection refused")
	case namespace == "secret":
		return nil, errors.New(`pods in namespace "secret" may not be read`)
	}
	return func() func() {
		if c.holds > 0 {
			panic("the source was replaced while its engine is held")
		}
		c.dialled = &cluster{namespace: namespace}
		return func() { c.closed = true }
	}, nil
}

// operableSource is a cluster with an API server that accepts every action.
func operableSource(t *testing.T) (*cluster, *fake.Clientset) {
	s := manyPods(t, 3, "one", "two")
	for more := true; more; { // an attempt updates the snapshot
		_, more = s.engine.Step()
	}
	api := fake.NewClientset(mk.Node("node-0").Obj(), mk.Node("node-1").Obj(), mk.Pod("one").Obj())
	return &cluster{staticSource: s, executor: actions.Executor{Client: api}, contexts: []string{"broken", "production", "staging"}}, api
}

func cordoned(t *testing.T, api *fake.Clientset, node string) bool {
	t.Helper()
	n, err := api.CoreV1().Nodes().Get(context.Background(), node, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return n.Spec.Unschedulable
}

func TestConfirm_ActsOnlyIfChosen(t *testing.T) {
	source, api := operableSource(t)
	s := watch(t, source, 120, 30)
	s.keys("3", "c").shows("This changes staging", "Cordon node node-0?", "$ kubectl cordon node-0", "⚑ what-if", "WHAT-IF")
	golden(t, "live/confirm_120x30.txt", s.plain())
	for _, no := range []string{"n", "esc", "q", "y", "enter"} {
		s.wait(confirmDelay).keys(no).shows("cancelled").lacks("This changes").lacks("WHAT-IF")
		if s.quit || cordoned(t, api, "node-0") {
			t.Fatalf("%s changed the cluster", no)
		}
		s.keys("c").shows("This changes staging")
	}
	s.wait(confirmDelay).keys("tab", "enter").shows("cordoned node node-0").lacks("This changes")
	if !cordoned(t, api, "node-0") {
		t.Error("the node was not cordoned")
	}
}

func TestConfirm_ReadOnlyDoesNotAsk(t *testing.T) {
	source, _ := operableSource(t)
	source.readOnly = "read-only: start the console with --allow-actions to change the cluster"
	s := watch(t, source, 140, 30)
	s.keys("3")
	for _, key := range []string{"c", "D"} {
		s.keys(key).shows(key + ": " + source.readOnly).lacks("This changes")
	}
	s.keys("2")
	for _, key := range []string{"E", "X", "A", "U"} {
		s.keys(key).shows(key + ": " + source.readOnly).lacks("This changes")
	}
	recording := newSession(t, 140, 30)
	recording.keys("$", "3", "c").shows("c: read-only: this is a recording")
}

func TestConfirm_RefusalNamesTheRule(t *testing.T) {
	source, api := operableSource(t)
	api.PrependReactor("delete", "pods", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "one", errors.New(`User "jane" cannot delete resource "pods"`))
	})
	s := watch(t, source, 240, 40)
	s.keys("2", "X").shows("Delete pod default/one?")
	s.wait(confirmDelay).keys("right", "enter").shows(`user jane may not delete pods; this needs the RBAC rule {apiGroups: [""], resources: ["pods"], verbs: ["delete"]} in namespace default`)
}

func TestConfirm_ImpossibleActionIsExplained(t *testing.T) {
	source, _ := operableSource(t)
	s := watch(t, source, 140, 30)
	s.keys("2", "U").shows("no scheduling gate holds pod default/one").lacks("This changes")
	s.keys("E").shows("pod default/one is on no node that it could be evicted from")
	s.keys("A").shows("A: the cluster's own scheduler has the queue").lacks("Activate pod")
	source.executor.Activate = func(context.Context, ...types.NamespacedName) error { return nil }
	s.keys("3", "2", "A").shows("Activate pod default/one?", "It skips its back-off")
}

func TestLive_ShowsAgreementAndConnection(t *testing.T) {
	source, _ := operableSource(t)
	s := watch(t, source, 120, 30)
	s.shows("staging", "SHADOW", "agrees 99.6%")
	s.keys(":").typeText("agreement").keys("enter").shows("Agreement", "default/one", "NodeResourcesFit scores the other node higher by 12")
	s.keys("enter").shows("Journey")
	source.alert = "the connection is lost, for 12s"
	s.keys("1").shows("the connection is lost, for 12s")
	s.keys(":").typeText("access").keys("enter").shows("access", `resources: ["nodes"]`)
}

func TestLive_SwitchesContextAndNamespace(t *testing.T) {
	source, _ := operableSource(t)
	s := watch(t, source, 120, 30)
	s.keys(":").typeText("ctx").keys("enter").shows("contexts: broken, production, staging")
	s.keys(":").typeText("ctx nowhere").keys("enter").shows(`there is no context "nowhere"`)
	s.keys("esc", ":").typeText("ctx broken").keys("enter").shows("staying here: connecting to the API server: connection refused")
	s.keys("esc", "2").shows("default/one")
	s.keys(":").typeText("ns shop").keys("enter").shows("no pods match /-n shop/ (of 2 pending) · :ns shows all")
	s.keys(":").typeText("ns default").keys("enter").shows("default/one").lacks("no pods match")
	s.keys(":").typeText("ns").keys("enter").shows("pods of all namespaces")
	s.keys(":").typeText("ctx production").keys("enter").shows("watching production", "production").lacks("staging")
	if !source.closed {
		t.Error("the previous session was not closed")
	}
}

func TestLive_NamespaceBoundNeedsAnotherSession(t *testing.T) {
	source, _ := operableSource(t)
	source.namespace = "default"
	s := watch(t, source, 120, 30)
	s.keys(":").typeText("ns default").keys("enter").shows("pods of namespace default")
	s.keys(":").typeText("ns").keys("enter").shows("no more may be read than namespace default; :access says")
	s.keys("esc", ":").typeText("ns secret").keys("enter").shows(`staying here: pods in namespace "secret" may not be read`)
	s.keys("esc")
	if s.screen.namespace != "default" || source.dialled != nil {
		t.Errorf("after an error the screen shows namespace %q", s.screen.namespace)
	}
	s.keys(":").typeText("ns shop").keys("enter").shows("pods of namespace shop")
	if s.screen.namespace != "shop" || source.PodNamespace() != "shop" || !source.closed {
		t.Errorf("the screen shows namespace %q, of the session's %q; the old one was closed: %t", s.screen.namespace, source.PodNamespace(), source.closed)
	}
	s.keys(":").typeText("ctx production").keys("enter").shows("watching production")
	if s.screen.namespace != "" {
		t.Errorf("another cluster shows only namespace %q", s.screen.namespace)
	}
}

func TestLoop_WakingSourceIsNotPolled(t *testing.T) {
	source := &wakingSource{cluster: &cluster{}, wakes: make(chan struct{}, 1)}
	p := newLoop(source, 30, func() time.Duration { return 0 }, nil)
	if timer, _ := p.wait(); timer == nil {
		t.Fatal("no timer: the countdowns would not advance")
	}
	for _, stale := range []bool{false, true} {
		p.stale, p.lastAdvanced = stale, 0
		timer, wait := p.wait()
		select {
		case <-wait:
			t.Error("the wait ends at once")
		default:
		}
		timer.Stop()
	}
}

// wakingSource is a cluster that announces its changes.
type wakingSource struct {
	*cluster
	wakes chan struct{}
}

func (w *wakingSource) Wake() <-chan struct{} { return w.wakes }
func (w *wakingSource) Moving() bool          { return true }

// TestHiddenPanes_WithoutDecisions: where not all pods and nodes can be read, nothing is explained either: no node would be found.
func TestHiddenPanes_WithoutDecisions(t *testing.T) {
	hidden := hiddenPanes(&console.State{NotDeciding: "nodes may not be read"})
	for _, pane := range []views.PaneID{views.DecisionsPane, views.AgreementPane, views.ExplainPane, views.PendingPane} {
		if !strings.Contains(hidden[pane], "nodes may not be read") {
			t.Errorf("pane %q says %q", pane, hidden[pane])
		}
	}
	if hidden := hiddenPanes(&console.State{}); len(hidden) != 0 {
		t.Errorf("where all is decided these are hidden: %v", hidden)
	}
}
