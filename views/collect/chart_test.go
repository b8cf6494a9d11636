package collect_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/answers/answer"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/views"
	"orrery/views/collect"
)

// explained returns the explanation of the pod "web" in a cluster of these objects.
func explained(t *testing.T, objects ...world.Object) *views.Explanation {
	t.Helper()
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	e, err := engine.New(engine.Options{Start: now})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range objects {
		if err := e.Apply(world.Input{At: now, Event: world.Changed{Op: world.Added, Object: o}}); err != nil {
			t.Fatal(err)
		}
	}
	x := collect.New(collect.Options{}).Model(e, collect.Query{Open: views.ExplainPane, Pod: world.PodRef{Namespace: "default", Name: "web"}}).Explain
	if x == nil {
		t.Fatal("the pod is not explained")
	}
	return x
}

func chartText(c *answer.Chart) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s\n", c.Title, c.Legend)
	for _, bar := range c.Bars {
		fmt.Fprintf(&b, "%t %s %d +%d: %s\n", bar.OK, bar.Name, bar.Amount, bar.Extra, bar.Value)
	}
	fmt.Fprintf(&b, "scale %d to %d, allowed %d to %d, %d more", c.From, c.To, c.Allowed, c.Mark, c.More)
	return b.String()
}

func TestExplain_DrawsFreeAmountsOfNearestNodes(t *testing.T) {
	objects := []world.Object{}
	for i, cpu := range []string{"1", "2500m", "2", "500m", "5", "1500m", "2"} {
		objects = append(objects, mk.Node(fmt.Sprint("node-", i)).CPU(cpu).Memory("16Gi").Obj())
	}
	held := mk.Pod("held").CPU("2").Memory("1Gi").Priority(10).Obj()
	held.Status.NominatedNodeName = "node-4"
	pod := mk.Pod("web").CPU("4").Memory("1Gi").Obj()
	pod.Spec.Containers[0].Resources.Requests["example.com/gpu"] = resource.MustParse("2")
	user := mk.Pod("user").CPU("1").Memory("1Gi").Node("large").Obj()
	user.Spec.Containers[0].Resources.Requests["example.com/gpu"] = resource.MustParse("1")
	objects = append(objects, held, pod, mk.Node("large").CPU("8").Memory("16Gi").Taint("only", "batch", v1.TaintEffectNoSchedule).Resource("example.com/gpu", "2").Obj(), user)
	x := explained(t, objects...)
	if len(x.Charts) != 2 {
		t.Fatalf("%d charts: %+v", len(x.Charts), x.Charts)
	}
	want := `cpu free on the nearest nodes, │ requested 4
false node-4 3000 +2000: 3, 1 short, 2 held
false node-1 2500 +0: 2500m, 1500m short
false node-2 2000 +0: 2, 2 short
false node-6 2000 +0: 2, 2 short
false node-5 1500 +0: 1500m, 2500m short
scale 0 to 5625, allowed 4000 to 4000, 0 more`
	if diff := cmp.Diff(want, chartText(&x.Charts[0])); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if gpu := chartText(&x.Charts[1]); !strings.Contains(gpu, "example.com/gpu free on the nearest nodes, │ requested 2\nfalse large 1 +0: 1, 1 short\nscale") {
		t.Errorf("nodes without the resource are drawn: %s", gpu)
	}
	if drawn := strings.Join(x.Charts[0].Drawn, "\n"); !strings.Contains(drawn, "nearest") {
		t.Errorf("the chart shows %q", drawn)
	}
}

func TestExplain_DrawsSpreadWithAllowedBand(t *testing.T) {
	labels := &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
	pod := mk.Pod("web").Label("app", "web").CPU("1").Obj()
	pod.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{
		{MaxSkew: 2, TopologyKey: v1.LabelTopologyZone, WhenUnsatisfiable: v1.DoNotSchedule, LabelSelector: labels},
	}
	var objects []world.Object
	for i, zone := range []string{"east", "west", "north"} {
		objects = append(objects, mk.Node(zone).CPU([]string{"100m", "64", "64"}[i]).Memory("64Gi").Pods("200").Zone(zone).Obj())
	}
	for i := range 5 {
		objects = append(objects, mk.Pod(fmt.Sprint("west-", i)).Label("app", "web").Node("west").Obj())
	}
	for i := range 3 {
		objects = append(objects, mk.Pod(fmt.Sprint("east-", i)).Label("app", "web").Node("east").Obj())
	}
	for i := range 6 {
		objects = append(objects, mk.Pod(fmt.Sprint("north-", i)).Label("app", "web").Node("north").Obj())
	}
	x := explained(t, append(objects, pod)...)
	want := `pods by topology.kubernetes.io/zone, │ at most 5: the least, 3, + maxSkew 2
true east 3 +1: 3, 4 with it
false west 5 +1: 5, 6 with it
false north 6 +1: 6, 7 with it
scale 0 to 8, allowed 3 to 5, 0 more`
	if diff := cmp.Diff(want, chartText(&x.Charts[0])); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if drawn := strings.Join(x.Charts[0].Drawn, "\n"); !strings.Contains(drawn, "matching pods by domain") {
		t.Errorf("the chart shows %q", drawn)
	}
}
