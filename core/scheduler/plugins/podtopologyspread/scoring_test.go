package podtopologyspread

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	"orrery/core/testing/mk"
	"orrery/core/testing/plugintest"
)

type scores = map[string]int64

// Shows SPREAD-05 and SPREAD-34. Shows SPREAD-20.
func TestScore(t *testing.T) {
	for _, row := range []struct {
		name            string
		nodes           []*v1.Node
		pods            []*v1.Pod
		pod             *v1.Pod
		raw, normalized scores
	}{
		{
			name:  "one zone constraint, counts 4 and 2: 4·ln 4 and 2·ln 4",
			nodes: zoned("A", "B"), pods: running("n1", "n1", "n1", "n1", "n2", "n2"), pod: testPod(soft(zone, 1)),
			raw: scores{"n1": 6, "n2": 3}, normalized: scores{"n1": 50, "n2": 100},
		},
		{
			name:  "a larger maxSkew reduces differences",
			nodes: zoned("A", "B"), pods: running("n1", "n1", "n1", "n1", "n2", "n2"), pod: testPod(soft(zone, 20)),
			raw: scores{"n1": 25, "n2": 22}, normalized: scores{"n1": 88, "n2": 100},
		},
		{
			name:  "the zone with fewer pods scores higher",
			nodes: zoned("A", "A", "B", "B"), pods: running("n1", "n2", "n3"), pod: testPod(soft(zone, 1)),
			raw: scores{"n1": 3, "n2": 3, "n3": 1, "n4": 1}, normalized: scores{"n1": 33, "n2": 33, "n3": 100, "n4": 100},
		},
		{
			name:  "nodes that lack the key are not scored",
			nodes: zoned("A", "-"), pods: running("n1"), pod: testPod(soft(zone, 1)),
			raw: scores{"n1": 1, "n2": 0}, normalized: scores{"n1": 100, "n2": 0},
		},
		{
			name:  "without pods all nodes get the highest score",
			nodes: zoned("A", "B"), pod: testPod(soft(zone, 1)),
			raw: scores{"n1": 0, "n2": 0}, normalized: scores{"n1": 100, "n2": 100},
		},
		{
			name:  "a constraint on hostnames counts the node's pods",
			nodes: zoned("A", "A", "B"), pods: running("n1", "n1", "n2"), pod: testPod(soft(v1.LabelHostname, 1)),
			raw: scores{"n1": 3, "n2": 2, "n3": 0}, normalized: scores{"n1": 0, "n2": 33, "n3": 100},
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			raw, normalized := newFixture(t, row.nodes, row.pods).ScoreAll(t, row.pod)
			if diff := cmp.Diff(row.raw, raw); diff != "" {
				t.Errorf("raw scores (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(row.normalized, normalized); diff != "" {
				t.Errorf("normalised scores (-want +got):\n%s", diff)
			}
		})
	}
}

// The built-in defaults are hostname with maxSkew 3 and zone with maxSkew 5, both ScheduleAnyway. Shows SPREAD-29, SPREAD-32,
// SPREAD-35 and A-9.
func TestScore_SystemDefaults(t *testing.T) {
	member := mk.Pod("mypod").Label("foo", "bar").Owner("apps/v1", "ReplicaSet", "web").Obj()
	constrained := member.DeepCopy()
	constrained.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{hard(zone, 1)}
	nodes := zoned("z1", "z1", "z2")

	t.Run("a pod of a ReplicaSet is spread", func(t *testing.T) {
		s := fixtureOf(t, cache.SnapshotOf(running("n1", "n1", "n2"), nodes), systemDefaulting())
		s.addReplicaSet(t, "web", map[string]string{"foo": "bar"})
		raw, normalized := s.ScoreAll(t, member)
		if diff := cmp.Diff(scores{"n1": 13, "n2": 12, "n3": 6}, raw); diff != "" {
			t.Errorf("raw scores (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(scores{"n1": 46, "n2": 53, "n3": 100}, normalized); diff != "" {
			t.Errorf("normalised scores (-want +got):\n%s", diff)
		}
	})
	t.Run("a node without a zone is still scored by its hostname", func(t *testing.T) {
		s := fixtureOf(t, cache.SnapshotOf(running("n1", "n3"), zoned("z1", "z2", "-")), systemDefaulting())
		s.addReplicaSet(t, "web", map[string]string{"foo": "bar"})
		raw, _ := s.ScoreAll(t, member)
		// ln 5 per pod and 2 for the hostname; n1 and n2 also have a zone, of three with "": ln 5 per pod and 4.
		if diff := cmp.Diff(scores{"n1": 9, "n2": 6, "n3": 4}, raw); diff != "" {
			t.Errorf("raw scores (-want +got):\n%s", diff)
		}
	})
	t.Run("an empty list of defaults switches them off", func(t *testing.T) {
		s := fixtureOf(t, cache.SnapshotOf(running("n1", "n1", "n2"), nodes), noDefaults())
		s.addReplicaSet(t, "web", map[string]string{"foo": "bar"})
		if raw, _ := s.ScoreAll(t, member); raw != nil {
			t.Error("the pod was scored, want PreScore to skip")
		}
	})
	for name, pod := range map[string]*v1.Pod{
		"a pod without an owner gets no defaults":                mk.Pod("mypod").Label("foo", "bar").Obj(),
		"a pod whose controller does not exist gets no defaults": mk.Pod("mypod").Owner("apps/v1", "ReplicaSet", "gone").Obj(),
		"a pod with its own constraints gets no defaults":        constrained,
		"a pod of another kind of controller gets no defaults":   mk.Pod("mypod").Owner("batch/v1", "Job", "web").Obj(),
	} {
		t.Run(name, func(t *testing.T) {
			s := fixtureOf(t, cache.SnapshotOf(nil, nodes), systemDefaulting())
			s.addReplicaSet(t, "web", map[string]string{"foo": "bar"})
			if raw, _ := s.ScoreAll(t, pod); raw != nil {
				t.Error("the pod was scored, want PreScore to skip")
			}
		})
	}
}

func (s *fixture) addReplicaSet(t *testing.T, name string, selected map[string]string) {
	t.Helper()
	s.add(t, &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
		Spec:       appsv1.ReplicaSetSpec{Selector: &metav1.LabelSelector{MatchLabels: selected}},
	})
}

func (s *fixture) add(t *testing.T, object any) {
	t.Helper()
	core, apps := s.Objects.Core().V1(), s.Objects.Apps().V1()
	var err error
	switch object.(type) {
	case *v1.Service:
		err = core.Services().Informer().GetIndexer().Add(object)
	case *v1.ReplicationController:
		err = core.ReplicationControllers().Informer().GetIndexer().Add(object)
	case *appsv1.ReplicaSet:
		err = apps.ReplicaSets().Informer().GetIndexer().Add(object)
	case *appsv1.StatefulSet:
		err = apps.StatefulSets().Informer().GetIndexer().Add(object)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Shows SPREAD-29 and SPREAD-30.
func TestDefaultConstraints_Selectors(t *testing.T) {
	meta := metav1.ObjectMeta{Namespace: "default", Name: "o"}
	selector := &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "tier", Operator: metav1.LabelSelectorOpExists}}}
	service := func(name string, selected map[string]string) *v1.Service {
		return &v1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}, Spec: v1.ServiceSpec{Selector: selected}}
	}
	objects := []any{
		service("one", map[string]string{"app": "web"}),
		service("two", map[string]string{"tier": "front"}),
		service("other", map[string]string{"app": "db"}),
		service("headless", nil),
		&v1.ReplicationController{ObjectMeta: meta, Spec: v1.ReplicationControllerSpec{Selector: map[string]string{"rc": "yes"}}},
		&appsv1.ReplicaSet{ObjectMeta: meta, Spec: appsv1.ReplicaSetSpec{Selector: selector}},
		&appsv1.StatefulSet{ObjectMeta: meta, Spec: appsv1.StatefulSetSpec{Selector: selector}},
	}
	pod := func() *mk.PodBuilder { return mk.Pod("p").Label("app", "web") }
	for _, row := range []struct {
		name, want string
		pod        *v1.Pod
	}{
		{"a Service that selects the pod", "app=web", pod().Obj()},
		{"several Services are merged", "app=web,tier=front", pod().Label("tier", "front").Obj()},
		{"Services and a ReplicationController are merged", "app=web,rc=yes", pod().Owner("v1", "ReplicationController", "o").Obj()},
		{"the requirements of a ReplicaSet are added", "app=web,tier", pod().Owner("apps/v1", "ReplicaSet", "o").Obj()},
		{"the requirements of a StatefulSet are added", "app=web,tier", pod().Owner("apps/v1", "StatefulSet", "o").Obj()},
		{"an owner of another API group adds nothing", "app=web", pod().Owner("example.com/v1", "ReplicaSet", "o").Obj()},
		{"an owner with an invalid apiVersion adds nothing", "app=web", pod().Owner("a/b/c", "ReplicaSet", "o").Obj()},
		{"another namespace has its own objects", "", pod().Namespace("other").Owner("apps/v1", "ReplicaSet", "o").Obj()},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := fixtureOf(t, cache.NewSnapshot(), systemDefaulting())
			for _, object := range objects {
				s.add(t, object)
			}
			if got := s.owners.selectionFor(row.pod).compile().String(); got != row.want {
				t.Errorf("selector %q, want %q", got, row.want)
			}
		})
	}
}

// Shows CONF-04 and SPREAD-31.
func TestDefaultConstraints_ListedHoldForFilter(t *testing.T) {
	args := &configv1.PodTopologySpreadArgs{
		DefaultingType: configv1.ListDefaulting,
		DefaultConstraints: []v1.TopologySpreadConstraint{
			{MaxSkew: 1, TopologyKey: zone, WhenUnsatisfiable: v1.DoNotSchedule},
		},
	}
	s := fixtureOf(t, cache.SnapshotOf(running("n1", "n2"), zoned("A", "A", "B")), args)
	s.add(t, &v1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "s"}, Spec: v1.ServiceSpec{Selector: map[string]string{"foo": "bar"}}})
	if got := s.FeasibleNodes(t, testPod()); got != "n3" {
		t.Errorf("allowed nodes: %q, want n3", got)
	}
	if got := s.FeasibleNodes(t, mk.Pod("bare").Obj()); got != "n1 n2 n3" {
		t.Errorf("for a pod that no Service selects: %q, want all", got)
	}
}

// A filter extender without a node cache returns NodeInfos without pods.
func TestScore_HostnameCountsGivenNodeInfo(t *testing.T) {
	s := newFixture(t, zoned("A"), running("n1", "n1"))
	state, pod := framework.NewCycleState(), testPod(soft(v1.LabelHostname, 1))
	s.PreScore(context.Background(), state, pod, mustList(s))
	empty := cache.NewNodeInfo()
	empty.SetNode(mustList(s)[0].Node())
	if score, _ := s.Score(context.Background(), state, pod, empty); score != 0 {
		t.Errorf("score of the node without its pods: %d, want 0", score)
	}
	if score, _ := s.Score(context.Background(), state, pod, mustList(s)[0]); score != 2 {
		t.Errorf("score of the node with its pods: %d, want 2·ln 3 = 2", score)
	}
}

func TestPreScore_SkipsAndErrors(t *testing.T) {
	if raw, _ := newFixture(t, nil, nil).ScoreAll(t, testPod(soft(zone, 1))); raw != nil {
		t.Error("without nodes: scored, want PreScore to skip")
	}
	s := newFixture(t, zoned("A"), nil)
	if raw, _ := s.ScoreAll(t, testPod(hard(zone, 1))); raw != nil {
		t.Error("without soft constraints: scored, want PreScore to skip")
	}
	broken := soft(zone, 1)
	broken.LabelSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"a b": ""}}
	status := s.PreScore(context.Background(), framework.NewCycleState(), testPod(broken), mustList(s))
	if status.Code() != fwk.Error {
		t.Errorf("with a broken selector: %v, want an error", status)
	}
}

func TestSignPod(t *testing.T) {
	ctx := context.Background()
	for name, row := range map[string]struct {
		args *configv1.PodTopologySpreadArgs
		pod  *v1.Pod
		want string
	}{
		"no constraints and no defaults: no fragments": {noDefaults(), mk.Pod("p").Obj(), ""},
		"own constraints": {noDefaults(), testPod(soft(zone, 1)), "Unschedulable: pods with topology constraints are not signable"},
		"system defaults": {systemDefaulting(), mk.Pod("p").Obj(), "Unschedulable: pods with default topology constraints are not signable"},
	} {
		t.Run(name, func(t *testing.T) {
			fragments, status := fixtureOf(t, cache.NewSnapshot(), row.args).SignPod(ctx, row.pod)
			if len(fragments) > 0 || plugintest.RejectionText(status) != row.want {
				t.Errorf("fragments %v, status %q, want none and %q", fragments, plugintest.RejectionText(status), row.want)
			}
		})
	}
}

func TestNew_Errors(t *testing.T) {
	snapshot := cache.NewSnapshot()
	for name, row := range map[string]struct {
		args   *configv1.PodTopologySpreadArgs
		handle plugintest.Handle
		want   string
	}{
		"arguments of another plugin": {nil, plugintest.Handle{Nodes: snapshot}, "want args to be of type PodTopologySpreadArgs, got *v1.InterPodAffinityArgs"},
		"no snapshot":                 {noDefaults(), plugintest.Handle{Objects: informers.NewSharedInformerFactory(nil, 0)}, "building PodTopologySpread: the handle has no snapshot to read nodes from"},
		"no informers": {
			systemDefaulting(),
			plugintest.Handle{Nodes: snapshot},
			"building PodTopologySpread: default constraints need an informer factory to find Services and controllers",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var err error
			if row.args == nil {
				_, err = New(context.Background(), &configv1.InterPodAffinityArgs{}, row.handle, config.DefaultFeatures())
			} else {
				_, err = New(context.Background(), row.args, row.handle, config.DefaultFeatures())
			}
			if err == nil || err.Error() != row.want {
				t.Errorf("error %v\nwant  %s", err, row.want)
			}
		})
	}
}
