package fix_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/answers/change"
	"orrery/core/answers/diagnose"
	"orrery/core/answers/fix"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

var start = time.Date(2026, 3, 1, 6, 0, 0, 0, time.UTC)

// engineOf knows some objects and has tried the pods among them.
func engineOf(t *testing.T, objects ...world.Object) *engine.Engine {
	t.Helper()
	e, err := engine.New(engine.Options{Start: start, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range objects {
		if err := e.Apply(world.Input{At: start, Event: world.Changed{Op: world.Added, Object: o}}); err != nil {
			t.Fatal(err)
		}
	}
	for _, more := e.Step(); more; _, more = e.Step() {
	}
	return e
}

// fixesOf are the fixes of default/web, a line each; proposed are the remedies that were tried with this pod alone.
func fixesOf(t *testing.T, objects ...world.Object) (fixes, proposed []string) {
	t.Helper()
	e := engineOf(t, objects...)
	d, err := diagnose.Pod(e, world.PodRefOf(e.Store().Pod("default", "web")))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range d.Remedies {
		proposed = append(proposed, r.Change.String())
	}
	all, err := fix.Of(e, d)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		fixes = append(fixes, fmt.Sprintf("%s: %s, %s", change.Words(f.Changes), f.Node, f.Effect))
	}
	return fixes, proposed
}

func node(name, cpu string) *mk.NodeBuilder {
	return mk.Node(name).CPU(cpu).Memory("16Gi").Pods("20").Label(v1.LabelHostname, name)
}

// daemon has a pod on every node that requests so much.
func daemon(cpu string) *appsv1.DaemonSet {
	labels := map[string]string{"app": "agent"}
	d := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Name: "agent", Namespace: "default", UID: "agent"}}
	d.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
	d.Spec.Template = v1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: mk.Pod("agent").CPU(cpu).Obj().Spec}
	return d
}

// A node like the one there is has room for the pod, until its daemon comes: that is no fix.
func TestOf_LeavesRoomForDaemons(t *testing.T) {
	fixes, proposed := fixesOf(t, node("a", "4").Obj(), daemon("500m"), mk.Pod("other").CPU("2").Node("a").Obj(), mk.Pod("web").CPU("3800m").Obj())
	const add = "add 1 node like a"
	if !slices.Contains(proposed, add) || slices.ContainsFunc(fixes, func(f string) bool { return strings.HasPrefix(f, add) }) {
		t.Errorf("proposed are %q, and fixes %q", proposed, fixes)
	}
}

// A class whose driver nobody has registered makes no volume, so that it is no fix; one that has a driver on the nodes does.
func TestOf_AsksOnlyDriversThatExist(t *testing.T) {
	claim := mk.Claim("data").Size("1Gi").Class("local").Obj()
	claim.UID = "claim-data" // a volume has it in its name
	fixes, proposed := fixesOf(t, node("a", "4").Obj(), mk.Class("local", "kubernetes.io/no-provisioner").WaitForFirstConsumer().Obj(),
		mk.Class("ghost", "ghost.example.com").WaitForFirstConsumer().Obj(), mk.Class("disk", "disk.example.com").WaitForFirstConsumer().Obj(),
		mk.CSINode("a").Limit("disk.example.com", 9).Obj(), claim, mk.Pod("web").CPU("1").PVC("data").Obj())
	all := strings.Join(fixes, "\n")
	if strings.Contains(all, "ghost") || !strings.Contains(all, "class default/data disk: a, 1 pod placed") {
		t.Errorf("of %q fixes are\n%s", proposed, all)
	}
}

func TestOf_CorrectsBeforeItTakesAway(t *testing.T) {
	fixes, _ := fixesOf(t, node("a", "4").Label("tier", "fast").Obj(), node("b", "4").Obj(), mk.Pod("web").CPU("1").NodeSelector("teir", "fast").Obj())
	if want := "select default/web tier=fast replacing teir: a, 1 pod placed"; len(fixes) == 0 || fixes[0] != want {
		t.Errorf("fixes are %q, want %q first", fixes, want)
	}
}

func TestOf_StartsWhatAnAffinityLooksFor(t *testing.T) {
	none, labels := int32(0), map[string]string{"app": "cache"}
	cache := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Name: "cache", Namespace: "default", UID: "cache"}}
	cache.Spec = appsv1.ReplicaSetSpec{Replicas: &none, Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: v1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: mk.Pod("cache").CPU("1").Obj().Spec,
	}}
	web := mk.Pod("web").CPU("1").Affinity(&v1.Affinity{PodAffinity: &v1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{{
		TopologyKey: v1.LabelHostname, LabelSelector: cache.Spec.Selector,
	}}}})
	fixes, _ := fixesOf(t, node("a", "4").Obj(), cache, web.Obj())
	if want := "scale default/cache 1: a, 1 pod placed, 1 created"; !slices.Contains(fixes, want) {
		t.Errorf("fixes are %q, want %q", fixes, want)
	}
}

func TestOf_HonorsTaintsInASpread(t *testing.T) {
	web := mk.Pod("web").Label("app", "web").CPU("1").Obj()
	web.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{
		MaxSkew: 1, TopologyKey: v1.LabelTopologyZone, WhenUnsatisfiable: v1.DoNotSchedule, LabelSelector: &metav1.LabelSelector{MatchLabels: web.Labels},
	}}
	fixes, _ := fixesOf(t, node("a", "4").Zone("east").Obj(), node("b", "4").Zone("west").Taint("lost", "", v1.TaintEffectNoSchedule).Obj(),
		mk.Pod("one").Label("app", "web").CPU("1").Node("a").Obj(), web)
	const want = "spread default/web topology.kubernetes.io/zone nodeTaintsPolicy=Honor: a, 1 pod placed"
	at := slices.Index(fixes, want)
	if skew := slices.IndexFunc(fixes, func(f string) bool { return strings.Contains(f, "maxSkew") }); at < 0 || skew >= 0 && skew < at {
		t.Errorf("fixes are %q, want %q before another skew", fixes, want)
	}
}

// The nodes that are enough are those with which the command places the pods; two fit on each.
func TestCapacity_CountsWhatTheCommandPlaces(t *testing.T) {
	objects := []world.Object{node("a", "4").Obj(), mk.Pod("full").CPU("3500m").Node("a").Obj()}
	for i := range 4 {
		objects = append(objects, mk.Pod(fmt.Sprintf("web-%d", i)).CPU("1900m").Obj())
	}
	e := engineOf(t, objects...)
	groups, err := diagnose.Pending(e, func(*diagnose.Group) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	like, nodes, places, err := fix.Capacity(e, groups)
	if like != "a" || nodes != 2 || places != 4 || err != nil {
		t.Errorf("%d nodes like %s place %d, %v; want 2 that place 4", nodes, like, places, err)
	}
}

// A fix of a group says how many of its pods have a node when it is made to each of them.
func TestConfirm_CountsWhatTheCommandPlaces(t *testing.T) {
	objects := []world.Object{node("a", "4").Taint("team", "red", v1.TaintEffectNoSchedule).Obj()}
	yes := true
	for i := range 6 {
		pod := mk.Pod(fmt.Sprintf("web-%d", i)).CPU("1").Obj()
		pod.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web", UID: "web", Controller: &yes}}
		objects = append(objects, pod)
	}
	e := engineOf(t, objects...)
	groups, err := diagnose.Pending(e, func(*diagnose.Group) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	fix.Confirm(e, groups, 8)
	if len(groups) != 1 || groups[0].Fix == nil || groups[0].Places != 4 {
		t.Errorf("got %+v", groups[0])
	}
}
